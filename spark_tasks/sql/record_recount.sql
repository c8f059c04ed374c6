-- From now on the counts are those of all messages (messages_app/messages/metrics/kinds.py).
INSERT INTO rollup_pass (name, done_at, rows)
VALUES ('recount', clock_timestamp(), 0)
ON CONFLICT (name) DO UPDATE SET done_at = excluded.done_at
