from importlib import import_module

from django.db import migrations

_ROLLUPS = import_module("messages_app.migrations.0020_rollups")
_NAMES = _ROLLUPS._NAMES.format(row="before")

# Messages go to the archive long after their last change, and counts of old minutes are kept by the day
# (docs/decisions/0008-rollups.md). By the minute, nearly each of them was a change of its own to write,
# to add and to make a part of its day.
_DELETED = f"""
CREATE OR REPLACE FUNCTION count_deleted_messages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO message_change (minute, state, service_name, operation_name, source_system, failed_error_code,
                              present, entered)
  SELECT kept_minute(coalesce(before.last_process_timestamp, before.receive_timestamp)), {_NAMES},
         -count(*), 0
    FROM before
   GROUP BY 1, 2, 3, 4, 5, 6;
  RETURN NULL;
END $$
"""  # noqa: S608 - of our own words
_FUNCTION = _ROLLUPS._DELETED.partition("CREATE TRIGGER")[0]
_BACK = _FUNCTION.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0030_audit_tombstones")]

    operations = [migrations.RunSQL(_DELETED, _BACK)]
