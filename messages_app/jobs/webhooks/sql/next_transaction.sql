-- One row: the id of the next transaction; every one that has written has a smaller one.
SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint
