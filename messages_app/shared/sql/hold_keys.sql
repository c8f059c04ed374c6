-- Keeps erasing out while this transaction writes values of messages that it has read.
SELECT pg_advisory_xact_lock_shared(hashtextextended('hubconsole business_key writers', 0))
