-- One row: the id of this transaction, which is newer than every other that has written before.
SELECT pg_current_xact_id()::text::bigint
