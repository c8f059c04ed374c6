-- One row: the last id that an entry got.
SELECT audit_last_id()
