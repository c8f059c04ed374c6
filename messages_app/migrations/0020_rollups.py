"""
Counts of messages by minute and what tells them apart, kept by triggers: docs/decisions/0008-rollups.md.

A trigger only appends what a statement changed; a pass every few seconds adds that to the counts.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models import Q
from django.db.models.functions import Now

# What both tables count by. The minute is that of the last change that the hub noted, for `present`, and that
# in which the state was entered, for `entered`.
_MINUTE = "date_trunc('minute', {at}, 'UTC')"
_CHANGED = _MINUTE.format(at="coalesce({row}.last_process_timestamp, {row}.receive_timestamp)")
_KEPT_MINUTE = "kept_minute(coalesce(last_process_timestamp, receive_timestamp))"
_NAMES = "{row}.state, {row}.service_name, {row}.operation_name, {row}.source_system, \
coalesce({row}.failed_error_code, '')"


def _key(row: str, minute: str = _CHANGED) -> str:
    return f"{minute}, {_NAMES}".format(row=row)


_COLUMNS = "minute, state, service_name, operation_name, source_system, failed_error_code"

# Windows of pages are of an hour, three, a day and 7 days, and have some room.
# How long a message took is kept as a power of 2 to a quarter: a step is a fifth more.
_FUNCTIONS = """
CREATE FUNCTION kept_minute(at timestamptz) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT date_trunc(CASE WHEN at < now() - interval '8 days' THEN 'day'
                         WHEN at < now() - interval '25 hours' THEN 'hour'
                         ELSE 'minute' END, at, 'UTC')
$$;
CREATE FUNCTION took_step(received timestamptz, ended timestamptz) RETURNS smallint
LANGUAGE sql IMMUTABLE AS $$
  SELECT floor(4 * ln(least(greatest(extract(epoch FROM ended - received)::float8, 0.01), 1e9))
               / ln(2::float8))::smallint
$$;
"""
_FUNCTIONS_BACK = """
DROP FUNCTION took_step(timestamptz, timestamptz);
DROP FUNCTION kept_minute(timestamptz);
"""

# An update that changes nothing that is counted writes nothing: the sums of its two rows are nought.
# A session keeps the plan of its first statement. Where that was of one row, both tables would be joined row
# by row ever after, in a bulk statement for seconds: so no loops, here and in the trigger of the history.
_UPDATED = f"""
CREATE FUNCTION count_updated_messages() RETURNS trigger LANGUAGE plpgsql SET enable_nestloop = off AS $$
BEGIN
  INSERT INTO message_change ({_COLUMNS}, present, entered, took)
  SELECT change.minute, change.state, change.service, change.operation, change.source, change.error,
         sum(change.present), sum(change.entered),
         array_agg(change.took) FILTER (WHERE change.took IS NOT NULL)
    FROM before JOIN after ON after.msg_id = before.msg_id
   CROSS JOIN LATERAL (
         VALUES ({_key("before")}, -1, 0, NULL),
                ({_key("after")}, 1, 0, NULL),
                ({_key("after", _MINUTE.format(at="clock_timestamp()"))}, 0,
                 (after.state <> before.state)::integer,
                 CASE WHEN after.state <> before.state AND after.state IN ('OK', 'FAILED')
                      THEN took_step(after.receive_timestamp, clock_timestamp()) END)
         ) AS change (minute, state, service, operation, source, error, present, entered, took)
   GROUP BY 1, 2, 3, 4, 5, 6
  HAVING sum(change.present) <> 0 OR sum(change.entered) <> 0;
  RETURN NULL;
END $$;
CREATE TRIGGER message_counts_updated AFTER UPDATE ON message
  REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION count_updated_messages();
"""  # noqa: S608 - of our own words

# What is brought back from the archive entered its state long ago, and was counted then.
_INSERTED = f"""
CREATE FUNCTION count_inserted_messages() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_new integer := (coalesce(current_setting('hubconsole.restoring', true), '') = '')::integer;
BEGIN
  INSERT INTO message_change ({_COLUMNS}, present, entered)
  SELECT {_key("after")}, count(*), count(*) * is_new
    FROM after
   GROUP BY 1, 2, 3, 4, 5, 6;
  RETURN NULL;
END $$;
CREATE TRIGGER message_counts_inserted AFTER INSERT ON message
  REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION count_inserted_messages();
"""  # noqa: S608 - of our own words

_DELETED = f"""
CREATE FUNCTION count_deleted_messages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO message_change ({_COLUMNS}, present, entered)
  SELECT {_key("before")}, -count(*), 0
    FROM before
   GROUP BY 1, 2, 3, 4, 5, 6;
  RETURN NULL;
END $$;
CREATE TRIGGER message_counts_deleted AFTER DELETE ON message
  REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_messages();
"""  # noqa: S608 - of our own words

# Nobody writes meanwhile: what is counted, and what waits to be, is what there was.
_TRUNCATED = f"""
CREATE FUNCTION count_truncated_messages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO message_change ({_COLUMNS}, present, entered)
  SELECT {_COLUMNS}, -sum(present), 0
    FROM (SELECT {_COLUMNS}, present FROM message_rollup
           UNION ALL
          SELECT {_COLUMNS}, present FROM message_change) AS counted
   GROUP BY {_COLUMNS}
  HAVING sum(present) <> 0;
  RETURN NULL;
END $$;
CREATE TRIGGER message_counts_truncated AFTER TRUNCATE ON message
  FOR EACH STATEMENT EXECUTE FUNCTION count_truncated_messages();
"""  # noqa: S608 - of our own words

# Always: a move to the archive switches other triggers off (spark_tasks/moves/rows.py).
_ALWAYS = """
ALTER TABLE message ENABLE ALWAYS TRIGGER message_counts_updated;
ALTER TABLE message ENABLE ALWAYS TRIGGER message_counts_inserted;
ALTER TABLE message ENABLE ALWAYS TRIGGER message_counts_deleted;
"""

_HISTORY = "ALTER FUNCTION write_message_event() SET enable_nestloop = off"
_HISTORY_BACK = "ALTER FUNCTION write_message_event() RESET enable_nestloop"

_BACK = """
DROP TRIGGER message_counts_truncated ON message;
DROP FUNCTION count_truncated_messages();
DROP TRIGGER message_counts_deleted ON message;
DROP TRIGGER message_counts_inserted ON message;
DROP TRIGGER message_counts_updated ON message;
DROP FUNCTION count_deleted_messages();
DROP FUNCTION count_inserted_messages();
DROP FUNCTION count_updated_messages();
"""

# Written and emptied all the time: looked after by its size, which is small, not by a share of it.
_VACUUM = """
ALTER TABLE message_change SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
                                autovacuum_vacuum_insert_threshold = -1);
ALTER TABLE message_rollup SET (fillfactor = 80)
"""
_VACUUM_BACK = """
ALTER TABLE message_rollup RESET (fillfactor);
ALTER TABLE message_change RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold,
                                  autovacuum_vacuum_insert_threshold)
"""

# The messages that are there already; those of old minutes by the hour and the day, as the pass keeps them.
_COUNT = f"""
INSERT INTO message_rollup ({_COLUMNS}, present, entered)
SELECT {_key("message", _KEPT_MINUTE)}, count(*), count(*)
  FROM message
 GROUP BY 1, 2, 3, 4, 5, 6
"""  # noqa: S608 - of our own words


def _counted() -> list[tuple[str, models.Field]]:
    """Return the columns that changes and counts share."""
    return [
        ("minute", models.DateTimeField()),
        ("state", models.CharField(max_length=15)),
        ("service_name", models.CharField(max_length=30)),
        ("operation_name", models.CharField(max_length=100)),
        ("source_system", models.CharField(max_length=15)),
        ("failed_error_code", models.CharField(max_length=5)),
        ("present", models.IntegerField()),
        ("entered", models.IntegerField()),
    ]


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0019_muted_timeouts_settings")]

    operations = [
        migrations.CreateModel(
            name="MessageChange",
            fields=[
                ("change_id", models.BigAutoField(primary_key=True, serialize=False)),
                *_counted(),
                ("took", ArrayField(models.SmallIntegerField(), null=True)),
            ],
            options={"db_table": "message_change", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="MessageRollup",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "minute",
                        "state",
                        "service_name",
                        "operation_name",
                        "source_system",
                        "failed_error_code",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                *_counted(),
            ],
            options={
                "db_table": "message_rollup",
                "default_permissions": (),
                "indexes": [
                    models.Index(
                        fields=["state", "minute"],
                        include=["present"],
                        name="message_rollup_present_idx",
                        condition=~Q(state="OK") & ~Q(present=0),
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="MessageTook",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "minute",
                        "service_name",
                        "step",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("minute", models.DateTimeField()),
                ("service_name", models.CharField(max_length=30)),
                ("step", models.SmallIntegerField()),
                ("messages", models.IntegerField()),
            ],
            options={"db_table": "message_took", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="MessageGauge",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "minute", "state", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("minute", models.DateTimeField()),
                ("state", models.CharField(blank=True, max_length=15)),
                ("messages", models.IntegerField()),
                ("long", models.IntegerField()),
                ("since", models.DateTimeField(null=True)),
            ],
            options={"db_table": "message_gauge", "default_permissions": ()},
        ),
        migrations.CreateModel(
            name="RollupPass",
            fields=[
                ("name", models.CharField(max_length=20, primary_key=True, serialize=False)),
                ("done_at", models.DateTimeField(db_default=Now())),
                ("rows", models.BigIntegerField(db_default=0)),
            ],
            options={"db_table": "rollup_pass", "default_permissions": ()},
        ),
        migrations.RunSQL(_FUNCTIONS, _FUNCTIONS_BACK),
        migrations.RunSQL(_COUNT, migrations.RunSQL.noop),
        migrations.RunSQL(_UPDATED + _INSERTED + _DELETED + _TRUNCATED + _ALWAYS, _BACK),
        migrations.RunSQL(_HISTORY, _HISTORY_BACK),
        migrations.RunSQL(_VACUUM, _VACUUM_BACK),
    ]
