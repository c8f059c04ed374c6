-- One row: how many counts of old minutes became part of their hour's or day's (kept_minute). They are sums, so what
-- comes to such a minute later is added just the same.
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
