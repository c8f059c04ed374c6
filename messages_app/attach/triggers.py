"""
The console's triggers on the hub's own `message`: those of its own table, with the hub's columns.

Their functions are in the console's schema, so dropping the schema drops the triggers too.
Source: docs/contributing/decisions/0023-triggers-never-fail-the-hub.md;
docs/contributing/spec/hub_versions.md, "Views of a hub's tables".
"""

import re
from dataclasses import dataclass

from psycopg import sql

from messages_app.attach.recognition import Hub
from messages_app.attach.views import text_of
from messages_app.messages.suspension import SCHEMA
from messages_app.migrations._operations import make_functions, run_sql
from messages_app.shared.hub_zones import instant_of

FUNCTIONS = (
    "note_updated_messages",
    "note_inserted_messages",
    "note_deleted_messages",
    "note_truncated_messages",
)
_ROWS = re.compile(r"\b(FROM|JOIN) (before|after)\b")
_OF_TRUNCATE = re.compile(r"(FUNCTION note_truncated_messages\(\).*?BEGIN\n)", re.DOTALL)
# archive_records of a hub truncates and inserts the remaining rows again: they are not new.
_NOT_NEW = "  PERFORM set_config('hubconsole.restoring', 'truncated', true);\n"
# The hub's columns under the names that the functions use.
_COLUMNS = sql.SQL(
    "SELECT msg_id, {received} AS receive_timestamp, {changed} AS last_process_timestamp, state,"
    " service AS service_name, operation_name, source_system, failed_error_code, failed_desc"
)


@dataclass(frozen=True, kw_only=True)
class TriggerScripts:
    """
    Args:
        functions: creates the functions, and sets their parameters, without locks on the hub's tables.
        triggers: creates the triggers on the hub's table, which is locked meanwhile.
    """

    functions: str
    triggers: str


def trigger_scripts(hub: Hub, *, zone: str) -> TriggerScripts:
    """Return the scripts, from the migrations that create the triggers of the console's own table."""
    functions = str(make_functions("message_functions", *FUNCTIONS, area="messages").sql)
    # ENABLE ALWAYS needs the owner of the table, and only a quick archive needs it.
    triggers, _, _ = str(run_sql("message_triggers").sql).partition("-- Always:")
    return TriggerScripts(functions=_adapt_to_hub(functions, zone), triggers=_on_hub(triggers, hub))


def _adapt_to_hub(functions: str, zone: str) -> str:
    received, changed = (
        instant_of(sql.Identifier(name), zone=zone) for name in ("receive_timestamp", "last_update_timestamp")
    )
    columns = text_of(_COLUMNS.format(received=received, changed=changed))
    read = _ROWS.sub(lambda match: f"{match[1]} ({columns} FROM hub_{match[2]}) AS {match[2]}", functions)
    return _OF_TRUNCATE.sub(lambda match: match[1] + _NOT_NEW, read)


def _on_hub(triggers: str, hub: Hub) -> str:
    changes = {
        "AS before": "AS hub_before",
        "AS after": "AS hub_after",
        "EXECUTE FUNCTION ": f"EXECUTE FUNCTION {SCHEMA}.",
        "CREATE TRIGGER message_": "CREATE TRIGGER hubc_message_",
        # Last, because the name of a schema may contain anything.
        " ON message": f" ON {text_of(sql.Identifier(hub.schema, 'message'))}",
    }
    for ours, hubs in changes.items():
        triggers = triggers.replace(ours, hubs)
    return triggers
