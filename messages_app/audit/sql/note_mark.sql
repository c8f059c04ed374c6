-- Start to wait for the transactions that are open now, unless earlier ones have not ended yet.
INSERT INTO audit_mark AS mark (mark_id, seen, waiting, waits_for)
VALUES (1, (SELECT coalesce(max(entry_id), 0) FROM audit_entry), 0, pg_current_xact_id())
ON CONFLICT (mark_id) DO UPDATE
   SET waiting = mark.seen, waits_for = excluded.waits_for, seen = excluded.seen
 WHERE pg_snapshot_xmin(pg_current_snapshot()) >= mark.waits_for
