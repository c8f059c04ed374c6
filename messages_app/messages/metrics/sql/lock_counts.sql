-- One row: whether this transaction got the lock to write the counts.
SELECT pg_try_advisory_xact_lock(hashtextextended('hubconsole message_rollup', 0))
