INSERT INTO rollup_pass (name, done_at, rows)
VALUES ('lost_gaps', clock_timestamp(), %(lost)s)
ON CONFLICT (name) DO UPDATE SET done_at = excluded.done_at, rows = greatest(rollup_pass.rows, excluded.rows)
