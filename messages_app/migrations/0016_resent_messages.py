"""Messages that were corrected and resent, and the permission for that."""

from django.db import migrations, models
from django.db.models.functions import Now

from messages_app.migrations._operations import run_sql, write_roles


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0015_deployments")]

    operations = [
        migrations.AlterModelOptions(
            name="message",
            options={
                "default_permissions": ("view",),
                "permissions": [
                    ("cancel_message", "Can cancel messages"),
                    ("restart_message", "Can restart messages"),
                    ("view_payload", "Can read payloads unmasked"),
                    ("edit_payload", "Can correct payloads and resend them"),
                ],
            },
        ),
        migrations.CreateModel(
            name="ResentMessage",
            fields=[
                ("original_id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("msg_id", models.BigIntegerField(unique=True)),
                ("job_id", models.BigIntegerField(null=True)),
                ("resent_at", models.DateTimeField(db_default=Now())),
            ],
            options={"db_table": "resent_message", "default_permissions": ()},
        ),
        run_sql("next_hub_id", reverse="DROP FUNCTION next_hub_id(); DROP FUNCTION hub_sequence()"),
        run_sql("job_holding_resend"),
        write_roles(),
    ]
