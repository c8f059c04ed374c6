-- Adds failures to the counts of their minutes.
INSERT INTO failure_minute (group_id, minute, failures)
SELECT group_id, date_trunc('minute', at, 'UTC'), count(*)
  FROM unnest(%(groups)s::bigint[], %(ats)s::timestamptz[]) AS failed (group_id, at)
 GROUP BY 1, 2
 ORDER BY 1, 2
ON CONFLICT (group_id, minute) DO UPDATE SET failures = failure_minute.failures + excluded.failures
