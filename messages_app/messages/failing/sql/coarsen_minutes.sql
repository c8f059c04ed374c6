-- One row: how many counts of minutes, older than the pages' windows, became part of their day's. They are sums, so
-- what comes to such a minute later is added just the same.
WITH old AS (
  DELETE FROM failure_minute
   WHERE (group_id, minute) IN (
           SELECT group_id, minute
             FROM failure_minute
            WHERE minute < now() - %(kept)s::interval
              AND minute <> date_trunc('day', minute, 'UTC')
            LIMIT %(most)s)
  RETURNING group_id, minute, failures
), added AS (
  INSERT INTO failure_minute (group_id, minute, failures)
  SELECT group_id, date_trunc('day', minute, 'UTC'), sum(failures)
    FROM old
   GROUP BY 1, 2
  ON CONFLICT (group_id, minute) DO UPDATE SET failures = failure_minute.failures + excluded.failures
)
SELECT count(*)
  FROM old
