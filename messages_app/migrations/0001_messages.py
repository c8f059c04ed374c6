"""The hub's tables of messages with its sequence and foreign keys, and the history of states."""

from django.db import migrations, models
from django.db.models.functions import Coalesce

from messages_app.migrations._operations import run_sql


class Migration(migrations.Migration):
    dependencies = []
    initial = True

    operations = [
        migrations.CreateModel(
            name="Message",
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
                "db_table": "message",
                "permissions": [
                    ("cancel_message", "Can cancel messages"),
                    ("restart_message", "Can restart messages"),
                    ("view_payload", "Can read payloads unmasked"),
                ],
                "default_permissions": ("view",),
                "indexes": [
                    models.Index(
                        "state", "msg_id", condition=~models.Q(state="OK"), name="message_state_idx"
                    ),
                    models.Index(
                        "state",
                        "receive_timestamp",
                        "msg_id",
                        condition=~models.Q(state="OK"),
                        name="message_state_received_idx",
                    ),
                    models.Index("msg_timestamp", "msg_id", name="message_msg_timestamp_idx"),
                    models.Index("last_process_timestamp", "msg_id", name="message_last_process_idx"),
                    models.Index(
                        Coalesce("last_process_timestamp", "receive_timestamp"),
                        "msg_id",
                        condition=models.Q(state__in=["CANCEL", "FAILED", "OK"]),
                        name="message_final_age_idx",
                    ),
                    models.Index("service_name", "msg_id", name="message_service_idx"),
                    models.Index("source_system", "msg_id", name="message_source_idx"),
                    models.Index("operation_name", "msg_id", name="message_operation_idx"),
                    models.Index(
                        "entity_type",
                        "msg_id",
                        condition=models.Q(entity_type__isnull=False),
                        name="message_entity_type_idx",
                    ),
                    models.Index(
                        "process_id",
                        "msg_id",
                        condition=models.Q(process_id__isnull=False),
                        name="message_process_idx",
                    ),
                    models.Index(
                        "object_id",
                        "msg_id",
                        condition=models.Q(object_id__isnull=False),
                        name="message_object_idx",
                    ),
                    models.Index(
                        "failed_error_code",
                        "msg_id",
                        condition=models.Q(failed_error_code__isnull=False),
                        name="message_error_idx",
                    ),
                    models.Index(
                        "funnel_value",
                        "msg_id",
                        condition=models.Q(funnel_value__isnull=False),
                        name="funnel_value_idx",
                    ),
                    models.Index(
                        "funnel_component_id",
                        "msg_id",
                        condition=models.Q(funnel_component_id__isnull=False),
                        name="message_component_idx",
                    ),
                    models.Index(
                        fields=["receive_timestamp", "msg_id"],
                        include=("state",),
                        name="message_received_idx",
                    ),
                    models.Index(
                        fields=["service_name", "receive_timestamp", "msg_id"],
                        include=("state",),
                        name="message_service_received_idx",
                    ),
                    models.Index(
                        "funnel_value",
                        "state",
                        "msg_timestamp",
                        "msg_id",
                        condition=models.Q(funnel_value__isnull=False)
                        & ~models.Q(state__in=["CANCEL", "OK"]),
                        name="message_open_value_idx",
                    ),
                    models.Index(
                        "funnel_component_id",
                        "state",
                        "msg_timestamp",
                        "msg_id",
                        condition=models.Q(funnel_component_id__isnull=False)
                        & ~models.Q(state__in=["CANCEL", "OK"]),
                        name="message_open_component_idx",
                    ),
                    models.Index(
                        "msg_timestamp",
                        "msg_id",
                        condition=models.Q(guaranteed_order=True) & ~models.Q(state__in=["CANCEL", "OK"]),
                        name="message_open_order_idx",
                    ),
                    models.Index(
                        "parent_msg_id",
                        "state",
                        "msg_id",
                        condition=models.Q(parent_msg_id__isnull=False) & ~models.Q(state="OK"),
                        name="message_open_child_idx",
                    ),
                    models.Index(
                        condition=models.Q(parent_msg_id__isnull=False),
                        fields=["parent_msg_id", "msg_id"],
                        include=("state",),
                        name="message_parent_idx",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("correlation_id", "source_system"), name="uq_correlation_system"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ExternalCall",
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
                "db_table": "external_call",
                "indexes": [
                    models.Index("msg_id", "call_id", name="external_call_msg_idx"),
                    models.Index("state", "call_id", condition=~models.Q(state="OK"), name="ext_state_idx"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("operation_name", "entity_id"), name="uq_ext_call_operation_entity_id"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Request",
            fields=[
                ("req_id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("msg_id", models.BigIntegerField(null=True)),
                ("res_join_id", models.CharField(max_length=100)),
                ("uri", models.CharField(max_length=400)),
                ("req_envelope", models.TextField()),
                ("req_timestamp", models.DateTimeField()),
            ],
            options={
                "db_table": "request",
                "indexes": [
                    models.Index(
                        "msg_id", "req_id", condition=models.Q(msg_id__isnull=False), name="request_msg_idx"
                    ),
                    models.Index(
                        "req_timestamp",
                        "req_id",
                        condition=models.Q(msg_id__isnull=True),
                        name="request_orphan_age_idx",
                    ),
                    models.Index("req_timestamp", "req_id", name="request_time_idx"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Response",
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
                "db_table": "response",
                "indexes": [
                    models.Index(
                        "req_id", "res_id", condition=models.Q(req_id__isnull=False), name="response_req_idx"
                    ),
                    models.Index(
                        "msg_id",
                        "res_id",
                        condition=models.Q(msg_id__isnull=False, req_id__isnull=True),
                        name="response_msg_idx",
                    ),
                    models.Index(
                        "res_timestamp",
                        "res_id",
                        condition=models.Q(req_id__isnull=True),
                        name="response_orphan_age_idx",
                    ),
                    models.Index("res_timestamp", "res_id", name="response_time_idx"),
                    models.Index("res_id", condition=models.Q(failed=True), name="response_failed_idx"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Funnel",
            fields=[
                ("funnel_id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("msg_id", models.BigIntegerField()),
                ("funnel_value", models.CharField(max_length=50)),
            ],
            options={
                "db_table": "funnel",
                "indexes": [
                    models.Index("msg_id", "funnel_id", name="funnel_msg_idx"),
                    models.Index("funnel_value", "msg_id", name="funnel_funnel_value_idx"),
                ],
            },
        ),
        migrations.CreateModel(
            name="MessageEvent",
            fields=[
                ("event_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("msg_id", models.BigIntegerField()),
                ("from_state", models.CharField(max_length=15)),
                ("to_state", models.CharField(max_length=15)),
                ("actor", models.CharField(max_length=150, null=True)),
                ("at", models.DateTimeField()),
            ],
            options={
                "db_table": "message_event",
                "indexes": [models.Index("msg_id", "event_id", name="message_event_msg_idx")],
            },
        ),
        run_sql("hub_links", reverse="DROP SEQUENCE hibernate_sequence CASCADE"),
    ]
