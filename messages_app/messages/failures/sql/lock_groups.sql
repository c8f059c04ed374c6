-- One row: whether this transaction now is the only one that puts failures into groups.
SELECT pg_try_advisory_xact_lock(hashtextextended('hubconsole failure_group', 0))
