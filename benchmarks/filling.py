"""
Fills the hub's tables with any number of messages within minutes: shaped as in a hub, but narrow.

Most messages are OK; failures are scattered, and thousands in a row failed in one outage; one service is
switched off; the newest messages wait, run and are retried; one funnel value is far more frequent than the
others; one parent has five thousand children. The rows are only for measurements and query plans, not for a
hub's routes.
"""

import psycopg

from messages_app.shared.sql_files import SqlFiles

statements = SqlFiles("benchmarks")

DAYS = 60
# All rows of a hub share one sequence: the ids between a message and the next are for its other rows.
IDS_PER_MESSAGE = 10
# In this order, for the foreign keys.
_TABLES = (
    "message",
    "funnel",
    "external_call",
    "request",
    "response",
    "message_event",
    "archive_message",
    "archive_funnel",
    "archive_external_call",
    "archive_request",
    "archive_response",
)


def fill(hub: psycopg.Cursor, *, messages: int) -> None:
    """
    Fill the empty tables with `messages` messages, a fifth as many in the archive, and their other rows.

    Every index except those of constraints is created again afterwards, which is several times faster.
    Triggers are disabled meanwhile: counts and groups of failures must be rebuilt if they are needed.
    """
    indexes = _drop_indexes(hub)
    triggers = stop_triggers(hub)
    for table in _TABLES:
        statement = statements.text(f"filling/{table}")
        hub.execute(statement, {"messages": messages, "days": DAYS, "ids": IDS_PER_MESSAGE})
    for statement in (*indexes, *triggers):
        hub.execute(statement)
    hub.execute("SELECT setval('hibernate_sequence', %s)", [(messages + 1) * IDS_PER_MESSAGE])
    for table in _TABLES:
        hub.execute(f"ANALYZE {table}")


def _drop_indexes(hub: psycopg.Cursor) -> list[str]:
    """Drop the indexes that constraints do not need, and return the statements that create them again."""
    hub.execute(
        "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index"
        " WHERE indrelid = ANY (%s::regclass[])"
        "   AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)",
        [list(_TABLES)],
    )
    found = hub.fetchall()
    for name, _ in found:
        hub.execute(f"DROP INDEX {name}")
    return [definition for _, definition in found]


def stop_triggers(hub: psycopg.Cursor) -> list[str]:
    """Disable the tables' triggers, and return the statements that enable them again."""
    hub.execute(
        "SELECT tgrelid::regclass::text, tgname, tgenabled = 'A' FROM pg_trigger"
        " WHERE tgrelid = ANY (%s::regclass[]) AND NOT tgisinternal AND NOT tgenabled = 'D'",
        [list(_TABLES)],
    )
    found = hub.fetchall()
    for table, name, _ in found:
        hub.execute(f"ALTER TABLE {table} DISABLE TRIGGER {name}")
    return [
        f"ALTER TABLE {table} ENABLE {'ALWAYS ' if is_always else ''}TRIGGER {name}"
        for table, name, is_always in found
    ]
