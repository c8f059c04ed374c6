"""Groups of failures, and the catalogue of error codes: docs/decisions/0009-failure-groups.md."""

from importlib import import_module

from django.db import migrations, models
from django.db.models import Q
from django.db.models.functions import Now

from messages_app.messages.failures.catalogue import HUB_CODES

# Every role has permissions more, on tables that this migration makes.
write_roles = import_module("messages_app.migrations.0003_roles").write_roles

# A trigger of rows: its condition is looked at where the row is written, so who does not fail pays nothing.
# What comes back from the archive failed long ago.
_NOTING = """
CREATE FUNCTION note_failure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO new_failure (msg_id, at, service_name, operation_name, failed_error_code, text)
  VALUES (NEW.msg_id,
          CASE WHEN TG_OP = 'UPDATE' THEN clock_timestamp()
               ELSE coalesce(NEW.last_process_timestamp, NEW.receive_timestamp) END,
          NEW.service_name, NEW.operation_name, coalesce(NEW.failed_error_code, ''),
          left(coalesce(NEW.failed_desc, ''), 500));
  RETURN NULL;
END $$;
CREATE TRIGGER message_failed AFTER UPDATE OF state ON message
  FOR EACH ROW WHEN (NEW.state = 'FAILED' AND OLD.state <> 'FAILED') EXECUTE FUNCTION note_failure();
CREATE TRIGGER message_came_failed AFTER INSERT ON message
  FOR EACH ROW
  WHEN (NEW.state = 'FAILED' AND coalesce(current_setting('hubconsole.restoring', true), '') = '')
  EXECUTE FUNCTION note_failure();
"""
_NOTING_BACK = """
DROP TRIGGER message_came_failed ON message;
DROP TRIGGER message_failed ON message;
DROP FUNCTION note_failure();
"""

# Written and emptied all the time.
_VACUUM = """
ALTER TABLE new_failure SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)
"""
_VACUUM_BACK = """
ALTER TABLE new_failure RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold)
"""


def write_catalogue(apps, schema_editor) -> None:
    """Store the hub's own error codes."""
    codes = apps.get_model("messages_app", "ErrorCode").objects
    for known in HUB_CODES:
        codes.create(code=known.code, description=known.description, action=known.action, is_own=True)


def _named() -> list[tuple[str, models.Field]]:
    return [
        ("service_name", models.CharField(max_length=30)),
        ("operation_name", models.CharField(max_length=100)),
    ]


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0020_rollups")]

    operations = [
        migrations.CreateModel(
            name="NewFailure",
            fields=[
                ("failure_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("msg_id", models.BigIntegerField()),
                ("at", models.DateTimeField()),
                *_named(),
                ("failed_error_code", models.CharField(max_length=5)),
                ("text", models.CharField(max_length=500)),
            ],
            options={"db_table": "new_failure", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="FailureGroup",
            fields=[
                ("group_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("fingerprint", models.CharField(max_length=32, unique=True)),
                *_named(),
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
            ],
            options={
                "db_table": "failure_group",
                "default_permissions": ("change",),
                "indexes": [
                    models.Index(
                        fields=["state_at"],
                        name="failure_group_pressing_idx",
                        condition=Q(state__in=["new", "regressed"]),
                    ),
                    models.Index(
                        fields=["snoozed_until"],
                        name="failure_group_snoozed_idx",
                        condition=Q(state="snoozed"),
                    ),
                    models.Index(fields=["last_seen", "group_id"], name="failure_group_last_idx"),
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
                        fields=["minute", "group_id"], include=["failures"], name="failure_minute_idx"
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
                ("action", models.TextField("recommended action", blank=True)),
                ("is_own", models.BooleanField("the hub's own", default=False, editable=False)),
            ],
            options={
                "db_table": "error_code",
                "verbose_name": "error code",
                "ordering": ["code"],
                "default_permissions": ("add", "change", "delete", "view"),
            },
        ),
        migrations.RunSQL(_NOTING, _NOTING_BACK),
        migrations.RunSQL(_VACUUM, _VACUUM_BACK),
        migrations.RunPython(write_catalogue, migrations.RunPython.noop),
        migrations.RunPython(write_roles, migrations.RunPython.noop),
    ]
