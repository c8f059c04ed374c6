-- One row: the number of changes that were added to the counts and deleted, in one statement. The next pass takes a
-- change that commits late: nothing here depends on an order. The table has no key and only rows since the last pass.
WITH taken AS (
  DELETE FROM message_change
   WHERE ctid = ANY (ARRAY(SELECT ctid FROM message_change LIMIT %(most)s))
  RETURNING message_change AS change
), part AS MATERIALIZED (
  SELECT part.*
    FROM taken
   CROSS JOIN LATERAL parts_of_change(taken.change) AS part
), added AS (
  INSERT INTO message_rollup
         (minute, state, service_name, operation_name, source_system, failed_error_code, present, entered)
  SELECT minute, state, service_name, operation_name, source_system, failed_error_code,
         sum(present), sum(entered)
    FROM part
   GROUP BY minute, state, service_name, operation_name, source_system, failed_error_code
  HAVING sum(present) <> 0 OR sum(entered) <> 0
  ON CONFLICT (minute, state, service_name, operation_name, source_system, failed_error_code)
  DO UPDATE SET present = message_rollup.present + excluded.present,
                entered = message_rollup.entered + excluded.entered
), totalled AS (
  INSERT INTO message_total (state, service_name, operation_name, source_system, failed_error_code, present)
  SELECT state, service_name, operation_name, source_system, failed_error_code, sum(present)
    FROM part
   GROUP BY state, service_name, operation_name, source_system, failed_error_code
  HAVING sum(present) <> 0
  ON CONFLICT (state, service_name, operation_name, source_system, failed_error_code)
  DO UPDATE SET present = message_total.present + excluded.present
), timed AS (
  INSERT INTO message_took (minute, service_name, step, messages)
  SELECT date_bin('5 minutes', minute, 'epoch'::timestamptz), service_name, step, count(*)
    FROM part
   CROSS JOIN LATERAL unnest(took) AS step
   GROUP BY 1, 2, 3
  ON CONFLICT (minute, service_name, step) DO UPDATE SET messages = message_took.messages + excluded.messages
)
SELECT count(*)
  FROM taken
