-- One row: whether this transaction is now the only one that seals.
SELECT pg_try_advisory_xact_lock(hashtextextended('hubconsole audit_seal', 0))
