-- One row: the number of counts of old minutes that were merged into those of their hour or day (kept_minute). Counts
-- are sums, so a later change of such a minute is added in the same way.
WITH old AS (
  DELETE FROM message_rollup
   WHERE (minute, state, service_name, operation_name, source_system, failed_error_code) IN (
           SELECT minute, state, service_name, operation_name, source_system, failed_error_code
             FROM message_rollup
            WHERE minute < now() - interval '25 hours'
              AND (minute <> kept_minute(minute) OR present = 0 AND entered = 0)
            LIMIT %(most)s)
  RETURNING minute, state, service_name, operation_name, source_system, failed_error_code, present, entered
), added AS (
  INSERT INTO message_rollup
         (minute, state, service_name, operation_name, source_system, failed_error_code, present, entered)
  SELECT kept_minute(minute), state, service_name, operation_name, source_system,
         failed_error_code, sum(present), sum(entered)
    FROM old
   WHERE minute <> kept_minute(minute)
   GROUP BY 1, 2, 3, 4, 5, 6
  HAVING sum(present) <> 0 OR sum(entered) <> 0
  ON CONFLICT (minute, state, service_name, operation_name, source_system, failed_error_code)
  DO UPDATE SET present = message_rollup.present + excluded.present,
                entered = message_rollup.entered + excluded.entered
)
SELECT count(*)
  FROM old
