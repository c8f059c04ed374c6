"""
Counts by minute, failure groups, watch rules and alerts, and the triggers on `message` that feed them.

Source: docs/contributing/decisions/0008-rollups.md; docs/contributing/decisions/0009-failure-groups.md;
docs/contributing/decisions/0010-watch-rules.md.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models.functions import Now

from messages_app.migrations._operations import make_functions, run_sql


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0003_access_and_audit")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[run_sql("message_change", reverse="DROP TABLE message_change CASCADE")],
            state_operations=[
                migrations.CreateModel(
                    name="MessageChange",
                    fields=[
                        (
                            "pk",
                            models.CompositePrimaryKey(
                                "minute",
                                "state",
                                "service_name",
                                blank=True,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        ("minute", models.DateTimeField()),
                        ("state", models.CharField(max_length=15)),
                        ("service_name", models.CharField(max_length=30)),
                        ("operation_name", models.CharField(max_length=100)),
                        ("source_system", models.CharField(max_length=15)),
                        ("failed_error_code", models.CharField(max_length=5, null=True)),
                        ("present", models.IntegerField()),
                        ("entered", models.IntegerField()),
                        ("took", ArrayField(base_field=models.SmallIntegerField(), null=True, size=None)),
                        ("received_at", models.DateTimeField(null=True)),
                        ("at", models.DateTimeField(null=True)),
                        ("old_minute", models.DateTimeField(null=True)),
                        ("old_state", models.CharField(max_length=15, null=True)),
                        ("old_service_name", models.CharField(max_length=30, null=True)),
                        ("old_operation_name", models.CharField(max_length=100, null=True)),
                        ("old_source_system", models.CharField(max_length=15, null=True)),
                        ("old_failed_error_code", models.CharField(max_length=5, null=True)),
                    ],
                    options={"db_table": "message_change", "default_permissions": ()},
                ),
            ],
        ),
        migrations.CreateModel(
            name="MessageRollup",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "minute",
                        "state",
                        "service_name",
                        "operation_name",
                        "source_system",
                        "failed_error_code",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("minute", models.DateTimeField()),
                ("state", models.CharField(max_length=15)),
                ("service_name", models.CharField(max_length=30)),
                ("operation_name", models.CharField(max_length=100)),
                ("source_system", models.CharField(max_length=15)),
                ("failed_error_code", models.CharField(max_length=5)),
                ("present", models.IntegerField()),
                ("entered", models.IntegerField()),
            ],
            options={
                "db_table": "message_rollup",
                "default_permissions": (),
                "indexes": [
                    models.Index(
                        condition=~models.Q(state="OK") & ~models.Q(present=0),
                        fields=["state", "minute"],
                        include=("present",),
                        name="message_rollup_present_idx",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="MessageTook",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "minute",
                        "service_name",
                        "step",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("minute", models.DateTimeField()),
                ("service_name", models.CharField(max_length=30)),
                ("step", models.SmallIntegerField()),
                ("messages", models.IntegerField()),
            ],
            options={"db_table": "message_took", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="MessageGauge",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "minute", "state", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("minute", models.DateTimeField()),
                ("state", models.CharField(blank=True, max_length=15)),
                ("messages", models.IntegerField()),
                ("long", models.IntegerField()),
                ("since", models.DateTimeField(null=True)),
            ],
            options={"db_table": "message_gauge", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="RollupPass",
            fields=[
                ("name", models.CharField(max_length=20, primary_key=True, serialize=False)),
                ("done_at", models.DateTimeField(db_default=Now())),
                ("rows", models.BigIntegerField(db_default=0)),
            ],
            options={"db_table": "rollup_pass", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="NewFailure",
            fields=[
                ("failure_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("msg_id", models.BigIntegerField()),
                ("at", models.DateTimeField()),
                ("service_name", models.CharField(max_length=30)),
                ("operation_name", models.CharField(max_length=100)),
                ("failed_error_code", models.CharField(max_length=5)),
                ("text", models.TextField()),
            ],
            options={"db_table": "new_failure", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="FailureGroup",
            fields=[
                ("group_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("fingerprint", models.CharField(max_length=32, unique=True)),
                ("service_name", models.CharField(max_length=30)),
                ("operation_name", models.CharField(max_length=100)),
                ("failed_error_code", models.CharField(blank=True, max_length=5)),
                ("summary", models.CharField(max_length=500)),
                ("example", models.CharField(max_length=500)),
                ("failures", models.BigIntegerField(default=0)),
                ("first_seen", models.DateTimeField()),
                ("last_seen", models.DateTimeField()),
                ("state", models.CharField(default="new", max_length=10)),
                ("state_at", models.DateTimeField(db_default=Now())),
                ("snoozed_until", models.DateTimeField(null=True)),
                ("owner", models.CharField(blank=True, default="", max_length=150)),
                ("ticket", models.CharField(blank=True, default="", max_length=200)),
                ("note", models.TextField(blank=True, default="")),
                ("regroup_below", models.BigIntegerField(null=True)),
            ],
            options={
                "db_table": "failure_group",
                "default_permissions": ("change",),
                "indexes": [
                    models.Index(
                        condition=models.Q(state__in=["new", "regressed"]),
                        fields=["state_at"],
                        name="failure_group_pressing_idx",
                    ),
                    models.Index(
                        condition=models.Q(state="snoozed"),
                        fields=["snoozed_until"],
                        name="failure_group_snoozed_idx",
                    ),
                    models.Index(fields=["last_seen", "group_id"], name="failure_group_last_idx"),
                    models.Index(
                        condition=models.Q(regroup_below__isnull=False),
                        fields=["group_id"],
                        name="failure_group_regroup_idx",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="FailureMinute",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "group_id", "minute", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("group_id", models.BigIntegerField()),
                ("minute", models.DateTimeField()),
                ("failures", models.IntegerField()),
            ],
            options={
                "db_table": "failure_minute",
                "default_permissions": (),
                "indexes": [
                    models.Index(
                        fields=["minute", "group_id"], include=("failures",), name="failure_minute_idx"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="FailureMember",
            fields=[
                ("msg_id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("group_id", models.BigIntegerField()),
                ("at", models.DateTimeField()),
            ],
            options={
                "db_table": "failure_member",
                "default_permissions": (),
                "indexes": [models.Index(fields=["group_id", "msg_id"], name="failure_member_group_idx")],
            },
        ),
        migrations.CreateModel(
            name="ErrorCode",
            fields=[
                ("code", models.CharField(max_length=5, primary_key=True, serialize=False)),
                ("description", models.CharField(max_length=200)),
                ("action", models.TextField(blank=True, verbose_name="recommended action")),
                ("is_own", models.BooleanField(default=False, editable=False, verbose_name="the hub's own")),
            ],
            options={
                "db_table": "error_code",
                "verbose_name": "error code",
                "ordering": ["code"],
                "default_permissions": ("add", "change", "delete", "view"),
            },
        ),
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
                        on_delete=models.SET_NULL,
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
                        on_delete=models.CASCADE, related_name="alerts", to="messages_app.watchrule"
                    ),
                ),
            ],
            options={
                "db_table": "alert",
                "default_permissions": (),
                "indexes": [models.Index(fields=["opened_at"], name="alert_opened_idx")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(closed_at__isnull=True),
                        fields=("rule",),
                        name="uq_alert_open_once",
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
                        on_delete=models.CASCADE, related_name="notices", to="messages_app.alert"
                    ),
                ),
            ],
            options={
                "db_table": "alert_notice",
                "default_permissions": (),
                "indexes": [
                    models.Index(
                        condition=models.Q(next_at__isnull=False),
                        fields=["next_at"],
                        name="alert_notice_due_idx",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("alert", "turn", "channel", "target"), name="uq_alert_notice_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="TriggerGap",
            fields=[
                ("gap_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("area", models.CharField(max_length=20)),
                ("sqlstate", models.CharField(max_length=5)),
                ("reason", models.CharField(max_length=300)),
                ("first_at", models.DateTimeField()),
                ("last_at", models.DateTimeField()),
                ("statements", models.BigIntegerField()),
            ],
            options={"db_table": "trigger_gap", "default_permissions": ()},
        ),
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
        run_sql("counts_storage"),
        run_sql("count_functions", reverse="DROP FUNCTION kept_minute, took_step"),
        run_sql("parts_of_change", reverse="DROP FUNCTION parts_of_change"),
        run_sql("trigger_gap_lost", reverse="DROP SEQUENCE trigger_gap_lost"),
        make_functions("trigger_gaps", "note_trigger_gap", "lost_trigger_gaps"),
        run_sql("grant_lost_gaps"),
        run_sql("failure_excerpt", reverse="DROP FUNCTION failure_excerpt, lines_before_frames"),
        make_functions(
            "message_functions",
            "note_updated_messages",
            "note_inserted_messages",
            "note_deleted_messages",
            "note_truncated_messages",
            area="messages",
        ),
        run_sql("message_triggers"),
    ]
