-- Adds ended calls to the counts: the number of rows.
WITH part AS MATERIALIZED (
  SELECT *
    FROM unnest(%(minutes)s::timestamptz[], %(services)s::text[], %(systems)s::text[], %(steps)s::smallint[],
                %(succeeded)s::integer[], %(failed)s::integer[])
         AS part (minute, service_name, external_system, step, succeeded, failed)
), timed AS (
  INSERT INTO call_took (minute, service_name, external_system, step, calls)
  SELECT date_bin('5 minutes', minute, 'epoch'::timestamptz), service_name, external_system, step,
         sum(succeeded + failed)
    FROM part
   WHERE step IS NOT NULL
   GROUP BY 1, 2, 3, 4
  ON CONFLICT (minute, service_name, external_system, step) DO UPDATE SET calls = call_took.calls + excluded.calls
)
INSERT INTO call_rollup (minute, service_name, external_system, succeeded, failed)
SELECT minute, service_name, external_system, sum(succeeded), sum(failed)
  FROM part
 GROUP BY 1, 2, 3
ON CONFLICT (minute, service_name, external_system)
DO UPDATE SET succeeded = call_rollup.succeeded + excluded.succeeded, failed = call_rollup.failed + excluded.failed
