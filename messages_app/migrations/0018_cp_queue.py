from importlib import import_module

from django.db import migrations, models
from django.db.models.functions import Now

from messages_app.cp_queue.models import BytesField

# Every role has a permission more, on tables that this migration makes.
write_roles = import_module("messages_app.migrations.0003_roles").write_roles


def _guid(**options: object) -> models.CharField:
    return BytesField(max_length=32, db_collation="C", **options)


def _name(**options: object) -> models.CharField:
    return BytesField(max_length=128, db_collation="C", **options)


def _message_columns() -> list[tuple[str, models.Field]]:
    return [
        ("messageguid", _guid(primary_key=True, serialize=False)),
        ("queuename", _name()),
        ("osid", models.IntegerField()),
        ("ostype", models.IntegerField()),
        ("created", models.DateTimeField()),
        ("lock_service", _name(null=True)),
        ("checkguid", _guid(null=True)),
    ]


# Free messages that wait after a retry. A child table has the parent's columns, but none of its keys and
# indexes.
_DEFERRED = """
CREATE TABLE cp_deferred (
    not_before timestamptz,
    PRIMARY KEY (messageguid)
) INHERITS (oscpmqueue);
CREATE INDEX cp_deferred_due_idx ON cp_deferred (queuename, not_before);
CREATE INDEX cp_deferred_free_idx ON cp_deferred (queuename, created, messageguid);
CREATE INDEX cp_deferred_object_idx ON cp_deferred (queuename, osid);
-- Of those that others reserved without us: none, as a rule.
CREATE INDEX cp_deferred_lock_idx ON cp_deferred (lock_service, queuename, created, messageguid)
 WHERE lock_service IS NOT NULL;
"""

_READY = "CREATE VIEW cp_ready AS SELECT * FROM ONLY oscpmqueue"

# Every message that goes through leaves two dead rows, and their index entries stand where the next pickup
# looks. So the table is vacuumed soon and at full speed, and its indexes each time: as a rule those wait
# until two in a hundred pages have dead rows.
_VACUUM = """
ALTER TABLE oscpmqueue SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
                            autovacuum_vacuum_cost_delay = 0, vacuum_index_cleanup = on);
ALTER TABLE cp_deferred SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
                             autovacuum_vacuum_cost_delay = 0, vacuum_index_cleanup = on);
ALTER TABLE cp_reservation SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
ALTER TABLE cp_service SET (fillfactor = 50);
ALTER TABLE cp_lost_pickup SET (fillfactor = 50);
"""


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0017_message_store")]

    operations = [
        migrations.CreateModel(
            name="CpMessage",
            fields=_message_columns(),
            options={
                "db_table": "oscpmqueue",
                "default_permissions": ("view",),
                "permissions": [
                    ("pull_cp_messages", "Can create, pull and dispatch CP messages"),
                    (
                        "steer_cp_messages",
                        "Can reset, send on, delete CP messages, dispatch for a dead service",
                    ),
                ],
                "indexes": [
                    models.Index(
                        "queuename",
                        "created",
                        "messageguid",
                        condition=models.Q(("lock_service", None)),
                        name="oscpmqueue_free_idx",
                    ),
                    models.Index("queuename", "osid", name="oscpmqueue_object_idx"),
                    models.Index(
                        "lock_service",
                        "queuename",
                        "created",
                        "messageguid",
                        condition=models.Q(("lock_service__isnull", False)),
                        name="oscpmqueue_lock_idx",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CpDeferred",
            fields=[*_message_columns(), ("not_before", models.DateTimeField(null=True))],
            options={"db_table": "cp_deferred", "managed": False, "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="CpReady",
            fields=_message_columns(),
            options={"db_table": "cp_ready", "managed": False, "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="CpRetry",
            fields=[
                ("messageguid", _guid(primary_key=True, serialize=False)),
                ("attempts", models.IntegerField()),
            ],
            options={"db_table": "cp_retry", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="CpReservation",
            fields=[
                ("messageguid", _guid(primary_key=True, serialize=False)),
                ("checkguid", _guid()),
                ("service", _name()),
                ("reserved_at", models.DateTimeField(db_default=Now())),
                ("is_fenced", models.BooleanField()),
                ("collapsed", models.IntegerField()),
            ],
            options={
                "db_table": "cp_reservation",
                "default_permissions": (),
                "indexes": [models.Index("service", "reserved_at", name="cp_reservation_service_idx")],
            },
        ),
        migrations.CreateModel(
            name="CpService",
            fields=[
                ("service", _name(primary_key=True, serialize=False)),
                ("first_poll", models.DateTimeField(db_default=Now())),
                ("last_poll", models.DateTimeField(db_default=Now())),
                ("queues", models.TextField()),
            ],
            options={"db_table": "cp_service", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="CpLostPickup",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "queuename",
                        "hour",
                        "service",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("queuename", _name()),
                ("hour", models.DateTimeField()),
                ("service", _name()),
                ("lost", models.IntegerField()),
            ],
            options={"db_table": "cp_lost_pickup", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="CpPause",
            fields=[
                ("queuename", _name(primary_key=True, serialize=False)),
                ("paused_at", models.DateTimeField(db_default=Now())),
                ("actor", models.CharField(max_length=150)),
                ("reason", models.CharField(blank=True, max_length=1000)),
            ],
            options={"db_table": "cp_pause", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="CpDispatch",
            fields=[
                ("dispatch_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("at", models.DateTimeField(db_default=Now())),
                ("messageguid", _guid()),
                ("queuename", _name()),
                ("osid", models.IntegerField()),
                ("ostype", models.IntegerField()),
                ("created", models.DateTimeField()),
                ("service", _name()),
                ("reason", models.CharField(max_length=1000)),
                ("outcome", models.CharField(max_length=10)),
                ("reserved_at", models.DateTimeField(null=True)),
                ("collapsed", models.IntegerField()),
                ("attempts", models.IntegerField()),
                ("actor", models.CharField(blank=True, max_length=150)),
            ],
            options={
                "db_table": "cp_dispatch",
                "default_permissions": (),
                "indexes": [
                    models.Index("queuename", "dispatch_id", name="cp_dispatch_queue_idx"),
                    models.Index("messageguid", name="cp_dispatch_guid_idx"),
                    models.Index("osid", "dispatch_id", name="cp_dispatch_object_idx"),
                    models.Index("service", "dispatch_id", name="cp_dispatch_service_idx"),
                ],
            },
        ),
        # Page of a message: what operators did to it, also after it has gone.
        migrations.RunSQL(_DEFERRED, "DROP TABLE cp_deferred"),
        migrations.RunSQL(_READY, "DROP VIEW cp_ready"),
        migrations.RunSQL(_VACUUM, migrations.RunSQL.noop),
        migrations.RunPython(write_roles, migrations.RunPython.noop),
    ]
