"""The archive tables, and the manifest of Parquet files with narrow columns of their messages."""

from django.db import migrations, models
from django.db.models.functions import Now

from messages_app.migrations._operations import run_sql


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0001_messages")]

    operations = [
        migrations.CreateModel(
            name="ArchiveMessage",
            fields=[
                ("msg_id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("correlation_id", models.CharField(max_length=100)),
                ("process_id", models.CharField(max_length=100, null=True)),
                ("msg_timestamp", models.DateTimeField()),
                ("receive_timestamp", models.DateTimeField()),
                ("service_name", models.CharField(max_length=30)),
                ("source_system", models.CharField(max_length=15)),
                ("state", models.CharField(max_length=15)),
                ("start_process_timestamp", models.DateTimeField(null=True)),
                ("object_id", models.CharField(max_length=50, null=True)),
                ("entity_type", models.CharField(max_length=30, null=True)),
                ("operation_name", models.CharField(max_length=100)),
                ("payload", models.TextField()),
                ("envelope", models.TextField(null=True)),
                ("failed_desc", models.TextField(null=True)),
                ("failed_error_code", models.CharField(max_length=5, null=True)),
                ("failed_count", models.IntegerField(db_default=0)),
                ("last_process_timestamp", models.DateTimeField(null=True)),
                ("custom_data", models.CharField(max_length=20000, null=True)),
                ("business_error", models.CharField(max_length=20000, null=True)),
                ("parent_msg_id", models.BigIntegerField(null=True)),
                ("funnel_value", models.CharField(max_length=50, null=True)),
                ("parent_binding_type", models.CharField(max_length=25, null=True)),
                ("guaranteed_order", models.BooleanField(db_default=False)),
                ("exclude_failed_state", models.BooleanField(db_default=False)),
                ("funnel_component_id", models.CharField(max_length=50, null=True)),
                ("node_id", models.BigIntegerField(null=True)),
                ("start_in_queue_timestamp", models.DateTimeField(null=True)),
            ],
            options={
                "db_table": "archive_message",
                "verbose_name_plural": "archived messages",
                "indexes": [
                    models.Index("correlation_id", name="archive_message_corr_idx"),
                    models.Index(
                        fields=["receive_timestamp", "msg_id"],
                        include=("state",),
                        name="archive_message_received_idx",
                    ),
                    models.Index(
                        "state", "msg_id", condition=~models.Q(state="OK"), name="archive_message_state_idx"
                    ),
                    models.Index(
                        "failed_error_code",
                        "msg_id",
                        condition=models.Q(failed_error_code__isnull=False),
                        name="archive_message_error_idx",
                    ),
                    models.Index(
                        "process_id",
                        "msg_id",
                        condition=models.Q(process_id__isnull=False),
                        name="archive_message_process_idx",
                    ),
                    models.Index(
                        "object_id",
                        "msg_id",
                        condition=models.Q(object_id__isnull=False),
                        name="archive_message_object_idx",
                    ),
                    models.Index(
                        "parent_msg_id",
                        condition=models.Q(
                            parent_msg_id__isnull=False, state__in=["FAILED", "PARTLY_FAILED"]
                        ),
                        name="archive_failed_child_idx",
                    ),
                    models.Index(
                        condition=models.Q(parent_msg_id__isnull=False),
                        fields=["parent_msg_id", "msg_id"],
                        include=("state",),
                        name="archive_message_parent_idx",
                    ),
                    models.Index(
                        "funnel_value",
                        "msg_id",
                        condition=models.Q(funnel_value__isnull=False),
                        name="archive_message_funnel_idx",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ArchiveExternalCall",
            fields=[
                ("call_id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("msg_id", models.BigIntegerField()),
                ("operation_name", models.CharField(max_length=100)),
                ("state", models.CharField(max_length=20)),
                ("entity_id", models.CharField(max_length=150)),
                ("msg_timestamp", models.DateTimeField()),
                ("creation_timestamp", models.DateTimeField()),
                ("last_update_timestamp", models.DateTimeField()),
                ("failed_count", models.IntegerField(db_default=0)),
            ],
            options={
                "db_table": "archive_external_call",
                "verbose_name_plural": "archived external calls",
                "indexes": [
                    models.Index("msg_id", name="archive_call_msg_idx"),
                    models.Index("entity_id", "call_id", name="archive_call_entity_idx"),
                ],
            },
        ),
        migrations.CreateModel(
            name="ArchiveRequest",
            fields=[
                ("req_id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("msg_id", models.BigIntegerField(null=True)),
                ("res_join_id", models.CharField(max_length=100)),
                ("uri", models.CharField(max_length=400)),
                ("req_envelope", models.TextField()),
                ("req_timestamp", models.DateTimeField()),
            ],
            options={
                "db_table": "archive_request",
                "verbose_name_plural": "archived requests",
                "indexes": [
                    models.Index(
                        "msg_id", condition=models.Q(msg_id__isnull=False), name="archive_request_msg_idx"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ArchiveResponse",
            fields=[
                ("res_id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("req_id", models.BigIntegerField(null=True)),
                ("res_envelope", models.TextField(null=True)),
                ("failed_reason", models.TextField(null=True)),
                ("res_timestamp", models.DateTimeField(null=True)),
                ("failed", models.BooleanField(db_default=False)),
                ("msg_id", models.BigIntegerField(null=True)),
            ],
            options={
                "db_table": "archive_response",
                "verbose_name_plural": "archived responses",
                "indexes": [
                    models.Index(
                        "req_id", condition=models.Q(req_id__isnull=False), name="archive_response_req_idx"
                    ),
                    models.Index(
                        "msg_id",
                        condition=models.Q(msg_id__isnull=False, req_id__isnull=True),
                        name="archive_response_msg_idx",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ArchiveFunnel",
            fields=[
                ("funnel_id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("msg_id", models.BigIntegerField()),
                ("funnel_value", models.CharField(max_length=50)),
            ],
            options={
                "db_table": "archive_funnel",
                "verbose_name_plural": "archived funnels",
                "indexes": [
                    models.Index("msg_id", name="archive_funnel_msg_idx"),
                    models.Index("funnel_value", "msg_id", name="archive_funnel_value_idx"),
                ],
            },
        ),
        migrations.CreateModel(
            name="ColdPart",
            fields=[
                ("part_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("job_id", models.BigIntegerField()),
                ("chunk_no", models.IntegerField()),
                ("content", models.CharField(max_length=20)),
                ("month", models.DateField()),
                ("kept", models.IntegerField()),
                ("restored", models.IntegerField(db_default=0)),
                ("restored_ids", models.JSONField(default=list)),
                ("written_at", models.DateTimeField(db_default=Now())),
                ("emptied_at", models.DateTimeField(null=True)),
            ],
            options={
                "db_table": "cold_part",
                "default_permissions": (),
                "indexes": [models.Index("job_id", "part_id", name="cold_part_job_idx")],
            },
        ),
        migrations.CreateModel(
            name="ColdFile",
            fields=[
                ("file_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("part_id", models.BigIntegerField()),
                ("table_name", models.CharField(max_length=63)),
                ("path", models.CharField(max_length=300)),
                ("rows", models.IntegerField()),
                ("first_id", models.BigIntegerField()),
                ("last_id", models.BigIntegerField()),
                ("bytes", models.BigIntegerField()),
                ("sha256", models.CharField(max_length=64)),
            ],
            options={
                "db_table": "cold_file",
                "default_permissions": (),
                "constraints": [
                    models.UniqueConstraint(fields=("part_id", "table_name"), name="uq_cold_file_of_part"),
                    models.UniqueConstraint(fields=("path",), name="uq_cold_file_path"),
                ],
            },
        ),
        migrations.CreateModel(
            name="ColdMessage",
            fields=[
                ("msg_id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("correlation_id", models.CharField(max_length=100)),
                ("process_id", models.CharField(max_length=100, null=True)),
                ("msg_timestamp", models.DateTimeField()),
                ("receive_timestamp", models.DateTimeField()),
                ("service_name", models.CharField(max_length=30)),
                ("source_system", models.CharField(max_length=15)),
                ("state", models.CharField(max_length=15)),
                ("start_process_timestamp", models.DateTimeField(null=True)),
                ("object_id", models.CharField(max_length=50, null=True)),
                ("entity_type", models.CharField(max_length=30, null=True)),
                ("operation_name", models.CharField(max_length=100)),
                ("failed_error_code", models.CharField(max_length=5, null=True)),
                ("failed_count", models.IntegerField(db_default=0)),
                ("last_process_timestamp", models.DateTimeField(null=True)),
                ("parent_msg_id", models.BigIntegerField(null=True)),
                ("funnel_value", models.CharField(max_length=50, null=True)),
                ("parent_binding_type", models.CharField(max_length=25, null=True)),
                ("guaranteed_order", models.BooleanField(db_default=False)),
                ("exclude_failed_state", models.BooleanField(db_default=False)),
                ("funnel_component_id", models.CharField(max_length=50, null=True)),
                ("node_id", models.BigIntegerField(null=True)),
                ("start_in_queue_timestamp", models.DateTimeField(null=True)),
                ("failed_summary", models.CharField(max_length=200, null=True)),
                ("part_id", models.BigIntegerField()),
            ],
            options={
                "db_table": "cold_message",
                "default_permissions": (),
                "indexes": [
                    models.Index("correlation_id", name="cold_message_corr_idx"),
                    models.Index(
                        fields=["receive_timestamp", "msg_id"],
                        include=("state",),
                        name="cold_message_received_idx",
                    ),
                    models.Index(
                        condition=models.Q(parent_msg_id__isnull=False),
                        fields=["parent_msg_id", "msg_id"],
                        include=("state",),
                        name="cold_message_parent_idx",
                    ),
                    models.Index(
                        "parent_msg_id",
                        condition=models.Q(
                            parent_msg_id__isnull=False, state__in=["FAILED", "PARTLY_FAILED"]
                        ),
                        name="cold_failed_child_idx",
                    ),
                    models.Index(
                        "process_id",
                        "msg_id",
                        condition=models.Q(process_id__isnull=False),
                        name="cold_message_process_idx",
                    ),
                    models.Index(
                        "object_id",
                        "msg_id",
                        condition=models.Q(object_id__isnull=False),
                        name="cold_message_object_idx",
                    ),
                    models.Index(
                        "funnel_value",
                        "msg_id",
                        condition=models.Q(funnel_value__isnull=False),
                        name="cold_message_funnel_idx",
                    ),
                ],
            },
        ),
        run_sql("archived_relative", reverse="DROP VIEW archived_relative"),
        run_sql("compression"),
    ]
