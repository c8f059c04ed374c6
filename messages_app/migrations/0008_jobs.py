"""Jobs with their frozen items, refusals and ledger, and schedules."""

from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Now

from messages_app.migrations._operations import run_sql


class Migration(migrations.Migration):
    dependencies = [
        ("messages_app", "0007_cp_queue"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Job",
            fields=[
                ("job_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("kind", models.CharField(max_length=20)),
                ("state", models.CharField(default="planning", max_length=10)),
                ("filter", models.JSONField(default=dict)),
                ("options", models.JSONField(default=dict)),
                ("dry_run", models.BooleanField(default=False)),
                ("reason", models.CharField(max_length=1000)),
                ("watermark", models.DateTimeField(db_default=Now())),
                ("cutoff", models.DateTimeField(null=True)),
                ("last_msg_id", models.BigIntegerField(null=True)),
                ("chunk_count", models.IntegerField(null=True)),
                ("created_by", models.CharField(max_length=150)),
                ("created_at", models.DateTimeField(db_default=Now())),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("attempt", models.IntegerField(default=0)),
                ("heartbeat_at", models.DateTimeField(null=True)),
                ("lease_until", models.DateTimeField(null=True)),
                ("rate", models.FloatField(null=True)),
                ("report", models.JSONField(default=dict)),
                ("error", models.TextField(blank=True)),
                ("paced_until", models.DateTimeField(null=True)),
                ("paused_for", models.CharField(blank=True, max_length=20)),
                ("undo_of", models.BigIntegerField(null=True)),
                ("retry_of", models.BigIntegerField(null=True)),
                ("paused_at", models.DateTimeField(null=True)),
                ("resumed_attempt", models.IntegerField(db_default=0)),
                ("step", models.CharField(blank=True, db_default="", max_length=20)),
                ("creator_id", models.BigIntegerField(null=True)),
                ("is_end_noted", models.BooleanField(db_default=False, default=False)),
            ],
            options={
                "db_table": "job",
                "permissions": [("archive_messages", "Can archive messages")],
                "default_permissions": ("view",),
                "indexes": [
                    models.Index(
                        "lease_until",
                        condition=models.Q(state__in=["planning", "queued", "running", "stopping"]),
                        name="job_live_idx",
                    ),
                    models.Index(
                        condition=models.Q(state="paused"), fields=["paused_for"], name="job_paused_idx"
                    ),
                    models.Index(
                        condition=models.Q(undo_of__isnull=False), fields=["undo_of"], name="job_undo_idx"
                    ),
                    models.Index(
                        condition=models.Q(retry_of__isnull=False), fields=["retry_of"], name="job_retry_idx"
                    ),
                    models.Index(
                        condition=models.Q(paused_for="second_person", state="planned"),
                        fields=["paused_at"],
                        name="job_undecided_idx",
                    ),
                    models.Index("state", "job_id", name="job_state_idx"),
                    models.Index("kind", "job_id", name="job_kind_idx"),
                    models.Index(
                        condition=models.Q(finished_at__isnull=False),
                        fields=["finished_at"],
                        name="job_finished_idx",
                    ),
                    models.Index(
                        condition=models.Q(finished_at__isnull=False, is_end_noted=False),
                        fields=["job_id"],
                        name="job_end_idx",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(
                            dry_run=False,
                            kind="archive",
                            state__in=["paused", "planned", "planning", "queued", "running", "stopping"],
                        ),
                        fields=("kind",),
                        name="uq_one_active_archive",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(
                            state__in=["paused", "planned", "planning", "queued", "running", "stopping"]
                        ),
                        fields=("undo_of",),
                        name="uq_one_active_undo",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="JobChunk",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "job_id", "chunk_no", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("job_id", models.BigIntegerField()),
                ("chunk_no", models.IntegerField()),
                ("content", models.CharField(max_length=20)),
                ("planned", models.IntegerField()),
                ("orphan_ids", models.JSONField(null=True)),
                ("attempt", models.IntegerField(null=True)),
                ("outcomes", models.JSONField(default=dict)),
                ("moved", models.JSONField(default=dict)),
                ("committed_at", models.DateTimeField(null=True)),
                ("done_through", models.BigIntegerField(null=True)),
                ("new_state", models.CharField(max_length=15, null=True)),
                ("versions", models.JSONField(default=list)),
                ("began_at", models.DateTimeField(null=True)),
            ],
            options={"db_table": "job_chunk"},
        ),
        migrations.CreateModel(
            name="JobItem",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "job_id",
                        "chunk_no",
                        "msg_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("job_id", models.BigIntegerField()),
                ("msg_id", models.BigIntegerField()),
                ("chunk_no", models.IntegerField()),
                ("root_msg_id", models.BigIntegerField()),
                ("old_state", models.CharField(max_length=15)),
            ],
            options={
                "db_table": "job_item",
                "constraints": [
                    models.UniqueConstraint(fields=("msg_id", "job_id"), name="uq_item_once_a_job")
                ],
            },
        ),
        migrations.CreateModel(
            name="JobRefusal",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "job_id", "msg_id", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("job_id", models.BigIntegerField()),
                ("msg_id", models.BigIntegerField()),
                ("root_msg_id", models.BigIntegerField()),
                ("old_state", models.CharField(max_length=15)),
                ("outcome", models.CharField(max_length=60)),
            ],
            options={
                "db_table": "job_refusal",
                "indexes": [models.Index("job_id", "outcome", "msg_id", name="job_refusal_outcome_idx")],
            },
        ),
        migrations.CreateModel(
            name="LedgerRow",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "job_id",
                        "chunk_no",
                        "msg_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("job_id", models.BigIntegerField()),
                ("chunk_no", models.IntegerField()),
                ("msg_id", models.BigIntegerField()),
                ("root_msg_id", models.BigIntegerField()),
                ("old_state", models.CharField(max_length=15)),
                ("new_state", models.CharField(max_length=15, null=True)),
                ("outcome", models.CharField(max_length=60, null=True)),
                ("chunk_has_done", models.BooleanField()),
            ],
            options={"db_table": "job_ledger", "managed": False, "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="JobSchedule",
            fields=[
                ("schedule_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("kind", models.CharField(max_length=20)),
                ("filter", models.JSONField(default=dict)),
                ("options", models.JSONField(default=dict)),
                ("reason", models.CharField(max_length=1000)),
                ("cron", models.CharField(max_length=200)),
                ("zone", models.CharField(max_length=64)),
                ("enabled", models.BooleanField(default=True)),
                (
                    "owner",
                    models.ForeignKey(
                        null=True, on_delete=models.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("created_by", models.CharField(max_length=150)),
                ("last_run_at", models.DateTimeField(null=True)),
                ("last_job", models.BigIntegerField(null=True)),
                ("last_outcome", models.CharField(blank=True, max_length=1000)),
            ],
            options={"db_table": "job_schedule", "default_permissions": ()},
        ),
        run_sql("job_ledger", reverse="DROP VIEW job_ledger"),
        run_sql("job_holding", reverse="DROP FUNCTION job_holding"),
    ]
