INSERT INTO audit_mark (mark_id, settled)
VALUES (1, %(settled)s)
ON CONFLICT (mark_id) DO UPDATE SET settled = excluded.settled
