"""The message store with source definitions and records, and the lines and counts that triggers keep."""

from django.contrib.postgres.indexes import HashIndex
from django.db import migrations, models
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Now

from messages_app.migrations._operations import make_functions, run_sql


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0005_document_history")]

    operations = [
        migrations.CreateModel(
            name="MessageStore",
            fields=[
                (
                    "message_identifier",
                    models.CharField(db_collation="C", max_length=36, primary_key=True, serialize=False),
                ),
                ("source_system", models.CharField(max_length=255, null=True)),
                ("source_entity", models.CharField(max_length=255, null=True)),
                ("message_timestamp", models.DateTimeField(null=True)),
                ("effective_timestamp", models.DateTimeField(null=True)),
                ("user_name", models.CharField(max_length=255, null=True)),
                ("refresh", models.BooleanField(null=True)),
                ("options", models.TextField(null=True)),
                ("data", models.TextField(null=True)),
                ("file_path", models.CharField(max_length=1024, null=True)),
            ],
            options={
                "db_table": "message_store",
                "verbose_name_plural": "stored messages",
                "permissions": [
                    ("reprocess_messagestore", "Can reprocess, retry and release messages of the store"),
                    ("change_sourcedefinition", "Can change source definitions"),
                ],
                "default_permissions": ("view", "add"),
            },
        ),
        migrations.CreateModel(
            name="MessageProcess",
            fields=[
                (
                    "message_identifier",
                    models.CharField(db_collation="C", max_length=36, primary_key=True, serialize=False),
                ),
                ("status", models.IntegerField(null=True)),
                ("processed_timestamp", models.DateTimeField(null=True)),
                ("next_attempt_timestamp", models.DateTimeField(null=True)),
                ("error_message", models.CharField(max_length=255, null=True)),
            ],
            options={"db_table": "message_process", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="MessageHistory",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "message_identifier",
                        "processed_timestamp",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("message_identifier", models.CharField(db_collation="C", max_length=36)),
                ("processed_timestamp", models.DateTimeField(db_default=Now())),
                ("status", models.IntegerField(null=True)),
                ("error_message", models.CharField(max_length=255, null=True)),
                ("log_text", models.TextField(null=True)),
            ],
            options={"db_table": "message_history", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="ArchivedHistory",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "message_identifier",
                        "processed_timestamp",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("message_identifier", models.CharField(db_collation="C", max_length=36)),
                ("processed_timestamp", models.DateTimeField()),
                ("status", models.IntegerField(null=True)),
                ("error_message", models.CharField(max_length=255, null=True)),
                ("log_text", models.TextField(null=True)),
            ],
            options={"db_table": "archive_message_history", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="MessageLine",
            fields=[
                ("number", models.BigAutoField(primary_key=True, serialize=False)),
                ("message_identifier", models.CharField(db_collation="C", max_length=36, unique=True)),
                ("has_store", models.BooleanField(db_default=False)),
                ("has_process", models.BooleanField(db_default=False)),
                ("message_timestamp", models.DateTimeField()),
                ("source_system", models.CharField(db_collation="C", max_length=255, null=True)),
                ("source_entity", models.CharField(db_collation="C", max_length=255, null=True)),
                ("status", models.IntegerField(null=True)),
                ("next_attempt_timestamp", models.DateTimeField(null=True)),
                ("claimed_at", models.DateTimeField(null=True)),
                ("attempts", models.IntegerField(db_default=0)),
                ("abandoned", models.IntegerField(db_default=0)),
                ("last_started_at", models.DateTimeField(null=True)),
                ("last_ended_at", models.DateTimeField(null=True)),
                ("muted_at", models.DateTimeField(null=True)),
            ],
            options={
                "db_table": "message_line",
                "default_permissions": (),
                "indexes": [
                    models.Index("message_timestamp", "number", name="message_line_time_idx"),
                    models.Index("status", "message_timestamp", "number", name="message_line_status_idx"),
                    models.Index(
                        "source_system", "message_timestamp", "number", name="message_line_system_idx"
                    ),
                    models.Index(
                        "source_entity", "message_timestamp", "number", name="message_line_entity_idx"
                    ),
                    models.Index(
                        "claimed_at", condition=models.Q(status__in=[1, 3]), name="message_line_held_idx"
                    ),
                    models.Index(
                        "number",
                        condition=models.Q(has_store=False) | models.Q(has_process=False),
                        name="message_line_orphan_idx",
                    ),
                    models.Index(
                        "message_timestamp",
                        "message_identifier",
                        condition=models.Q(status=0) & models.Q(muted_at=None),
                        name="message_line_fresh_idx",
                    ),
                    models.Index(
                        "next_attempt_timestamp",
                        condition=models.Q(status=2) & models.Q(muted_at=None),
                        name="message_line_due_idx",
                    ),
                    models.Index(
                        "message_timestamp",
                        "number",
                        condition=models.Q(status__gte=20) & models.Q(muted_at=None),
                        name="message_line_error_idx",
                    ),
                    models.Index(
                        "message_timestamp",
                        "number",
                        condition=models.Q(muted_at__isnull=False),
                        name="message_line_muted_idx",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="MessageCount",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "source_system",
                        "source_entity",
                        "status",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("source_system", models.CharField(db_collation="C", max_length=255)),
                ("source_entity", models.CharField(db_collation="C", max_length=255)),
                ("status", models.IntegerField()),
                ("messages", models.BigIntegerField()),
            ],
            options={"db_table": "message_count", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="MessageCountChange",
            fields=[
                ("change_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("source_system", models.CharField(db_collation="C", max_length=255)),
                ("source_entity", models.CharField(db_collation="C", max_length=255)),
                ("status", models.IntegerField()),
                ("change", models.BigIntegerField()),
            ],
            options={"db_table": "message_count_change", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="SourceDefinition",
            fields=[
                ("definition_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("system", models.CharField(db_collation="C", max_length=255)),
                ("entity", models.CharField(db_collation="C", max_length=255)),
                ("json_schema", models.JSONField(default=dict)),
                ("key_fields", models.JSONField(default=list)),
                ("references", models.JSONField(default=dict)),
                ("children", models.JSONField(default=dict)),
                ("reader", models.CharField(blank=True, db_default="", max_length=100)),
                ("processor", models.CharField(blank=True, db_default="", max_length=100)),
                ("changed_at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "db_table": "source_definition",
                "default_permissions": (),
                "indexes": [models.Index("entity", name="source_definition_entity_idx")],
                "constraints": [
                    models.UniqueConstraint(fields=("system", "entity"), name="uq_source_definition")
                ],
            },
        ),
        migrations.CreateModel(
            name="TargetRecord",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "entity",
                        "record_key",
                        "valid_from",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("entity", models.CharField(db_collation="C", max_length=255)),
                ("record_key", models.CharField(db_collation="C", max_length=500)),
                ("valid_from", models.DateTimeField()),
                ("valid_to", models.DateTimeField(null=True)),
                ("data", models.JSONField()),
                ("source_message", models.CharField(db_collation="C", max_length=36)),
                ("message_timestamp", models.DateTimeField()),
            ],
            options={
                "db_table": "target_record",
                "default_permissions": (),
                "indexes": [
                    models.Index("source_message", name="target_record_message_idx"),
                    models.Index("entity", "valid_to", name="target_record_valid_idx"),
                    HashIndex(
                        KeyTransform("object_id", "data"),
                        condition=models.Q(valid_to=None),
                        name="target_record_object_idx",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(valid_to=None) | models.Q(valid_to__gte=models.F("valid_from")),
                        name="target_record_valid_ck",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="EntityRefresh",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "entity",
                        "effective_timestamp",
                        "source_message",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("entity", models.CharField(db_collation="C", max_length=255)),
                ("effective_timestamp", models.DateTimeField()),
                ("source_message", models.CharField(db_collation="C", max_length=36)),
                ("message_timestamp", models.DateTimeField()),
            ],
            options={"db_table": "entity_refresh", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="UnresolvedReference",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "message_identifier",
                        "entity",
                        "record_key",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("message_identifier", models.CharField(db_collation="C", max_length=36)),
                ("entity", models.CharField(db_collation="C", max_length=255)),
                ("record_key", models.CharField(db_collation="C", max_length=500)),
            ],
            options={
                "db_table": "unresolved_reference",
                "default_permissions": (),
                "indexes": [
                    models.Index("entity", "record_key", "message_identifier", name="unresolved_waiting_idx")
                ],
            },
        ),
        migrations.CreateModel(
            name="StoreTimeout",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "hour", "status", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("hour", models.DateTimeField()),
                ("status", models.IntegerField()),
                ("fired", models.IntegerField()),
            ],
            options={"db_table": "store_timeout", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="StoreSetting",
            fields=[
                (
                    "name",
                    models.CharField(db_collation="C", max_length=100, primary_key=True, serialize=False),
                ),
                ("value", models.FloatField()),
            ],
            options={"db_table": "store_setting", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="StoreScan",
            fields=[
                ("is_only", models.BooleanField(default=True, primary_key=True, serialize=False)),
                ("done_at", models.DateTimeField()),
            ],
            options={
                "db_table": "store_scan",
                "default_permissions": (),
                "constraints": [
                    models.CheckConstraint(condition=models.Q(is_only=True), name="store_scan_is_one")
                ],
            },
        ),
        run_sql("message_store_storage"),
        make_functions(
            "message_count_triggers",
            "message_count_added",
            "message_count_changed",
            "message_count_removed",
            area="store",
            raises_for_console=True,
        ),
        make_functions(
            "message_store_triggers",
            "message_line_of_store",
            "message_line_without_store",
            "message_line_of_process",
            "message_line_of_step",
            "message_line_without_process",
            "message_line_of_history",
            area="store",
            raises_for_console=True,
        ),
        make_functions("message_line_unmuted", "message_line_unmuted"),
    ]
