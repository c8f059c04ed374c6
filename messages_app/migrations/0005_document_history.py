"""The document history, documents in doubt, and the open documents that triggers keep."""

from django.db import migrations, models
from django.db.models.functions import Now

from messages_app.document_history.models import new_trigger_id
from messages_app.migrations._operations import make_functions, run_sql


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0004_counts_and_failures")]

    operations = [
        migrations.CreateModel(
            name="DocumentTrigger",
            fields=[
                (
                    "trigger_id",
                    models.CharField(
                        db_collation="C",
                        default=new_trigger_id,
                        max_length=100,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("detect_duplicates", models.BooleanField(default=True)),
                ("use_history", models.BooleanField(default=True)),
                ("history_ttl_seconds", models.BigIntegerField(default=172800)),
                ("resolver", models.CharField(blank=True, max_length=100)),
                ("on_retry_failure", models.CharField(default="throw_exception", max_length=30)),
                ("suspended_at", models.DateTimeField(null=True)),
                ("suspended_because", models.CharField(blank=True, max_length=1000)),
                ("cleared_at", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField(db_default=Now())),
                ("deleted_at", models.DateTimeField(null=True)),
            ],
            options={
                "db_table": "document_trigger",
                "default_permissions": ("change",),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(history_ttl_seconds__gt=0), name="document_trigger_ttl_ck"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="DocumentHistory",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "trigger_id",
                        "document_uuid",
                        "status",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("trigger_id", models.CharField(db_collation="C", max_length=100)),
                ("document_uuid", models.CharField(db_collation="C", max_length=96)),
                ("status", models.CharField(db_collation="C", max_length=10)),
                ("time", models.DateTimeField()),
            ],
            options={
                "db_table": "document_history",
                "default_permissions": ("view",),
                "permissions": [
                    ("check_documents", "Can check and complete documents"),
                    ("take_documents", "Can take resubmitted documents with their contents"),
                    ("resolve_documents", "Can resubmit and settle documents in doubt"),
                    ("sweep_documents", "Can remove expired document history"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(status__in=["completed", "processing"]),
                        name="document_history_status_ck",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="HistoryLine",
            fields=[
                ("line_no", models.BigIntegerField(primary_key=True, serialize=False)),
                ("trigger_id", models.CharField(max_length=100)),
                ("document_uuid", models.CharField(max_length=96)),
                ("time", models.DateTimeField()),
                ("has_processing", models.BooleanField()),
                ("has_completed", models.BooleanField()),
            ],
            options={
                "db_table": "document_history_line",
                "managed": False,
                "default_permissions": (),
                "verbose_name_plural": "documents",
            },
        ),
        migrations.CreateModel(
            name="DocumentOpen",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "trigger_id",
                        "document_uuid",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("trigger_id", models.CharField(db_collation="C", max_length=100)),
                ("document_uuid", models.CharField(db_collation="C", max_length=96)),
                ("time", models.DateTimeField()),
                ("line_no", models.BigIntegerField()),
            ],
            options={
                "db_table": "document_open",
                "default_permissions": (),
                "indexes": [models.Index("trigger_id", "time", "line_no", name="document_open_age_idx")],
            },
        ),
        migrations.CreateModel(
            name="DocumentContent",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "trigger_id",
                        "document_uuid",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("trigger_id", models.CharField(db_collation="C", max_length=100)),
                ("document_uuid", models.CharField(db_collation="C", max_length=96)),
                ("sha256", models.CharField(max_length=64)),
                ("time", models.DateTimeField()),
            ],
            options={
                "db_table": "document_content",
                "default_permissions": (),
                "indexes": [models.Index("trigger_id", "time", name="document_content_time_idx")],
            },
        ),
        migrations.CreateModel(
            name="DocumentInDoubt",
            fields=[
                ("in_doubt_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("trigger_id", models.CharField(db_collation="C", max_length=100)),
                ("document_uuid", models.CharField(blank=True, db_collation="C", max_length=96)),
                ("identifier", models.CharField(blank=True, max_length=300)),
                ("document_name", models.CharField(blank=True, max_length=200)),
                ("redelivery_count", models.IntegerField(default=-1)),
                ("rule", models.CharField(max_length=30)),
                ("message", models.CharField(blank=True, max_length=1000)),
                ("document", models.JSONField(null=True)),
                ("deliveries", models.IntegerField(default=1)),
                ("received_at", models.DateTimeField(db_default=Now())),
                ("last_received_at", models.DateTimeField(db_default=Now())),
                ("state", models.CharField(default="open", max_length=12)),
                ("resolved_at", models.DateTimeField(null=True)),
                ("resolved_by", models.CharField(blank=True, max_length=150)),
                ("reason", models.CharField(blank=True, max_length=1000)),
                ("decided_start", models.DateTimeField(null=True)),
                ("taken_at", models.DateTimeField(null=True)),
                ("taken_by", models.CharField(blank=True, max_length=150)),
            ],
            options={
                "db_table": "document_in_doubt",
                "default_permissions": (),
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(state="open") & ~models.Q(document_uuid=""),
                        fields=("trigger_id", "document_uuid"),
                        name="uq_document_in_doubt",
                    )
                ],
                "indexes": [
                    models.Index("state", "in_doubt_id", name="document_in_doubt_state_idx"),
                    models.Index("trigger_id", "state", "in_doubt_id", name="document_in_doubt_trig_idx"),
                    models.Index(
                        "trigger_id",
                        "document_uuid",
                        condition=models.Q(state="settled"),
                        name="document_in_doubt_settled_idx",
                    ),
                    models.Index(
                        "trigger_id",
                        "in_doubt_id",
                        condition=models.Q(state="resubmitted", taken_at=None),
                        name="document_in_doubt_free_idx",
                    ),
                    models.Index("identifier", name="document_in_doubt_ident_idx"),
                ],
            },
        ),
        migrations.CreateModel(
            name="DocumentOutcome",
            fields=[
                ("outcome_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("trigger_id", models.CharField(db_collation="C", max_length=100)),
                ("document_name", models.CharField(blank=True, max_length=200)),
                ("identifier", models.CharField(blank=True, max_length=300)),
                ("status", models.CharField(max_length=10)),
                ("at", models.DateTimeField(db_default=Now())),
                ("redelivery_count", models.IntegerField(default=-1)),
                ("decided_by", models.CharField(max_length=20)),
                ("rule", models.CharField(max_length=30)),
                ("message", models.CharField(blank=True, max_length=1000)),
            ],
            options={
                "db_table": "document_outcome",
                "default_permissions": (),
                "indexes": [
                    models.Index("trigger_id", "at", "outcome_id", name="document_outcome_trigger_idx"),
                    models.Index(
                        "trigger_id",
                        "at",
                        condition=models.Q(status="DUPLICATE"),
                        name="document_outcome_twice_idx",
                    ),
                    models.Index(
                        "trigger_id",
                        "at",
                        condition=models.Q(status="IN_DOUBT"),
                        name="document_outcome_doubt_idx",
                    ),
                    models.Index("at", name="document_outcome_age_idx"),
                    models.Index("identifier", name="document_outcome_ident_idx"),
                ],
            },
        ),
        migrations.CreateModel(
            name="DocumentSweep",
            fields=[
                ("sweep_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("started_at", models.DateTimeField(db_default=Now())),
                ("finished_at", models.DateTimeField(null=True)),
                ("actor", models.CharField(max_length=150)),
                ("removed", models.BigIntegerField(default=0)),
                ("removed_by_trigger", models.JSONField(default=dict)),
                ("error", models.CharField(blank=True, max_length=1000)),
            ],
            options={"db_table": "document_sweep", "default_permissions": ()},
        ),
        run_sql("document_history_storage"),
        run_sql("document_line_no", reverse="DROP FUNCTION document_line_no CASCADE"),
        run_sql("document_history_line", reverse="DROP VIEW document_history_line"),
        make_functions(
            "document_triggers",
            "document_history_opened",
            "document_history_closed",
            "document_history_removed",
            area="documents",
            raises_for_console=True,
        ),
    ]
