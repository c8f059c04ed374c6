-- Adds failures, counted by group and time, to the counts of their minutes, or of their hours or days if they are old.
INSERT INTO failure_minute (group_id, minute, failures)
SELECT group_id, kept_minute(at), sum(failures)
  FROM unnest(%(groups)s::bigint[], %(ats)s::timestamptz[], %(failures)s::bigint[])
       AS failed (group_id, at, failures)
 GROUP BY 1, 2
 ORDER BY 1, 2
ON CONFLICT (group_id, minute) DO UPDATE SET failures = failure_minute.failures + excluded.failures
