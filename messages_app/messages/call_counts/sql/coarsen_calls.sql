-- One row: the number of counts of old minutes that were merged into those of their hour or day (kept_minute).
WITH old AS (
  DELETE FROM call_rollup
   WHERE (minute, service_name, external_system) IN (
           SELECT minute, service_name, external_system
             FROM call_rollup
            WHERE minute < now() - interval '3 hours' AND minute <> kept_call_minute(minute)
            LIMIT %(most)s)
  RETURNING minute, service_name, external_system, succeeded, failed
), added AS (
  INSERT INTO call_rollup (minute, service_name, external_system, succeeded, failed)
  SELECT kept_call_minute(minute), service_name, external_system, sum(succeeded), sum(failed)
    FROM old
   GROUP BY 1, 2, 3
  ON CONFLICT (minute, service_name, external_system)
  DO UPDATE SET succeeded = call_rollup.succeeded + excluded.succeeded, failed = call_rollup.failed + excluded.failed
)
SELECT count(*) FROM old
