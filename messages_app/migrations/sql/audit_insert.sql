-- Sets the id, the time and the transaction of an entry, whatever the caller is. The transaction gets its number before
-- the id, so that every transaction with an assigned id is among the open ones (audit/seals.py).
CREATE FUNCTION audit_entry_comes() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF NEW.entry_id IS NOT NULL THEN
    RAISE EXCEPTION 'only the database assigns ids to entries of the audit' USING ERRCODE = 'generated_always';
  END IF;
  NEW.transaction_id := pg_current_xact_id()::text::bigint;
  NEW.entry_id := nextval('audit_entry_entry_id_seq');
  NEW.at := clock_timestamp();
  RETURN NEW;
END
$$;

CREATE TRIGGER audit_entry_comes BEFORE INSERT ON audit_entry
   FOR EACH ROW EXECUTE FUNCTION audit_entry_comes();
-- Also for a role that may switch triggers off, as that of jobs may
-- (docs/contributing/decisions/0019-database-roles.md).
ALTER TABLE audit_entry ENABLE ALWAYS TRIGGER audit_entry_comes;
