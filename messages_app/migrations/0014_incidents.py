"""
Incidents, counts of failures by cell and minute, decisions of people, and the cell of each failed message.

Source: docs/contributing/decisions/0040-incidents.md.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models.functions import Now

from messages_app.migrations._operations import write_roles


class Migration(migrations.Migration):
    dependencies = [
        ("messages_app", "0013_archive_by_month"),
    ]

    operations = [
        migrations.CreateModel(
            name="FailureCell",
            fields=[
                ("cell_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("fingerprint", models.CharField(max_length=32, unique=True)),
                ("store", models.CharField(max_length=30)),
                ("service_name", models.CharField(max_length=100)),
                ("operation_name", models.CharField(max_length=100)),
                ("source_system", models.CharField(blank=True, max_length=100)),
                ("external_system", models.CharField(blank=True, max_length=200)),
                ("error_code", models.CharField(blank=True, max_length=30)),
                ("cause", models.CharField(blank=True, max_length=500)),
                ("group_id", models.BigIntegerField(null=True)),
                ("first_seen", models.DateTimeField()),
                ("last_seen", models.DateTimeField()),
            ],
            options={
                "db_table": "failure_cell",
                "default_permissions": (),
                "indexes": [
                    models.Index(
                        condition=models.Q(("group_id__isnull", False)),
                        fields=["group_id"],
                        name="failure_cell_group_idx",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="FailureCellMinute",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "cell_id", "minute", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("cell_id", models.BigIntegerField()),
                ("minute", models.DateTimeField()),
                ("failures", models.IntegerField()),
            ],
            options={
                "db_table": "failure_cell_minute",
                "default_permissions": (),
                "indexes": [
                    models.Index(
                        fields=["minute", "cell_id"], include=("failures",), name="failure_cell_minute_idx"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="FailureItem",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "store", "item_key", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("store", models.CharField(max_length=30)),
                ("item_key", models.CharField(max_length=200)),
                ("cell_id", models.BigIntegerField()),
                ("at", models.DateTimeField()),
            ],
            options={
                "db_table": "failure_item",
                "default_permissions": (),
                "indexes": [models.Index(fields=["cell_id", "at"], name="failure_item_cell_idx")],
            },
        ),
        migrations.CreateModel(
            name="Incident",
            fields=[
                ("incident_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("title", models.CharField(max_length=200)),
                ("state", models.CharField(default="open", max_length=10)),
                ("opened_at", models.DateTimeField(db_default=Now())),
                ("began_at", models.DateTimeField()),
                ("last_failure_at", models.DateTimeField()),
                ("closed_at", models.DateTimeField(null=True)),
                ("closed_by", models.CharField(blank=True, default="", max_length=150)),
                ("is_held_open", models.BooleanField(default=False)),
                ("external_system", models.CharField(blank=True, default="", max_length=200)),
                (
                    "services",
                    ArrayField(base_field=models.CharField(max_length=100), default=list, size=None),
                ),
                (
                    "error_codes",
                    ArrayField(base_field=models.CharField(max_length=30), default=list, size=None),
                ),
                ("failures", models.BigIntegerField(default=0)),
                ("affected", models.BigIntegerField(default=0)),
                ("owner", models.CharField(blank=True, default="", max_length=150)),
                ("note", models.TextField(blank=True, default="")),
                ("acknowledged_at", models.DateTimeField(null=True)),
                ("acknowledged_by", models.CharField(blank=True, default="", max_length=150)),
                ("merged_into", models.BigIntegerField(null=True)),
                ("is_merged_by_person", models.BooleanField(default=False)),
                ("key_service", models.CharField(blank=True, default="", max_length=100)),
                ("key_sender", models.CharField(blank=True, default="", max_length=100)),
                ("key_text", models.CharField(blank=True, default="", max_length=500)),
            ],
            options={
                "db_table": "incident",
                "default_permissions": ("change",),
                "indexes": [
                    models.Index(fields=["state", "incident_id"], name="incident_state_idx"),
                    models.Index(
                        condition=models.Q(("closed_at__isnull", False)),
                        fields=["closed_at"],
                        name="incident_closed_idx",
                    ),
                    models.Index(
                        condition=models.Q(("owner", ""), _negated=True),
                        fields=["owner", "incident_id"],
                        name="incident_owner_idx",
                    ),
                    models.Index(
                        condition=models.Q(("external_system", ""), _negated=True),
                        fields=["external_system", "incident_id"],
                        name="incident_system_idx",
                    ),
                    models.Index(
                        condition=models.Q(("merged_into__isnull", False)),
                        fields=["merged_into"],
                        name="incident_merged_idx",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="IncidentCell",
            fields=[
                ("range_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("incident_id", models.BigIntegerField()),
                ("cell_id", models.BigIntegerField()),
                ("first", models.DateTimeField()),
                ("last", models.DateTimeField()),
                ("reason", models.CharField(max_length=20)),
                ("strength", models.CharField(max_length=10)),
                ("pinned_by", models.CharField(blank=True, default="", max_length=150)),
                ("origin_id", models.BigIntegerField()),
            ],
            options={
                "db_table": "incident_cell",
                "default_permissions": (),
                "indexes": [
                    models.Index(fields=["cell_id", "first"], name="incident_cell_cell_idx"),
                    models.Index(fields=["incident_id", "cell_id"], name="incident_cell_incident_idx"),
                ],
            },
        ),
        migrations.CreateModel(
            name="IncidentDecision",
            fields=[
                ("decision_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("decision", models.CharField(max_length=10)),
                ("incident_id", models.BigIntegerField()),
                ("cell_id", models.BigIntegerField(null=True)),
                ("other_id", models.BigIntegerField(null=True)),
                ("decided_by", models.CharField(max_length=150)),
                ("decided_at", models.DateTimeField(db_default=Now())),
                ("reason", models.CharField(blank=True, max_length=1000)),
            ],
            options={
                "db_table": "incident_decision",
                "default_permissions": (),
                "indexes": [models.Index(fields=["cell_id"], name="incident_decision_cell_idx")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("cell_id__isnull", False)),
                        fields=("incident_id", "cell_id"),
                        name="uq_decision_cell",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("other_id__isnull", False)),
                        fields=("incident_id", "other_id"),
                        name="uq_decision_pair",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="IncidentMessage",
            fields=[
                ("msg_id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("incident_id", models.BigIntegerField()),
                ("decided_by", models.CharField(max_length=150)),
                ("decided_at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "db_table": "incident_message",
                "default_permissions": (),
                "indexes": [
                    models.Index(fields=["incident_id", "msg_id"], name="incident_message_incident_idx")
                ],
            },
        ),
        migrations.CreateModel(
            name="IncidentPass",
            fields=[
                ("id", models.SmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("counted", models.BigIntegerField(default=0)),
                ("gathered", models.BigIntegerField(default=0)),
                ("started_at", models.DateTimeField(db_default=Now())),
                ("gathered_at", models.DateTimeField(null=True)),
            ],
            options={
                "db_table": "incident_pass",
                "default_permissions": (),
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("id", 1)), name="incident_pass_is_one")
                ],
            },
        ),
        migrations.AddField(
            model_name="failuremember",
            name="cell_id",
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddIndex(
            model_name="failuremember",
            index=models.Index(
                condition=models.Q(("cell_id__isnull", False)),
                fields=["cell_id", "msg_id"],
                include=("at",),
                name="failure_member_cell_idx",
            ),
        ),
        write_roles(),
    ]
