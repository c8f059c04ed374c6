"""Counts of external calls, and the position of the pass that makes them."""

from django.db import migrations, models
from django.db.models.functions import Now

from messages_app.migrations._operations import run_sql


class Migration(migrations.Migration):
    dependencies = [
        ("messages_app", "0022_hub_of_keys"),
    ]

    operations = [
        run_sql("kept_call_minute", reverse="DROP FUNCTION kept_call_minute"),
        migrations.CreateModel(
            name="CallPass",
            fields=[
                ("id", models.SmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("front", models.BigIntegerField()),
                ("safe", models.BigIntegerField()),
                ("mark", models.BigIntegerField()),
                ("event_front", models.BigIntegerField()),
                ("event_safe", models.BigIntegerField()),
                ("event_mark", models.BigIntegerField()),
                ("mark_xid", models.BigIntegerField()),
                ("watched", models.BigIntegerField(db_default=0)),
                ("kept_from", models.DateTimeField()),
                ("started_at", models.DateTimeField(db_default=Now())),
                ("done_at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "db_table": "call_pass",
                "abstract": False,
                "default_permissions": (),
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("id", 1)), name="call_pass_is_one")
                ],
            },
        ),
        migrations.CreateModel(
            name="CallRollup",
            fields=[
                ("minute", models.DateTimeField()),
                ("service_name", models.CharField(max_length=30)),
                ("external_system", models.CharField(max_length=200)),
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "minute",
                        "service_name",
                        "external_system",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("succeeded", models.IntegerField()),
                ("failed", models.IntegerField()),
            ],
            options={
                "db_table": "call_rollup",
                "abstract": False,
                "default_permissions": (),
                "indexes": [
                    models.Index(fields=["service_name", "minute"], name="call_rollup_service_idx"),
                    models.Index(fields=["external_system", "minute"], name="call_rollup_system_idx"),
                ],
            },
        ),
        migrations.CreateModel(
            name="CallTook",
            fields=[
                ("minute", models.DateTimeField()),
                ("service_name", models.CharField(max_length=30)),
                ("external_system", models.CharField(max_length=200)),
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "minute",
                        "service_name",
                        "external_system",
                        "step",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("step", models.SmallIntegerField()),
                ("calls", models.IntegerField()),
            ],
            options={
                "db_table": "call_took",
                "abstract": False,
                "default_permissions": (),
                "indexes": [
                    models.Index(fields=["service_name", "minute"], name="call_took_service_idx"),
                    models.Index(fields=["external_system", "minute"], name="call_took_system_idx"),
                ],
            },
        ),
        migrations.CreateModel(
            name="CountedCall",
            fields=[
                ("call_id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("state", models.CharField(max_length=20)),
                ("updated_at", models.DateTimeField()),
            ],
            options={
                "db_table": "counted_call",
                "abstract": False,
                "default_permissions": (),
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "OK"), _negated=True),
                        fields=["call_id"],
                        name="counted_call_open_idx",
                    ),
                    models.Index(
                        condition=models.Q(("state", "OK")),
                        fields=["updated_at"],
                        name="counted_call_old_idx",
                    ),
                ],
            },
        ),
    ]
