-- The same lock, shared with other parts of the same plan.
SELECT pg_advisory_xact_lock_shared(7240110)
