-- Only the trigger draws ids from the sequence, because it first gives the transaction its number (audit_insert.sql).
DO $$
DECLARE
  next_id bigint := (SELECT last_value + is_called::int FROM audit_entry_entry_id_seq);
BEGIN
  ALTER TABLE audit_entry ALTER COLUMN entry_id DROP IDENTITY;
  CREATE SEQUENCE audit_entry_entry_id_seq OWNED BY audit_entry.entry_id;
  PERFORM setval('audit_entry_entry_id_seq', next_id, false);
END $$;

-- The last assigned id. Every role may ask for it, and none needs a privilege on the sequence.
CREATE FUNCTION audit_last_id() RETURNS bigint LANGUAGE sql SECURITY DEFINER
BEGIN ATOMIC
  SELECT last_value - (NOT is_called)::int FROM audit_entry_entry_id_seq;
END;
