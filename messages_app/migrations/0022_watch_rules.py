"""Watch rules and their alerts, and the hub's built-in one: docs/decisions/0010-watch-rules.md."""

from importlib import import_module

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q
from django.db.models.functions import Now

from messages_app.shared.hub_defaults import RESPONSE_ALERT_AFTER

write_roles = import_module("messages_app.migrations.0003_roles").write_roles


def write_built_in(apps, schema_editor) -> None:
    """
    Store the hub's WAITING_MSG_ALERT: one is too many.

    Source: docs/spec/cleverbus.md, "Built-in alert".
    """
    apps.get_model("messages_app", "WatchRule").objects.create(
        name="Waiting long for an answer",
        measure="present",
        state="WAITING_FOR_RES",
        older_than_seconds=int(RESPONSE_ALERT_AFTER.total_seconds()),
        limit=0,
        is_built_in=True,
    )


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0021_failure_groups")]

    operations = [
        migrations.CreateModel(
            name="WatchRule",
            fields=[
                ("rule_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=100, unique=True)),
                ("enabled", models.BooleanField(db_default=True, default=True)),
                ("measure", models.CharField(max_length=20)),
                ("state", models.CharField(blank=True, max_length=15)),
                ("service_name", models.CharField(blank=True, max_length=30)),
                ("operation_name", models.CharField(blank=True, max_length=100)),
                ("source_system", models.CharField(blank=True, max_length=15)),
                ("failed_error_code", models.CharField(blank=True, max_length=5)),
                (
                    "saved_view",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="messages_app.savedview",
                    ),
                ),
                ("window_minutes", models.IntegerField(db_default=15, default=15)),
                ("older_than_seconds", models.IntegerField(db_default=0, default=0)),
                ("at_least", models.IntegerField(db_default=20, default=20)),
                ("limit", models.FloatField()),
                ("quiet_minutes", models.IntegerField(db_default=30, default=30)),
                ("mail_to", models.JSONField(blank=True, default=list)),
                ("webhook_url", models.CharField(blank=True, max_length=500)),
                ("is_built_in", models.BooleanField(db_default=False, default=False, editable=False)),
                ("told_at", models.DateTimeField(editable=False, null=True)),
                ("checked_at", models.DateTimeField(editable=False, null=True)),
                ("value", models.FloatField(editable=False, null=True)),
                ("error", models.CharField(blank=True, editable=False, max_length=300)),
            ],
            options={"db_table": "watch_rule", "default_permissions": ("change",)},
        ),
        migrations.CreateModel(
            name="Alert",
            fields=[
                ("alert_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("opened_at", models.DateTimeField(db_default=Now())),
                ("closed_at", models.DateTimeField(null=True)),
                ("value", models.FloatField()),
                ("worst", models.FloatField()),
                ("is_quiet", models.BooleanField(default=False)),
                (
                    "rule",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="alerts",
                        to="messages_app.watchrule",
                    ),
                ),
            ],
            options={
                "db_table": "alert",
                "default_permissions": (),
                "indexes": [models.Index(fields=["opened_at"], name="alert_opened_idx")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("rule",), name="uq_alert_open_once", condition=Q(closed_at__isnull=True)
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="AlertNotice",
            fields=[
                ("notice_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("turn", models.CharField(max_length=10)),
                ("channel", models.CharField(max_length=10)),
                ("target", models.CharField(max_length=500)),
                ("attempts", models.IntegerField(db_default=0, default=0)),
                ("next_at", models.DateTimeField(db_default=Now(), null=True)),
                ("sent_at", models.DateTimeField(null=True)),
                ("error", models.CharField(blank=True, db_default="", default="", max_length=300)),
                (
                    "alert",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to="messages_app.alert",
                    ),
                ),
            ],
            options={
                "db_table": "alert_notice",
                "default_permissions": (),
                "indexes": [
                    models.Index(
                        fields=["next_at"], name="alert_notice_due_idx", condition=Q(next_at__isnull=False)
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("alert", "turn", "channel", "target"), name="uq_alert_notice_once"
                    )
                ],
            },
        ),
        migrations.RunPython(write_built_in, migrations.RunPython.noop),
        migrations.RunPython(write_roles, migrations.RunPython.noop),
    ]
