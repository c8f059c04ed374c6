"""When the monitor of the message store last scanned."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("messages_app", "0026_audit_seals"),
    ]

    operations = [
        migrations.CreateModel(
            name="StoreScan",
            fields=[
                ("is_only", models.BooleanField(default=True, primary_key=True, serialize=False)),
                ("done_at", models.DateTimeField()),
            ],
            options={
                "db_table": "store_scan",
                "default_permissions": (),
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("is_only", True)), name="store_scan_is_one")
                ],
            },
        ),
    ]
