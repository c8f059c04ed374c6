"""Tokens, sessions, limits, saved views, preferences, and the audit log."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models
from django.db.models.functions import Now

from messages_app.migrations._operations import make_functions, run_sql


def _ids() -> ArrayField:
    return ArrayField(base_field=models.BigIntegerField(), null=True, size=None)


class Migration(migrations.Migration):
    dependencies = [
        ("messages_app", "0002_archive"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                ("token_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=60)),
                ("key_sha256", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(db_default=Now())),
                ("expires_at", models.DateTimeField()),
                ("last_used_at", models.DateTimeField(null=True)),
                ("revoked_at", models.DateTimeField(null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="api_tokens", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("requests_per_minute", models.PositiveIntegerField(null=True)),
                ("scopes", ArrayField(base_field=models.CharField(max_length=200), null=True, size=None)),
            ],
            options={"db_table": "api_token", "verbose_name": "API token"},
        ),
        migrations.CreateModel(
            name="ScopedUser",
            fields=[],
            options={"default_permissions": (), "proxy": True},
            bases=("auth.user",),
        ),
        migrations.CreateModel(
            name="UserSession",
            fields=[
                ("session_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("key_sha256", models.CharField(max_length=64, unique=True)),
                ("data", models.TextField()),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="sessions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("password_digest", models.CharField(max_length=128)),
                ("began_at", models.DateTimeField(db_default=Now())),
                ("last_used_at", models.DateTimeField(db_default=Now())),
                ("ends_at", models.DateTimeField()),
                ("address", models.GenericIPAddressField(null=True)),
                ("browser", models.CharField(max_length=300)),
                ("revealed_until", models.DateTimeField(null=True)),
            ],
            options={
                "db_table": "user_session",
                "default_permissions": (),
                "indexes": [models.Index("ends_at", name="user_session_end_idx")],
            },
        ),
        migrations.CreateModel(
            name="LoginFailure",
            fields=[
                ("subject", models.CharField(max_length=80, primary_key=True, serialize=False)),
                ("failures", models.IntegerField()),
                ("last_at", models.DateTimeField()),
                ("blocked_until", models.DateTimeField(null=True)),
            ],
            options={
                "db_table": "login_failure",
                "default_permissions": (),
                "indexes": [models.Index("last_at", name="login_failure_age_idx")],
            },
        ),
        migrations.CreateModel(
            name="RequestWindow",
            fields=[
                ("caller", models.CharField(max_length=80, primary_key=True, serialize=False)),
                ("began_at", models.DateTimeField()),
                ("used", models.IntegerField()),
            ],
            options={"db_table": "request_window", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="IdempotencyKey",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=255)),
                ("request_sha256", models.CharField(max_length=64)),
                ("status", models.PositiveSmallIntegerField(null=True)),
                ("body", models.JSONField(null=True)),
                ("created_at", models.DateTimeField(db_default=Now())),
                ("user", models.ForeignKey(on_delete=models.CASCADE, to=settings.AUTH_USER_MODEL)),
            ],
            options={
                "db_table": "idempotency_key",
                "indexes": [models.Index("created_at", name="idempotency_age_idx")],
                "constraints": [
                    models.UniqueConstraint(fields=("user", "key"), name="uq_idempotency_user_key")
                ],
            },
        ),
        migrations.CreateModel(
            name="SavedView",
            fields=[
                ("view_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=60)),
                ("query", models.CharField(max_length=4000)),
                ("shared", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(db_default=Now())),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="saved_views", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "db_table": "saved_view",
                "default_permissions": ("change",),
                "indexes": [
                    models.Index("name", condition=models.Q(shared=True), name="saved_view_shared_idx")
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("owner", "name"), name="uq_saved_view_owner_name")
                ],
            },
        ),
        migrations.CreateModel(
            name="ListPreference",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=models.CASCADE,
                        primary_key=True,
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("columns", models.JSONField(default=list)),
                (
                    "density",
                    models.CharField(
                        choices=[("comfortable", "Comfortable"), ("compact", "Compact")],
                        default="comfortable",
                        max_length=11,
                    ),
                ),
            ],
            options={"db_table": "list_preference", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="FirstPageVisit",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=models.CASCADE,
                        primary_key=True,
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("here_at", models.DateTimeField()),
                ("before_at", models.DateTimeField(null=True)),
                ("guided_at", models.DateTimeField(null=True)),
            ],
            options={"db_table": "first_page_visit", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                ("entry_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("at", models.DateTimeField(db_default=Now())),
                ("actor", models.CharField(max_length=150)),
                ("token_name", models.CharField(blank=True, max_length=60)),
                ("address", models.GenericIPAddressField(null=True)),
                ("request_id", models.CharField(blank=True, max_length=36)),
                ("action", models.CharField(max_length=40)),
                (
                    "outcome",
                    models.CharField(choices=[("done", "Done"), ("refused", "Refused")], max_length=10),
                ),
                ("msg_id", models.BigIntegerField(null=True)),
                ("job_id", models.BigIntegerField(null=True)),
                ("before_state", models.CharField(blank=True, max_length=20)),
                ("after_state", models.CharField(blank=True, max_length=20)),
                ("reason", models.CharField(blank=True, max_length=1000)),
                ("details", models.JSONField(default=dict)),
                ("subject_kind", models.CharField(blank=True, db_default="", default="", max_length=20)),
                ("subject", models.CharField(blank=True, db_default="", default="", max_length=200)),
                ("actor_id", models.BigIntegerField(null=True)),
                ("transaction_id", models.BigIntegerField(null=True)),
            ],
            options={
                "db_table": "audit_entry",
                "default_permissions": ("view",),
                "indexes": [
                    models.Index(
                        "msg_id", "entry_id", condition=models.Q(msg_id__isnull=False), name="audit_msg_idx"
                    ),
                    models.Index(
                        "job_id", "entry_id", condition=models.Q(job_id__isnull=False), name="audit_job_idx"
                    ),
                    models.Index(
                        "subject_kind",
                        "subject",
                        "entry_id",
                        condition=~models.Q(subject=""),
                        name="audit_subject_idx",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditSeal",
            fields=[
                ("seal_id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("first_id", models.BigIntegerField()),
                ("last_id", models.BigIntegerField()),
                ("entries", models.IntegerField()),
                ("digest", models.CharField(max_length=64)),
                ("sealed_at", models.DateTimeField()),
                ("late", _ids()),
                ("gaps_from", _ids()),
                ("gaps_to", _ids()),
                ("open_transactions", _ids()),
            ],
            options={
                "db_table": "audit_seal",
                "default_permissions": (),
                "indexes": [
                    models.Index(
                        "seal_id", condition=models.Q(late__isnull=False), name="audit_seal_late_idx"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditTombstone",
            fields=[
                ("first_seal", models.BigIntegerField(primary_key=True, serialize=False)),
                ("last_seal", models.BigIntegerField()),
                ("first_id", models.BigIntegerField()),
                ("last_id", models.BigIntegerField()),
                ("entries", models.IntegerField()),
                ("digest", models.CharField(max_length=64)),
                ("made_at", models.DateTimeField()),
            ],
            options={"db_table": "audit_tombstone", "default_permissions": ()},
        ),
        run_sql("request_window"),
        AddConstraintNotValid(
            "auditentry",
            models.CheckConstraint(condition=models.Q(entry_id__gt=0), name="audit_entry_id_check"),
        ),
        run_sql("audit_mark", reverse="DROP TABLE audit_mark"),
        run_sql("audit_ids", reverse="DROP FUNCTION audit_last_id"),
        make_functions("audit_insert", "audit_entry_comes"),
        make_functions("audit", "audit_entry_stays", "audit_entry_goes"),
        make_functions("end_reveals", "end_reveals_of_users", "end_reveals_of_groups", "end_reveals_of_user"),
    ]
