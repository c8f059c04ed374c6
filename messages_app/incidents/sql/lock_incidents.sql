-- One row, as soon as no other transaction gathers failures or changes what incidents have; until this one ends.
SELECT pg_advisory_xact_lock(hashtextextended('hubconsole incident', 0))
