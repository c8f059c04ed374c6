-- One row: the time since which the messages that are in a state now have met the condition of a rule, or NULL if they
-- do not. Messages are added up from the oldest change on, until there are more than the limit; the
-- condition holds as soon as the last of these was as old as the rule requires.
SELECT min(minute) FILTER (WHERE together > %(limit)s) + make_interval(secs => %(wait)s)
  FROM (SELECT minute, sum(present) OVER (ORDER BY minute) AS together
          FROM message_rollup
         WHERE state = %(state)s AND NOT state = 'OK' AND NOT present = 0
           AND (%(service_name)s = '' OR service_name = %(service_name)s)
           AND (%(operation_name)s = '' OR operation_name = %(operation_name)s)
           AND (%(source_system)s = '' OR source_system = %(source_system)s)
           AND (%(failed_error_code)s = '' OR failed_error_code = %(failed_error_code)s)) AS counted
