-- One row: whether this transaction now is the only one that writes the counts.
SELECT pg_try_advisory_xact_lock(hashtextextended('hubconsole message_rollup', 0))
