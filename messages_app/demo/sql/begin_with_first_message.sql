-- Lets the pass over new messages read all of them, unless it has begun.
INSERT INTO business_key_pass (id, front, safe, mark, mark_xid)
VALUES (1, 0, 0, 0, pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
    ON CONFLICT DO NOTHING
