from django.db import migrations

# Refuses every role that has not first taken the trigger away; who may not do that, because it is not the
# table's owner, cannot rewrite the audit at all (docs/howto/deploy.md). Source: docs/spec/promises.md, I-56,
# S-46.
_STAYS = """
CREATE FUNCTION audit_entry_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'entries of the audit are never changed' USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER audit_entry_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry
   FOR EACH STATEMENT EXECUTE FUNCTION audit_entry_stays();
"""
_BACK = """
DROP TRIGGER audit_entry_stays ON audit_entry;
DROP FUNCTION audit_entry_stays();
"""


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0024_limits")]

    operations = [migrations.RunSQL(_STAYS, _BACK)]
