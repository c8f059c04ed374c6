-- One row: the number of old rows that were merged into those of their hour or day (kept_minute).
WITH old AS (
  DELETE FROM call_took
   WHERE (minute, service_name, external_system, step) IN (
           SELECT minute, service_name, external_system, step
             FROM call_took
            WHERE minute < now() - interval '3 hours' AND minute <> kept_call_minute(minute)
            LIMIT %(most)s)
  RETURNING minute, service_name, external_system, step, calls
), added AS (
  INSERT INTO call_took (minute, service_name, external_system, step, calls)
  SELECT kept_call_minute(minute), service_name, external_system, step, sum(calls)
    FROM old
   GROUP BY 1, 2, 3, 4
  ON CONFLICT (minute, service_name, external_system, step) DO UPDATE SET calls = call_took.calls + excluded.calls
)
SELECT count(*) FROM old
