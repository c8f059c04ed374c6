-- Waits for a transaction that counts failures of other stores than messages, and keeps out others.
SELECT pg_advisory_xact_lock(hashtextextended('hubconsole failure_item', 0))
