-- {table} and {key}: the counts to coarsen, and what they count.
-- One row: the number of counts of old minutes that were added to those of their hour or day (kept_minute). The counts
-- are sums, so failures that are counted later for such a minute can still be added.
WITH old AS (
  DELETE FROM {table}
   WHERE ({key}, minute) IN (
           SELECT {key}, minute
             FROM {table}
            WHERE minute < now() - interval '25 hours'
              AND minute <> kept_minute(minute)
            LIMIT %(most)s)
  RETURNING {key}, minute, failures
), added AS (
  INSERT INTO {table} ({key}, minute, failures)
  SELECT {key}, kept_minute(minute), sum(failures)
    FROM old
   GROUP BY 1, 2
  ON CONFLICT ({key}, minute) DO UPDATE SET failures = {table}.failures + excluded.failures
)
SELECT count(*)
  FROM old
