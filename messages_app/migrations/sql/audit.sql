-- Rejects every role that has not first removed the trigger. A role that may not do that, because it does not own the
-- table, cannot rewrite the audit log at all (docs/howto/deploy.md). Source: docs/contributing/spec/promises.md, I-56,
-- S-46.
CREATE FUNCTION audit_entry_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'entries of the audit are never changed' USING ERRCODE = 'insufficient_privilege';
END
$$;

-- An entry is deleted only if a tombstone covers it; every other change is rejected. The rights of roles say who may
-- insert a tombstone: audit/grants.py. Source: docs/contributing/spec/promises.md, S-49, I-56.
CREATE FUNCTION audit_entry_goes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM gone)
     OR EXISTS (SELECT
                  FROM gone
                 WHERE NOT EXISTS (SELECT
                                     FROM audit_tombstone AS stone
                                    WHERE gone.entry_id BETWEEN stone.first_id AND stone.last_id)) THEN
    RAISE EXCEPTION 'entries of the audit are never changed' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER audit_entry_stays BEFORE UPDATE OR TRUNCATE ON audit_entry
   FOR EACH STATEMENT EXECUTE FUNCTION audit_entry_stays();
CREATE TRIGGER audit_entry_goes AFTER DELETE ON audit_entry REFERENCING OLD TABLE AS gone
   FOR EACH STATEMENT EXECUTE FUNCTION audit_entry_goes();
CREATE TRIGGER audit_tombstone_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_tombstone
   FOR EACH STATEMENT EXECUTE FUNCTION audit_entry_stays();
CREATE TRIGGER audit_seal_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_seal
   FOR EACH STATEMENT EXECUTE FUNCTION audit_entry_stays();
