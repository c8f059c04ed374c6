-- Waits for the lock to write the counts.
SELECT pg_advisory_xact_lock(hashtextextended('hubconsole message_rollup', 0))
