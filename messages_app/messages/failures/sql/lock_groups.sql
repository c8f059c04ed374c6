-- One row: whether this transaction got the lock for grouping failures, which it holds until it ends.
SELECT pg_try_advisory_xact_lock(hashtextextended('hubconsole failure_group', 0))
