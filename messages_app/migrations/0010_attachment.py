"""The hub that the console is attached to, and the function that finds the table behind a view."""

from django.db import migrations, models
from django.db.models.functions import Now

from messages_app.migrations._operations import run_sql


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0009_cp_functions")]

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
                ("attached_at", models.DateTimeField(db_default=Now())),
                ("has_indexes", models.BooleanField(db_default=False)),
                ("missing_grants", models.JSONField(null=True)),
            ],
            options={
                "db_table": "attachment",
                "default_permissions": (),
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("id", 1)), name="attachment_is_one")
                ],
            },
        ),
        run_sql("table_behind", reverse="DROP FUNCTION table_behind"),
    ]
