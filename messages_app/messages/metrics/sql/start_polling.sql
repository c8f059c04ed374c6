-- Begins to poll. Messages up to the highest id are counted by the pass over all messages, as not new.
INSERT INTO polling (id, front, safe, mark, mark_xid, changed_at, changed_id, changed_safe, changed_mark, watched, swept)
SELECT 1, highest, highest, highest, pg_snapshot_xmax(pg_current_snapshot())::text::bigint, now, 0, now, now, 0, 0
  FROM (SELECT coalesce(max(msg_id), 0) AS highest, clock_timestamp() AS now FROM message) AS hub
