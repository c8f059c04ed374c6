-- Changes of users wait for each other, so that each sees what the others have committed: two administrators cannot
-- deactivate each other.
SELECT pg_advisory_xact_lock(hashtextextended('hubconsole users', 0))
