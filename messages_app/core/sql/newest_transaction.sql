-- One row: this transaction, which is newer than every other that has written so far.
SELECT pg_current_xact_id()::text::bigint
