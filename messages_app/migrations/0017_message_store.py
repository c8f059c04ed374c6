from importlib import import_module

import django.db.models.functions.datetime
from django.db import migrations, models

# Every role has permissions more, on tables that this migration makes.
write_roles = import_module("messages_app.migrations.0003_roles").write_roles

# Triggers, because a hub may write its tables without us, and its columns stay as they are.
_FROM_STORE = """
CREATE FUNCTION message_line_of_store() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO message_line AS line
         (message_identifier, message_timestamp, source_system, source_entity, status, has_store)
  SELECT message_identifier, coalesce(message_timestamp, effective_timestamp, clock_timestamp()),
         source_system, source_entity, 0, true
    FROM written
  ON CONFLICT (message_identifier) DO UPDATE
     SET message_timestamp = excluded.message_timestamp,
         source_system = excluded.source_system,
         source_entity = excluded.source_entity,
         status = coalesce(line.status, 0),
         has_store = true;
  RETURN NULL;
END
$$;
CREATE FUNCTION message_line_without_store() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE message_line AS line
     SET has_store = false, status = CASE WHEN line.has_process THEN line.status END
    FROM removed
   WHERE line.message_identifier = removed.message_identifier;
  DELETE FROM message_line AS line
   USING removed
   WHERE line.message_identifier = removed.message_identifier
     AND NOT line.has_process
     AND NOT EXISTS (SELECT FROM message_history AS history
                      WHERE history.message_identifier = line.message_identifier);
  RETURN NULL;
END
$$;
CREATE TRIGGER message_store_added AFTER INSERT ON message_store
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION message_line_of_store();
CREATE TRIGGER message_store_changed AFTER UPDATE ON message_store
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION message_line_of_store();
CREATE TRIGGER message_store_removed AFTER DELETE ON message_store
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION message_line_without_store();
"""

# An attempt is over when a message leaves status 1; the start of it is what the row had until then.
_FROM_PROCESS = """
CREATE FUNCTION message_line_of_process() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO message_line
         (message_identifier, message_timestamp, status, next_attempt_timestamp, claimed_at, has_process)
  SELECT message_identifier, coalesce(processed_timestamp, clock_timestamp()), coalesce(status, 0),
         next_attempt_timestamp, CASE WHEN status IN (1, 3) THEN clock_timestamp() END, true
    FROM written
  ON CONFLICT (message_identifier) DO UPDATE
     SET status = excluded.status,
         next_attempt_timestamp = excluded.next_attempt_timestamp,
         claimed_at = excluded.claimed_at,
         has_process = true;
  RETURN NULL;
END
$$;
CREATE FUNCTION message_line_of_step() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE message_line AS line
     SET status = coalesce(written.status, 0),
         next_attempt_timestamp = written.next_attempt_timestamp,
         claimed_at = CASE WHEN written.status NOT IN (1, 3) THEN NULL
                           WHEN (written.status, written.processed_timestamp)
                                IS NOT DISTINCT FROM (previous.status, previous.processed_timestamp)
                           THEN line.claimed_at
                           WHEN written.status IN (1, 3) THEN clock_timestamp() END,
         attempts = line.attempts
                    + (previous.status IS NOT DISTINCT FROM 1 AND written.status IS DISTINCT FROM 1)::int,
         last_started_at = CASE WHEN previous.status = 1 AND written.status IS DISTINCT FROM 1
                                THEN previous.processed_timestamp ELSE line.last_started_at END,
         last_ended_at = CASE WHEN previous.status = 1 AND written.status IS DISTINCT FROM 1
                              THEN clock_timestamp() ELSE line.last_ended_at END
    FROM written
    JOIN previous ON previous.message_identifier = written.message_identifier
   WHERE line.message_identifier = written.message_identifier;
  RETURN NULL;
END
$$;
CREATE FUNCTION message_line_without_process() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE message_line AS line
     SET has_process = false, status = CASE WHEN line.has_store THEN 0 END,
         next_attempt_timestamp = NULL, claimed_at = NULL
    FROM removed
   WHERE line.message_identifier = removed.message_identifier;
  DELETE FROM message_line AS line
   USING removed
   WHERE line.message_identifier = removed.message_identifier
     AND NOT line.has_store
     AND NOT EXISTS (SELECT FROM message_history AS history
                      WHERE history.message_identifier = line.message_identifier);
  RETURN NULL;
END
$$;
CREATE TRIGGER message_process_added AFTER INSERT ON message_process
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION message_line_of_process();
CREATE TRIGGER message_process_changed AFTER UPDATE ON message_process
  REFERENCING OLD TABLE AS previous NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION message_line_of_step();
CREATE TRIGGER message_process_removed AFTER DELETE ON message_process
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION message_line_without_process();
"""

# A history without store and process row is an orphan like the other two. It is not waiting: the monitor
# takes no line that has neither.
_FROM_HISTORY = """
CREATE FUNCTION message_line_of_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO message_line (message_identifier, message_timestamp)
  SELECT written.message_identifier, min(written.processed_timestamp)
    FROM written
   WHERE NOT EXISTS (SELECT FROM message_line AS line
                      WHERE line.message_identifier = written.message_identifier)
   GROUP BY written.message_identifier
  ON CONFLICT (message_identifier) DO NOTHING;
  RETURN NULL;
END
$$;
CREATE TRIGGER message_history_added AFTER INSERT ON message_history
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION message_line_of_history();
"""

# Those in work are few and counted as they are; every other status is counted by its changes.
_COUNTS = """
CREATE FUNCTION message_count_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO message_count_change (source_system, source_entity, status, change)
  SELECT coalesce(source_system, ''), coalesce(source_entity, ''), status, count(*)
    FROM written
   WHERE status NOT IN (1, 3)
   GROUP BY 1, 2, 3;
  RETURN NULL;
END
$$;
CREATE FUNCTION message_count_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO message_count_change (source_system, source_entity, status, change)
  SELECT source_system, source_entity, status, sum(change)
    FROM (SELECT coalesce(source_system, '') AS source_system, coalesce(source_entity, '') AS source_entity,
                 status, 1 AS change FROM written
           UNION ALL
          SELECT coalesce(source_system, ''), coalesce(source_entity, ''), status, -1 FROM previous) AS step
   WHERE status NOT IN (1, 3)
   GROUP BY 1, 2, 3
  HAVING sum(change) <> 0;
  RETURN NULL;
END
$$;
CREATE FUNCTION message_count_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO message_count_change (source_system, source_entity, status, change)
  SELECT coalesce(source_system, ''), coalesce(source_entity, ''), status, -count(*)
    FROM removed
   WHERE status NOT IN (1, 3)
   GROUP BY 1, 2, 3;
  RETURN NULL;
END
$$;
CREATE TRIGGER message_line_added AFTER INSERT ON message_line
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION message_count_added();
CREATE TRIGGER message_line_changed AFTER UPDATE ON message_line
  REFERENCING OLD TABLE AS previous NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION message_count_changed();
CREATE TRIGGER message_line_removed AFTER DELETE ON message_line
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION message_count_removed();
"""

_BACK = """
DROP TRIGGER message_store_added ON message_store;
DROP TRIGGER message_store_changed ON message_store;
DROP TRIGGER message_store_removed ON message_store;
DROP TRIGGER message_process_added ON message_process;
DROP TRIGGER message_process_changed ON message_process;
DROP TRIGGER message_process_removed ON message_process;
DROP TRIGGER message_history_added ON message_history;
DROP TRIGGER message_line_added ON message_line;
DROP TRIGGER message_line_changed ON message_line;
DROP TRIGGER message_line_removed ON message_line;
DROP FUNCTION message_line_of_store(), message_line_without_store(), message_line_of_process(),
              message_line_of_step(), message_line_without_process(), message_line_of_history(),
              message_count_added(), message_count_changed(), message_count_removed();
"""

# Items of a reprocess job are numbers of message_line: none is the message of the hub of that number.
_HOLDING = """
CREATE OR REPLACE FUNCTION job_holding(message_id bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT item.job_id
    FROM job_item AS item
    JOIN job ON job.job_id = item.job_id
    JOIN job_chunk AS chunk ON chunk.job_id = item.job_id AND chunk.chunk_no = item.chunk_no
   WHERE item.msg_id = message_id
     AND job.finished_at IS NULL
     AND job.kind {kinds}
     AND chunk.committed_at IS NULL
     AND item.msg_id > coalesce(chunk.done_through, 0)
     AND NOT EXISTS (SELECT
                       FROM job_refusal
                      WHERE job_refusal.job_id = item.job_id
                        AND job_refusal.msg_id = item.msg_id)
   LIMIT 1
$$
"""
_OF_MESSAGES = "IN ('archive', 'cancel', 'restart', 'restore')"

# Written and removed all the time, and small.
_VACUUM = """
ALTER TABLE message_count_change
  SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
ALTER TABLE message_process SET (fillfactor = 80)
"""


class Migration(migrations.Migration):
    dependencies = [
        ("messages_app", "0016_document_history"),
    ]

    operations = [
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
            options={
                "db_table": "archive_message_history",
                "default_permissions": (),
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
            options={
                "db_table": "entity_refresh",
                "default_permissions": (),
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
            options={
                "db_table": "message_count",
                "default_permissions": (),
            },
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
            options={
                "db_table": "message_count_change",
                "default_permissions": (),
            },
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
                (
                    "processed_timestamp",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("status", models.IntegerField(null=True)),
                ("error_message", models.CharField(max_length=255, null=True)),
                ("log_text", models.TextField(null=True)),
            ],
            options={
                "db_table": "message_history",
                "default_permissions": (),
            },
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
                (
                    "status",
                    models.IntegerField(null=True),
                ),
                ("next_attempt_timestamp", models.DateTimeField(null=True)),
                ("claimed_at", models.DateTimeField(null=True)),
                ("attempts", models.IntegerField(db_default=0)),
                ("abandoned", models.IntegerField(db_default=0)),
                ("last_started_at", models.DateTimeField(null=True)),
                ("last_ended_at", models.DateTimeField(null=True)),
            ],
            options={
                "db_table": "message_line",
                "default_permissions": (),
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
            options={
                "db_table": "message_process",
                "default_permissions": (),
            },
        ),
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
                "permissions": [
                    ("reprocess_messagestore", "Can reprocess, retry and release messages of the store"),
                    ("change_sourcedefinition", "Can change source definitions"),
                ],
                "default_permissions": ("view", "add"),
            },
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
                ("changed_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "db_table": "source_definition",
                "default_permissions": (),
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
            },
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
            },
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(
                models.F("subject_kind"),
                models.F("subject"),
                models.F("entry_id"),
                condition=models.Q(("subject", ""), _negated=True),
                name="audit_subject_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="messageline",
            index=models.Index(
                models.F("message_timestamp"), models.F("number"), name="message_line_time_idx"
            ),
        ),
        migrations.AddIndex(
            model_name="messageline",
            index=models.Index(
                models.F("status"),
                models.F("message_timestamp"),
                models.F("number"),
                name="message_line_status_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="messageline",
            index=models.Index(
                models.F("source_system"),
                models.F("message_timestamp"),
                models.F("number"),
                name="message_line_system_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="messageline",
            index=models.Index(
                models.F("source_entity"),
                models.F("message_timestamp"),
                models.F("number"),
                name="message_line_entity_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="messageline",
            index=models.Index(
                models.F("message_timestamp"),
                models.F("message_identifier"),
                condition=models.Q(("status", 0)),
                name="message_line_fresh_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="messageline",
            index=models.Index(
                models.F("next_attempt_timestamp"),
                condition=models.Q(("status", 2)),
                name="message_line_due_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="messageline",
            index=models.Index(
                models.F("claimed_at"),
                condition=models.Q(
                    (
                        "status__in",
                        [
                            1,
                            3,
                        ],
                    )
                ),
                name="message_line_held_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="messageline",
            index=models.Index(
                models.F("message_timestamp"),
                models.F("number"),
                condition=models.Q(("status__gte", 20)),
                name="message_line_error_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="messageline",
            index=models.Index(
                models.F("number"),
                condition=models.Q(("has_store", False), ("has_process", False), _connector="OR"),
                name="message_line_orphan_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="sourcedefinition",
            index=models.Index(models.F("entity"), name="source_definition_entity_idx"),
        ),
        migrations.AddConstraint(
            model_name="sourcedefinition",
            constraint=models.UniqueConstraint(fields=("system", "entity"), name="uq_source_definition"),
        ),
        migrations.AddIndex(
            model_name="targetrecord",
            index=models.Index(models.F("source_message"), name="target_record_message_idx"),
        ),
        migrations.AddIndex(
            model_name="targetrecord",
            index=models.Index(models.F("entity"), models.F("valid_to"), name="target_record_valid_idx"),
        ),
        migrations.AddConstraint(
            model_name="targetrecord",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("valid_to", None), ("valid_to__gte", models.F("valid_from")), _connector="OR"
                ),
                name="target_record_valid_ck",
            ),
        ),
        migrations.AddIndex(
            model_name="unresolvedreference",
            index=models.Index(
                models.F("entity"),
                models.F("record_key"),
                models.F("message_identifier"),
                name="unresolved_waiting_idx",
            ),
        ),
        migrations.RunSQL(_COUNTS + _FROM_STORE + _FROM_PROCESS + _FROM_HISTORY, _BACK),
        migrations.RunSQL(_VACUUM, migrations.RunSQL.noop),
        migrations.RunSQL(_HOLDING.format(kinds=_OF_MESSAGES), _HOLDING.format(kinds="<> 'export'")),
        migrations.RunPython(write_roles, migrations.RunPython.noop),
    ]
