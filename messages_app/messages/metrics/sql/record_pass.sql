-- Records that the pass with this name ran now.
INSERT INTO rollup_pass (name, done_at, rows)
VALUES (%(name)s, clock_timestamp(), %(rows)s)
ON CONFLICT (name) DO UPDATE SET done_at = excluded.done_at, rows = excluded.rows
