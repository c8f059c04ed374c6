"""The copies of the messages of a polled hub, and the position of the last poll."""

from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0013_cp_functions")]

    operations = [
        migrations.CreateModel(
            name="PolledMessage",
            fields=[
                ("msg_id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("receive_timestamp", models.DateTimeField()),
                ("last_process_timestamp", models.DateTimeField(null=True)),
                ("state", models.CharField(max_length=15)),
                ("service_name", models.CharField(max_length=30)),
                ("operation_name", models.CharField(max_length=100)),
                ("source_system", models.CharField(max_length=15)),
                ("failed_error_code", models.CharField(blank=True, max_length=5)),
            ],
            options={
                "db_table": "polled_message",
                "default_permissions": (),
                "indexes": [
                    models.Index(
                        condition=~models.Q(state="CANCEL") & ~models.Q(state="OK"),
                        fields=["msg_id"],
                        name="polled_message_open_idx",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Polling",
            fields=[
                ("id", models.SmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("front", models.BigIntegerField()),
                ("safe", models.BigIntegerField()),
                ("mark", models.BigIntegerField()),
                ("mark_xid", models.BigIntegerField()),
                ("changed_at", models.DateTimeField()),
                ("changed_id", models.BigIntegerField(default=0)),
                ("changed_safe", models.DateTimeField()),
                ("changed_mark", models.DateTimeField()),
                ("watched", models.BigIntegerField(default=0)),
                ("swept", models.BigIntegerField(default=0)),
                ("swept_at", models.DateTimeField(null=True)),
                ("started_at", models.DateTimeField(db_default=Now())),
                ("polled_at", models.DateTimeField(null=True)),
            ],
            options={
                "db_table": "polling",
                "default_permissions": (),
                "constraints": [models.CheckConstraint(condition=models.Q(("id", 1)), name="polling_is_one")],
            },
        ),
    ]
