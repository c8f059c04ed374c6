-- One row: how often messages entered a state in the time window.
SELECT coalesce(sum(entered), 0)
  FROM message_rollup
 WHERE minute > now() - make_interval(mins => %(window_minutes)s) AND state = %(state)s
   AND (%(service_name)s = '' OR service_name = %(service_name)s)
   AND (%(operation_name)s = '' OR operation_name = %(operation_name)s)
   AND (%(source_system)s = '' OR source_system = %(source_system)s)
   AND (%(failed_error_code)s = '' OR failed_error_code = %(failed_error_code)s)
