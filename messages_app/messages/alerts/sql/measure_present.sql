-- One row: how many messages are in a state and last changed at least older_than_seconds ago. Counts are by the
-- minute, so the whole minute of the change must be that old.
SELECT coalesce(sum(present), 0)
  FROM message_rollup
 WHERE state = %(state)s AND NOT state = 'OK' AND present <> 0
   AND minute <= now() - make_interval(secs => %(older_than_seconds)s)
               - CASE WHEN %(older_than_seconds)s > 0 THEN interval '1 minute' ELSE interval '0' END
   AND (%(service_name)s = '' OR service_name = %(service_name)s)
   AND (%(operation_name)s = '' OR operation_name = %(operation_name)s)
   AND (%(source_system)s = '' OR source_system = %(source_system)s)
   AND (%(failed_error_code)s = '' OR failed_error_code = %(failed_error_code)s)
