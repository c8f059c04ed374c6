from importlib import import_module

from django.db import migrations, models
from django.db.models.functions import Now

import messages_app.document_history.models

# Every role has a permission more, on tables that this migration makes.
write_roles = import_module("messages_app.migrations.0003_roles").write_roles


def _id(**options: object) -> models.CharField:
    return models.CharField(max_length=100, db_collation="C", **options)


def _uuid(**options: object) -> models.CharField:
    return models.CharField(max_length=96, db_collation="C", **options)


# What tells apart the lines of one moment.
_LINE_NO = """
CREATE FUNCTION document_line_no(trigger_id text, document_uuid text) RETURNS bigint
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT hashtextextended(trigger_id || '/' || document_uuid, 0)
$$
"""

# The sweeper's oldest entries of a trigger, and the list of entries by time.
_INDEX = """
CREATE INDEX document_history_time_idx
    ON document_history (trigger_id, time, document_line_no(trigger_id, document_uuid))
"""

# A document with both its entries as one line: the processing one, or the completed one if that stands alone.
_LINES = """
CREATE VIEW document_history_line AS
SELECT document_line_no(entry.trigger_id, entry.document_uuid) AS line_no,
       entry.trigger_id,
       entry.document_uuid,
       entry.time,
       entry.status = 'processing' AS has_processing,
       entry.status = 'completed'
         OR EXISTS (SELECT
                      FROM document_history AS completed
                     WHERE completed.trigger_id = entry.trigger_id
                       AND completed.document_uuid = entry.document_uuid
                       AND completed.status = 'completed') AS has_completed
  FROM document_history AS entry
 WHERE entry.status = 'processing'
    OR NOT EXISTS (SELECT
                     FROM document_history AS processing
                    WHERE processing.trigger_id = entry.trigger_id
                      AND processing.document_uuid = entry.document_uuid
                      AND processing.status = 'processing')
"""

# Triggers, because a hub may write the history without us; and the few open documents could not be found
# among ten million entries. A completed entry that comes before its processing one leaves a row here:
# who reads the table asks the history once more.
_OPEN = """
CREATE FUNCTION document_history_opened() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO document_open (trigger_id, document_uuid, time, line_no)
  VALUES (NEW.trigger_id, NEW.document_uuid, NEW.time,
          document_line_no(NEW.trigger_id, NEW.document_uuid))
  ON CONFLICT (trigger_id, document_uuid) DO UPDATE SET time = excluded.time;
  RETURN NULL;
END
$$;
CREATE FUNCTION document_history_closed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM document_open WHERE trigger_id = NEW.trigger_id AND document_uuid = NEW.document_uuid;
  RETURN NULL;
END
$$;
CREATE FUNCTION document_history_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM document_open AS open
   USING removed
   WHERE open.trigger_id = removed.trigger_id
     AND open.document_uuid = removed.document_uuid
     AND removed.status = 'processing';
  RETURN NULL;
END
$$;
CREATE TRIGGER document_history_opens AFTER INSERT ON document_history
  FOR EACH ROW WHEN (NEW.status = 'processing') EXECUTE FUNCTION document_history_opened();
CREATE TRIGGER document_history_opens_again AFTER UPDATE ON document_history
  FOR EACH ROW WHEN (NEW.status = 'processing') EXECUTE FUNCTION document_history_opened();
CREATE TRIGGER document_history_closes AFTER INSERT ON document_history
  FOR EACH ROW WHEN (NEW.status = 'completed') EXECUTE FUNCTION document_history_closed();
CREATE TRIGGER document_history_removes AFTER DELETE ON document_history
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION document_history_removed();
"""
_OPEN_BACK = """
DROP TRIGGER document_history_opens ON document_history;
DROP TRIGGER document_history_opens_again ON document_history;
DROP TRIGGER document_history_closes ON document_history;
DROP TRIGGER document_history_removes ON document_history;
DROP FUNCTION document_history_opened();
DROP FUNCTION document_history_closed();
DROP FUNCTION document_history_removed();
"""

# Small, and written and removed all the time.
_VACUUM = """
ALTER TABLE document_open SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)
"""
_VACUUM_BACK = """
ALTER TABLE document_open RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold)
"""

_IS_OPEN = models.Q(("state", "open"))


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0015_ledger_by_keys")]

    operations = [
        migrations.CreateModel(
            name="DocumentTrigger",
            fields=[
                (
                    "trigger_id",
                    _id(
                        primary_key=True,
                        serialize=False,
                        default=messages_app.document_history.models.new_trigger_id,
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
                        condition=models.Q(("history_ttl_seconds__gt", 0)), name="document_trigger_ttl_ck"
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
                ("trigger_id", _id()),
                ("document_uuid", _uuid()),
                ("status", models.CharField(max_length=10, db_collation="C")),
                ("time", models.DateTimeField()),
            ],
            options={
                "db_table": "document_history",
                "default_permissions": ("view",),
                "permissions": [
                    ("check_documents", "Can check and complete documents"),
                    ("resolve_documents", "Can resubmit and settle documents in doubt"),
                    ("sweep_documents", "Can remove expired document history"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("status__in", ["completed", "processing"])),
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
            options={"db_table": "document_history_line", "managed": False, "default_permissions": ()},
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
                ("trigger_id", _id()),
                ("document_uuid", _uuid()),
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
                ("trigger_id", _id()),
                ("document_uuid", _uuid()),
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
                ("trigger_id", _id()),
                ("document_uuid", _uuid(blank=True)),
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
                        condition=_IS_OPEN & ~models.Q(("document_uuid", "")),
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
                        condition=models.Q(("state", "settled")),
                        name="document_in_doubt_settled_idx",
                    ),
                    models.Index(
                        "trigger_id",
                        "in_doubt_id",
                        condition=models.Q(("state", "resubmitted"), ("taken_at", None)),
                        name="document_in_doubt_free_idx",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="DocumentOutcome",
            fields=[
                ("outcome_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("trigger_id", _id()),
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
                        name="document_outcome_twice_idx",
                        condition=models.Q(("status", "DUPLICATE")),
                    ),
                    models.Index(
                        "trigger_id",
                        "at",
                        name="document_outcome_doubt_idx",
                        condition=models.Q(("status", "IN_DOUBT")),
                    ),
                    models.Index("at", name="document_outcome_age_idx"),
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
        # What an audit entry is about.
        migrations.AddField(
            "AuditEntry",
            "subject_kind",
            models.CharField(blank=True, db_default="", default="", max_length=20),
        ),
        migrations.AddField(
            "AuditEntry",
            "subject",
            models.CharField(blank=True, db_default="", default="", max_length=200),
        ),
        migrations.RunSQL(_LINE_NO, "DROP FUNCTION document_line_no(text, text)"),
        migrations.RunSQL(_INDEX, "DROP INDEX document_history_time_idx"),
        migrations.RunSQL(_LINES, "DROP VIEW document_history_line"),
        migrations.RunSQL(_OPEN, _OPEN_BACK),
        migrations.RunSQL(_VACUUM, _VACUUM_BACK),
        migrations.RunPython(write_roles, migrations.RunPython.noop),
    ]
