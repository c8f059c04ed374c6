-- One row: whether this session is now the only one that erases. The lock is held until the session ends.
SELECT pg_try_advisory_lock(hashtextextended('hubconsole erasing', 0))
