-- One row: how many of the oldest changes were added to the counts and taken away, in one statement. A change that
-- commits late is simply there for the next pass: nothing here goes by the order of ids.
WITH taken AS (
  DELETE FROM message_change
   WHERE change_id IN (SELECT change_id FROM message_change ORDER BY change_id LIMIT %(most)s)
  RETURNING minute, state, service_name, operation_name, source_system, failed_error_code, present, entered
), added AS (
  INSERT INTO message_rollup
         (minute, state, service_name, operation_name, source_system, failed_error_code, present, entered)
  SELECT minute, state, service_name, operation_name, source_system, failed_error_code,
         sum(present), sum(entered)
    FROM taken
   GROUP BY minute, state, service_name, operation_name, source_system, failed_error_code
  HAVING sum(present) <> 0 OR sum(entered) <> 0
  ON CONFLICT (minute, state, service_name, operation_name, source_system, failed_error_code)
  DO UPDATE SET present = message_rollup.present + excluded.present,
                entered = message_rollup.entered + excluded.entered
)
SELECT count(*)
  FROM taken
