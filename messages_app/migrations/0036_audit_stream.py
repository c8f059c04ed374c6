"""The position of the stream of the audit log (docs/howto/stream_the_audit_log.md)."""

from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [
        ("messages_app", "0035_company_accounts"),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditStream",
            fields=[
                ("stream_id", models.IntegerField(primary_key=True, serialize=False)),
                ("seal_id", models.BigIntegerField()),
                ("leased_until", models.DateTimeField(null=True)),
                ("sent_at", models.DateTimeField(db_default=Now())),
                ("error", models.CharField(blank=True, max_length=300)),
                ("failing_since", models.DateTimeField(null=True)),
            ],
            options={
                "db_table": "audit_stream",
                "abstract": False,
                "default_permissions": (),
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("stream_id", 1)), name="audit_stream_one_row")
                ],
            },
        ),
    ]
