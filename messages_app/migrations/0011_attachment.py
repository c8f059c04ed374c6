"""The hub that the console is attached to."""

import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0010_table_behind")]

    operations = [
        migrations.CreateModel(
            name="Attachment",
            fields=[
                ("id", models.SmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("hub_schema", models.TextField()),
                ("archive_schema", models.TextField(blank=True)),
                ("family", models.TextField()),
                ("rules", models.TextField()),
                ("time_zone", models.TextField()),
                ("fingerprint", models.TextField()),
                ("has_triggers", models.BooleanField()),
                ("attached_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "db_table": "attachment",
                "default_permissions": (),
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("id", 1)), name="attachment_is_one")
                ],
            },
        ),
    ]
