-- One row.
SELECT pg_advisory_unlock(hashtextextended('hubconsole erasing', 0))
