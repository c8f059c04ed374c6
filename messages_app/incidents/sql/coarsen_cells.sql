-- One row: the number of counts of old minutes that were added to those of their hour or day (kept_minute). The counts
-- are sums, so failures that are counted later for such a minute can still be added.
WITH old AS (
  DELETE FROM failure_cell_minute
   WHERE (cell_id, minute) IN (
           SELECT cell_id, minute
             FROM failure_cell_minute
            WHERE minute < now() - interval '25 hours'
              AND minute <> kept_minute(minute)
            LIMIT %(most)s)
  RETURNING cell_id, minute, failures
), added AS (
  INSERT INTO failure_cell_minute (cell_id, minute, failures)
  SELECT cell_id, kept_minute(minute), sum(failures)
    FROM old
   GROUP BY 1, 2
  ON CONFLICT (cell_id, minute) DO UPDATE SET failures = failure_cell_minute.failures + excluded.failures
)
SELECT count(*)
  FROM old
