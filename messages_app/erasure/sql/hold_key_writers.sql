-- Waits for transactions that write values of messages they have read, and keeps out others.
SELECT pg_advisory_xact_lock(hashtextextended('hubconsole business_key writers', 0))
