-- Held until the transaction ends, so that only one part of any plan is written at a time. The number is the
-- console's own.
SELECT pg_advisory_xact_lock(7240110)
