-- One row: the position, whether all transactions before the marks have ended, and the time.
SELECT front, safe, mark, event_front, event_safe, event_mark, watched, kept_from,
       pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= mark_xid AS is_over, clock_timestamp() AS now
  FROM call_pass
