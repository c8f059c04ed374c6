-- One row: the number of counts of old minutes that were added to those of their hour or day (kept_minute). The counts
-- are sums, so failures that are counted later for such a minute can still be added.
WITH old AS (
  DELETE FROM failure_minute
   WHERE (group_id, minute) IN (
           SELECT group_id, minute
             FROM failure_minute
            WHERE minute < now() - interval '25 hours'
              AND minute <> kept_minute(minute)
            LIMIT %(most)s)
  RETURNING group_id, minute, failures
), added AS (
  INSERT INTO failure_minute (group_id, minute, failures)
  SELECT group_id, kept_minute(minute), sum(failures)
    FROM old
   GROUP BY 1, 2
  ON CONFLICT (group_id, minute) DO UPDATE SET failures = failure_minute.failures + excluded.failures
)
SELECT count(*)
  FROM old
