-- One row: the position of the last poll, whether all transactions before the mark have ended, and the time.
SELECT front, safe, mark, changed_at, changed_id, changed_safe, changed_mark, watched, swept, swept_at, polled_at,
       pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= mark_xid AS is_over, clock_timestamp() AS now
  FROM polling
