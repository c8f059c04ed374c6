from django.db import migrations, models

# As the entries themselves: docs/decisions/0011-audit-owner.md.
_STAYS = """
CREATE TRIGGER audit_seal_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_seal
   FOR EACH STATEMENT EXECUTE FUNCTION audit_entry_stays();
"""


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0025_audit_stays")]

    operations = [
        migrations.CreateModel(
            name="AuditSeal",
            fields=[
                ("seal_id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("first_id", models.BigIntegerField()),
                ("last_id", models.BigIntegerField()),
                ("entries", models.IntegerField()),
                ("digest", models.CharField(max_length=64)),
                ("sealed_at", models.DateTimeField()),
            ],
            options={"db_table": "audit_seal", "default_permissions": ()},
        ),
        migrations.RunSQL(_STAYS, "DROP TRIGGER audit_seal_stays ON audit_seal"),
        # One row: what the next pass may seal (audit/sql/settled.sql).
        migrations.RunSQL(
            "CREATE TABLE audit_mark (mark_id int PRIMARY KEY CHECK (mark_id = 1), seen bigint NOT NULL,"
            " waiting bigint NOT NULL, waits_for xid8 NOT NULL)",
            "DROP TABLE audit_mark",
        ),
    ]
