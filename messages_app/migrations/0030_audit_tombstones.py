from django.db import migrations, models

# An entry goes only under a tombstone that was there first; every other change is refused. Who may put a
# tombstone there is said by the rights of roles: audit/grants.py. Source: docs/spec/promises.md, S-49,
# I-56.
_GOES_UNDER_A_TOMBSTONE = """
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
DROP TRIGGER audit_entry_stays ON audit_entry;
CREATE TRIGGER audit_entry_stays BEFORE UPDATE OR TRUNCATE ON audit_entry
   FOR EACH STATEMENT EXECUTE FUNCTION audit_entry_stays();
CREATE TRIGGER audit_entry_goes AFTER DELETE ON audit_entry REFERENCING OLD TABLE AS gone
   FOR EACH STATEMENT EXECUTE FUNCTION audit_entry_goes();
CREATE TRIGGER audit_tombstone_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_tombstone
   FOR EACH STATEMENT EXECUTE FUNCTION audit_entry_stays();
"""
_BACK = """
DROP TRIGGER audit_tombstone_stays ON audit_tombstone;
DROP TRIGGER audit_entry_goes ON audit_entry;
DROP FUNCTION audit_entry_goes();
DROP TRIGGER audit_entry_stays ON audit_entry;
CREATE TRIGGER audit_entry_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry
   FOR EACH STATEMENT EXECUTE FUNCTION audit_entry_stays();
"""


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0029_second_person")]

    operations = [
        migrations.CreateModel(
            name="AuditTombstone",
            fields=[
                ("first_seal", models.BigIntegerField(primary_key=True, serialize=False)),
                ("last_seal", models.BigIntegerField()),
                ("first_id", models.BigIntegerField()),
                ("last_id", models.BigIntegerField()),
                ("entries", models.IntegerField()),
                ("digest", models.CharField(max_length=64)),
                ("made_at", models.DateTimeField()),
            ],
            options={"db_table": "audit_tombstone", "default_permissions": ()},
        ),
        migrations.RunSQL(_GOES_UNDER_A_TOMBSTONE, _BACK),
    ]
