"""
No error of our triggers fails a statement of the hub, and none is lost.

Source: docs/decisions/0023-triggers-never-fail-the-hub.md.
"""

from importlib import import_module, resources

from django.db import migrations, models

_HISTORY = import_module("messages_app.migrations.0002_hub_links_and_history")
_ROLLUPS = import_module("messages_app.migrations.0020_rollups")
_FAILURES = import_module("messages_app.migrations.0021_failure_groups")
_OLD_MINUTES = import_module("messages_app.migrations.0031_old_minutes")

# At the end of a function: an error is counted, and the writer continues. WHEN OTHERS leaves out that a
# statement is cancelled. When that happens here, the hub's own work is done, and ours has used up its time.
_GAP = """EXCEPTION WHEN OTHERS OR query_canceled THEN
  BEGIN
    PERFORM note_trigger_gap('{area}', SQLSTATE, SQLERRM);
  EXCEPTION WHEN OTHERS OR query_canceled THEN
    RAISE LOG 'hubconsole: a gap in {area} could not be noted: %', SQLERRM;
  END;
  RETURN NULL;
"""
_OF_MESSAGES = (
    "note_updated_messages",
    "note_inserted_messages",
    "note_deleted_messages",
    "note_truncated_messages",
)
_OF_GAPS = ("note_trigger_gap", "lost_trigger_gaps")
# Trigger functions of before.
_TRIGGERS = (
    "audit_entry_stays",
    "audit_entry_goes",
    "document_history_opened",
    "document_history_closed",
    "document_history_removed",
    "message_line_unmuted",
    "message_line_of_store",
    "message_line_without_store",
    "message_line_of_process",
    "message_line_of_step",
    "message_line_without_process",
    "message_line_of_history",
    "message_count_added",
    "message_count_changed",
    "message_count_removed",
)


def sql_of(name: str) -> str:
    return resources.files("messages_app.migrations").joinpath(f"sql/{name}.sql").read_text(encoding="utf-8")


def guarded(name: str, *, area: str) -> str:
    """Return functions whose errors are counted as gaps of an area."""
    return sql_of(name).replace("{gap}", _GAP.format(area=area))


def fixed(*functions: str) -> str:
    """Return what fixes the settings of functions."""
    return sql_of("fix_trigger_settings").replace("{names}", "{" + ",".join(functions) + "}")


_GAPS_BACK = """
DROP FUNCTION note_trigger_gap(text, text, text);
DROP FUNCTION lost_trigger_gaps();
DROP SEQUENCE trigger_gap_lost;
"""
_MESSAGES_BACK = f"""
DROP TRIGGER message_updated ON message;
DROP TRIGGER message_inserted ON message;
DROP TRIGGER message_deleted ON message;
DROP TRIGGER message_truncated ON message;
DROP FUNCTION {"(), ".join(_OF_MESSAGES)}();
{_HISTORY.HISTORY}
{_ROLLUPS._HISTORY};
{_ROLLUPS._UPDATED}{_ROLLUPS._INSERTED}{_ROLLUPS._DELETED}{_ROLLUPS._TRUNCATED}{_ROLLUPS._ALWAYS}
{_OLD_MINUTES._DELETED};
{_FAILURES._NOTING}
"""
# The settings that go back. That nobody but a trigger may call them does not: nobody else could.
_FIXED_BACK = "".join(f"ALTER FUNCTION {name}() RESET ALL;" for name in _TRIGGERS)


class Migration(migrations.Migration):
    dependencies = [("messages_app", "0036_confined_scopes")]

    operations = [
        migrations.CreateModel(
            name="TriggerGap",
            fields=[
                ("gap_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("area", models.CharField(max_length=20)),
                ("sqlstate", models.CharField(max_length=5)),
                ("reason", models.CharField(max_length=300)),
                ("first_at", models.DateTimeField()),
                ("last_at", models.DateTimeField()),
                ("statements", models.BigIntegerField()),
            ],
            options={"db_table": "trigger_gap", "default_permissions": ()},
        ),
        migrations.RunSQL(sql_of("trigger_gaps"), _GAPS_BACK),
        migrations.RunSQL(
            sql_of("forget_message_triggers") + guarded("message_triggers", area="messages"), _MESSAGES_BACK
        ),
        migrations.RunSQL(fixed(*_OF_GAPS, *_OF_MESSAGES, *_TRIGGERS), _FIXED_BACK),
        # `doctor` asks it, in every part of the console.
        migrations.RunSQL("GRANT EXECUTE ON FUNCTION lost_trigger_gaps() TO PUBLIC", migrations.RunSQL.noop),
    ]
