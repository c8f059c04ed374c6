-- One row: this transaction has the lock for grouping failures until it ends.
SELECT pg_advisory_xact_lock(hashtextextended('hubconsole failure_group', 0)) IS NULL
