-- One row: whether every transaction before %(mark_xid)s has ended. A number that is not assigned yet is of another
-- server, from which this database was restored.
SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= %(mark_xid)s
    OR pg_snapshot_xmax(pg_current_snapshot())::text::bigint < %(mark_xid)s
