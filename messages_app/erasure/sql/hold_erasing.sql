-- One row: whether this session now is the only one that erases. Held until it ends.
SELECT pg_try_advisory_lock(hashtextextended('hubconsole erasing', 0))
