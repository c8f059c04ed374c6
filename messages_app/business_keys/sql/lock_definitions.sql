-- Lets one process at a time add a definition.
SELECT pg_advisory_xact_lock(hashtextextended('hubconsole business_key definitions', 0))
