-- One row: whether this transaction got the lock for counting items, which it holds until it ends.
SELECT pg_try_advisory_xact_lock(hashtextextended('hubconsole failure_item', 0))
