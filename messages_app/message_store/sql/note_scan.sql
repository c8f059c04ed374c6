-- Records the time of the monitor's scan.
INSERT INTO store_scan (is_only, done_at)
VALUES (true, clock_timestamp())
ON CONFLICT (is_only) DO UPDATE SET done_at = excluded.done_at
