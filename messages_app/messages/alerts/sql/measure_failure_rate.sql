-- One row: the share of FAILED in the messages that ended in the time window; 0 if fewer than at_least ended.
SELECT CASE WHEN coalesce(sum(entered), 0) < greatest(%(at_least)s, 1) THEN 0
            ELSE coalesce(sum(entered) FILTER (WHERE state = 'FAILED'), 0)::float8 / sum(entered) END
  FROM message_rollup
 WHERE minute > now() - make_interval(mins => %(window_minutes)s) AND state IN ('OK', 'FAILED')
   AND (%(service_name)s = '' OR service_name = %(service_name)s)
   AND (%(operation_name)s = '' OR operation_name = %(operation_name)s)
   AND (%(source_system)s = '' OR source_system = %(source_system)s)
   AND (%(failed_error_code)s = '' OR failed_error_code = %(failed_error_code)s)
