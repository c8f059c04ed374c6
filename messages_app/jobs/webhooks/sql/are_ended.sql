-- One row: whether every transaction before %(mark_xid)s has ended.
SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= %(mark_xid)s
