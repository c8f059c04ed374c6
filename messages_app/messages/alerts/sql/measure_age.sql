-- One row: for how many seconds the oldest message has been in a state; 0 if no message is in it. A message without
-- a real time, such as -infinity, has no age.
SELECT coalesce(extract(epoch FROM now() - min(minute)), 0)
  FROM message_rollup
 WHERE state = %(state)s AND NOT state = 'OK' AND present <> 0 AND isfinite(minute)
   AND (%(service_name)s = '' OR service_name = %(service_name)s)
   AND (%(operation_name)s = '' OR operation_name = %(operation_name)s)
   AND (%(source_system)s = '' OR source_system = %(source_system)s)
   AND (%(failed_error_code)s = '' OR failed_error_code = %(failed_error_code)s)
