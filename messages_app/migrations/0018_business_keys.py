"""Business keys: definitions, values by month, the position of the pass, and the permission for keys."""

from django.db import migrations, models
from django.db.models import Q
from django.db.models.functions import Now

from messages_app.migrations._operations import run_sql, write_roles

_VALUES = migrations.CreateModel(
    name="BusinessKey",
    fields=[
        (
            "pk",
            models.CompositePrimaryKey(
                "definition_id",
                "value",
                "msg_id",
                "receive_timestamp",
                blank=True,
                editable=False,
                primary_key=True,
                serialize=False,
            ),
        ),
        ("definition_id", models.BigIntegerField()),
        ("value", models.CharField(db_collation="C", max_length=200)),
        ("msg_id", models.BigIntegerField()),
        ("receive_timestamp", models.DateTimeField()),
    ],
    options={
        "db_table": "business_key",
        "abstract": False,
        "default_permissions": (),
        "indexes": [models.Index(fields=["msg_id"], name="business_key_msg_idx")],
    },
)


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0017_failure_group_without_progress")]

    operations = [
        migrations.CreateModel(
            name="KeyDefinition",
            fields=[
                ("definition_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("service_name", models.CharField(max_length=30)),
                ("operation_name", models.CharField(max_length=100)),
                ("name", models.CharField(max_length=40)),
                ("path", models.CharField(max_length=300)),
                ("sensitive", models.BooleanField(db_default=False, default=False)),
                ("active", models.BooleanField(db_default=True, default=True)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("read", models.BigIntegerField(db_default=0, default=0, editable=False)),
                ("unreadable", models.BigIntegerField(db_default=0, default=0, editable=False)),
                ("missing", models.BigIntegerField(db_default=0, default=0, editable=False)),
                ("unusable", models.BigIntegerField(db_default=0, default=0, editable=False)),
                (
                    "problem",
                    models.CharField(blank=True, db_default="", default="", editable=False, max_length=300),
                ),
                ("problem_msg_id", models.BigIntegerField(editable=False, null=True)),
                ("problem_at", models.DateTimeField(editable=False, null=True)),
                ("deleted_at", models.DateTimeField(editable=False, null=True)),
            ],
            options={
                "db_table": "business_key_definition",
                "default_permissions": ("change",),
                "constraints": [
                    models.UniqueConstraint(
                        condition=Q(deleted_at__isnull=True),
                        fields=("service_name", "operation_name", "name", "path"),
                        name="uq_business_key_definition",
                    )
                ],
            },
        ),
        # Django cannot declare a table with partitions.
        migrations.SeparateDatabaseAndState(
            state_operations=[_VALUES],
            database_operations=[
                run_sql(
                    "business_key", reverse="DROP TABLE business_key; DROP FUNCTION make_business_key_month"
                )
            ],
        ),
        migrations.CreateModel(
            name="KeyPass",
            fields=[
                ("id", models.SmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("front", models.BigIntegerField()),
                ("safe", models.BigIntegerField()),
                ("mark", models.BigIntegerField()),
                ("mark_xid", models.BigIntegerField()),
                ("done_at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "db_table": "business_key_pass",
                "abstract": False,
                "default_permissions": (),
                "constraints": [
                    models.CheckConstraint(condition=Q(("id", 1)), name="business_key_pass_is_one")
                ],
            },
        ),
        migrations.CreateModel(
            name="ReadMessage",
            fields=[("msg_id", models.BigIntegerField(primary_key=True, serialize=False))],
            options={"db_table": "business_key_read", "abstract": False, "default_permissions": ()},
        ),
        write_roles(),
    ]
