-- One row: whether every transaction of before %(newest)s is over.
SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= %(newest)s
