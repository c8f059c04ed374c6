-- One row: whether this transaction got the lock of incidents, which it holds until it ends.
SELECT pg_try_advisory_xact_lock(hashtextextended('hubconsole incident', 0))
