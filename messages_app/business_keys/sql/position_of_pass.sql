-- One row: the position, and whether all transactions before the mark have ended.
SELECT front, safe, mark, pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= mark_xid
  FROM business_key_pass
