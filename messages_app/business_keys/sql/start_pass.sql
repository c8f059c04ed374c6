-- Begins with the next message. Earlier ones are read by a job.
INSERT INTO business_key_pass (id, front, safe, mark, mark_xid)
SELECT 1, highest, highest, highest, pg_snapshot_xmax(pg_current_snapshot())::text::bigint
  FROM (SELECT coalesce(max(msg_id), 0) AS highest FROM message) AS hub
