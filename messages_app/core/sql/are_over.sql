-- One row: whether every transaction older than %(newest)s has ended.
SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= %(newest)s
