"""Ids and times of audit entries that callers cannot set, and seals that wait for no open transaction."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models

from messages_app.migrations._operations import make_functions, run_sql, sql_text


def _ids() -> ArrayField:
    return ArrayField(base_field=models.BigIntegerField(), null=True, size=None)


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0020_names_in_admin")]

    operations = [
        migrations.AddField("auditentry", "actor_id", models.BigIntegerField(null=True)),
        migrations.AddField("auditentry", "transaction_id", models.BigIntegerField(null=True)),
        # Existing entries are evidence, and stay whatever their ids are.
        AddConstraintNotValid(
            "auditentry",
            models.CheckConstraint(condition=models.Q(entry_id__gt=0), name="audit_entry_id_check"),
        ),
        migrations.AddField("auditseal", "late", _ids()),
        migrations.AddField("auditseal", "gaps_from", _ids()),
        migrations.AddField("auditseal", "gaps_to", _ids()),
        migrations.AddField("auditseal", "open_transactions", _ids()),
        migrations.AddIndex(
            "auditseal",
            models.Index("seal_id", condition=models.Q(late__isnull=False), name="audit_seal_late_idx"),
        ),
        run_sql("audit_ids", reverse=sql_text("audit_ids_reverse")),
        make_functions("audit_insert", "audit_entry_comes"),
    ]
