-- One row: whether this transaction is now the only one that removes entries.
SELECT pg_try_advisory_xact_lock(hashtextextended('hubconsole audit_tombstone', 0))
