"""The CP queue, its reservations, retries and dispatches."""

from django.db import migrations, models
from django.db.models.functions import Now

from messages_app.cp_queue.models import BytesField
from messages_app.migrations._operations import run_sql


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0006_message_store")]

    operations = [
        migrations.CreateModel(
            name="CpMessage",
            fields=[
                (
                    "messageguid",
                    BytesField(db_collation="C", max_length=32, primary_key=True, serialize=False),
                ),
                ("queuename", BytesField(db_collation="C", max_length=128)),
                ("osid", models.IntegerField()),
                ("ostype", models.IntegerField()),
                ("created", models.DateTimeField()),
                ("lock_service", BytesField(db_collation="C", max_length=128, null=True)),
                ("checkguid", BytesField(db_collation="C", max_length=32, null=True)),
            ],
            options={
                "db_table": "oscpmqueue",
                "verbose_name_plural": "CP messages",
                "default_permissions": ("view",),
                "permissions": [
                    ("pull_cp_messages", "Can create, pull and dispatch CP messages"),
                    (
                        "steer_cp_messages",
                        "Can reset, send on, delete CP messages, dispatch for a dead service",
                    ),
                ],
                "indexes": [
                    models.Index(
                        "queuename",
                        "created",
                        "messageguid",
                        condition=models.Q(lock_service=None),
                        name="oscpmqueue_free_idx",
                    ),
                    models.Index("queuename", "osid", name="oscpmqueue_object_idx"),
                    models.Index(
                        "lock_service",
                        "queuename",
                        "created",
                        "messageguid",
                        condition=models.Q(lock_service__isnull=False),
                        name="oscpmqueue_lock_idx",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CpDeferred",
            fields=[
                (
                    "messageguid",
                    BytesField(db_collation="C", max_length=32, primary_key=True, serialize=False),
                ),
                ("queuename", BytesField(db_collation="C", max_length=128)),
                ("osid", models.IntegerField()),
                ("ostype", models.IntegerField()),
                ("created", models.DateTimeField()),
                ("lock_service", BytesField(db_collation="C", max_length=128, null=True)),
                ("checkguid", BytesField(db_collation="C", max_length=32, null=True)),
                ("not_before", models.DateTimeField(null=True)),
            ],
            options={"db_table": "cp_deferred", "managed": False, "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="CpReady",
            fields=[
                (
                    "messageguid",
                    BytesField(db_collation="C", max_length=32, primary_key=True, serialize=False),
                ),
                ("queuename", BytesField(db_collation="C", max_length=128)),
                ("osid", models.IntegerField()),
                ("ostype", models.IntegerField()),
                ("created", models.DateTimeField()),
                ("lock_service", BytesField(db_collation="C", max_length=128, null=True)),
                ("checkguid", BytesField(db_collation="C", max_length=32, null=True)),
            ],
            options={"db_table": "cp_ready", "managed": False, "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="CpRetry",
            fields=[
                (
                    "messageguid",
                    BytesField(db_collation="C", max_length=32, primary_key=True, serialize=False),
                ),
                ("attempts", models.IntegerField()),
            ],
            options={"db_table": "cp_retry", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="CpReservation",
            fields=[
                (
                    "messageguid",
                    BytesField(db_collation="C", max_length=32, primary_key=True, serialize=False),
                ),
                ("checkguid", BytesField(db_collation="C", max_length=32)),
                ("service", BytesField(db_collation="C", max_length=128)),
                ("reserved_at", models.DateTimeField(db_default=Now())),
                ("is_fenced", models.BooleanField()),
                ("collapsed", models.IntegerField()),
            ],
            options={
                "db_table": "cp_reservation",
                "default_permissions": (),
                "indexes": [models.Index("service", "reserved_at", name="cp_reservation_service_idx")],
            },
        ),
        migrations.CreateModel(
            name="CpService",
            fields=[
                ("service", BytesField(db_collation="C", max_length=128, primary_key=True, serialize=False)),
                ("first_poll", models.DateTimeField(db_default=Now())),
                ("last_poll", models.DateTimeField(db_default=Now())),
                ("queues", models.TextField()),
            ],
            options={"db_table": "cp_service", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="CpLostPickup",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "queuename",
                        "hour",
                        "service",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("queuename", BytesField(db_collation="C", max_length=128)),
                ("hour", models.DateTimeField()),
                ("service", BytesField(db_collation="C", max_length=128)),
                ("lost", models.IntegerField()),
            ],
            options={"db_table": "cp_lost_pickup", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="CpPause",
            fields=[
                (
                    "queuename",
                    BytesField(db_collation="C", max_length=128, primary_key=True, serialize=False),
                ),
                ("paused_at", models.DateTimeField(db_default=Now())),
                ("actor", models.CharField(max_length=150)),
                ("reason", models.CharField(blank=True, max_length=1000)),
            ],
            options={"db_table": "cp_pause", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="CpDispatch",
            fields=[
                ("dispatch_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("at", models.DateTimeField(db_default=Now())),
                ("messageguid", BytesField(db_collation="C", max_length=32)),
                ("queuename", BytesField(db_collation="C", max_length=128)),
                ("osid", models.IntegerField()),
                ("ostype", models.IntegerField()),
                ("created", models.DateTimeField()),
                ("service", BytesField(db_collation="C", max_length=128)),
                ("reason", models.CharField(max_length=1000)),
                ("outcome", models.CharField(max_length=10)),
                ("reserved_at", models.DateTimeField(null=True)),
                ("collapsed", models.IntegerField()),
                ("attempts", models.IntegerField()),
                ("actor", models.CharField(blank=True, max_length=150)),
            ],
            options={
                "db_table": "cp_dispatch",
                "default_permissions": (),
                "indexes": [
                    models.Index("queuename", "dispatch_id", name="cp_dispatch_queue_idx"),
                    models.Index("messageguid", name="cp_dispatch_guid_idx"),
                    models.Index("osid", "dispatch_id", name="cp_dispatch_object_idx"),
                    models.Index("service", "dispatch_id", name="cp_dispatch_service_idx"),
                ],
            },
        ),
        migrations.CreateModel(
            name="CpFence",
            fields=[
                ("fence_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("queuename", BytesField(db_collation="C", max_length=128)),
                ("low", models.DateTimeField(null=True)),
                ("high", models.DateTimeField(null=True)),
                ("checked_at", models.DateTimeField()),
                ("seconds", models.FloatField()),
            ],
            options={
                "db_table": "cp_fence",
                "default_permissions": (),
                "indexes": [models.Index("queuename", "fence_id", name="cp_fence_queue_idx")],
            },
        ),
        run_sql("cp_queue", reverse="DROP VIEW cp_ready; DROP TABLE cp_deferred"),
        run_sql("cp_queue_storage"),
    ]
