"""The archive in Parquet files: its manifest, and the narrow columns of each message that lies there."""

from django.db import migrations, models
from django.db.models.functions import Now

# A family may lie in the archive tables, in Parquet files, or in both: here its members are looked for.
_RELATIVES = """
CREATE VIEW archived_relative AS
SELECT msg_id, parent_msg_id, parent_binding_type, state, service_name, operation_name
  FROM archive_message
 UNION ALL
SELECT msg_id, parent_msg_id, parent_binding_type, state, service_name, operation_name
  FROM cold_message
"""


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0010_job_engine")]

    operations = [
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
                "indexes": [models.Index(models.F("job_id"), models.F("part_id"), name="cold_part_job_idx")],
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
                    models.Index(models.F("correlation_id"), name="cold_message_corr_idx"),
                    models.Index(
                        fields=["receive_timestamp", "msg_id"],
                        include=("state",),
                        name="cold_message_received_idx",
                    ),
                    models.Index(
                        fields=["parent_msg_id", "msg_id"],
                        include=("state",),
                        name="cold_message_parent_idx",
                        condition=models.Q(parent_msg_id__isnull=False),
                    ),
                    models.Index(
                        models.F("parent_msg_id"),
                        name="cold_failed_child_idx",
                        condition=models.Q(
                            ("parent_msg_id__isnull", False), ("state__in", ["FAILED", "PARTLY_FAILED"])
                        ),
                    ),
                ],
            },
        ),
        migrations.RunSQL(_RELATIVES, "DROP VIEW archived_relative"),
    ]
