-- The stream begins with the next seal.
INSERT INTO audit_stream (stream_id, seal_id, sent_at, error)
VALUES (1, (SELECT coalesce(max(seal_id), 0) FROM audit_seal), statement_timestamp(), '')
ON CONFLICT (stream_id) DO NOTHING
