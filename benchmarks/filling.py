"""
Fills the hub's tables with any number of messages within minutes: shaped as in a hub, but narrow.

Most messages are OK; failures are scattered, and thousands in a row failed in one outage; one service is
switched off; the newest messages wait, run and are retried; one funnel value is far more frequent than the
others; one parent has five thousand children. The rows are only for measurements and query plans, not for a
hub's routes.
"""

from collections.abc import Mapping
from importlib import resources
from typing import TYPE_CHECKING

import psycopg
from psycopg import sql

from messages_app.shared.hub_names import base_name
from messages_app.shared.sql_files import SqlFiles

if TYPE_CHECKING:  # The benchmarks import this before Django can load models.
    from messages_app.attach.recognition import Hub

statements = SqlFiles("benchmarks")
_SQL = resources.files("benchmarks") / "sql"

DAYS = 60
# All rows of a hub share one sequence: the ids between a message and the next are for its other rows.
IDS_PER_MESSAGE = 10
BYTES_PER_MESSAGE = 950  # with its other rows, those in the archive, and the indexes
# The schema of the views through which a hub's tables are filled.
_FILLING = "filling"
# Values of the hub's columns that the statements leave out.
_DEFAULTS = {"failed_count": "0", "node_id": "1 + (random() < 0.5)::int"}
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


def fill_messages(hub: psycopg.Cursor, *, messages: int) -> None:
    """
    Fill the empty tables with `messages` messages, a fifth as many in the archive, and their other rows.

    Every index except those of constraints is created again afterwards, which is several times faster.
    Triggers are disabled meanwhile: counts and groups of failures must be rebuilt if they are needed.
    """
    indexes = _drop_indexes(hub)
    triggers = stop_triggers(hub)
    for table in _TABLES:
        statement = statements.read_text(f"filling/{table}")
        hub.execute(statement, {"messages": messages, "days": DAYS, "ids": IDS_PER_MESSAGE})
    for statement in (*indexes, *triggers):
        hub.execute(statement)
    hub.execute("SELECT setval('hibernate_sequence', %s)", [(messages + 1) * IDS_PER_MESSAGE])
    for table in _TABLES:
        hub.execute(f"ANALYZE {table}")


def fill_hub(cursor: psycopg.Cursor, hub: "Hub", *, messages: int, zone: str) -> None:
    """Fill a hub's own tables with the same rows as `fill`; arguments as of `insert_into_hub`."""
    values = {"messages": messages, "days": DAYS, "ids": IDS_PER_MESSAGE}
    insert_into_hub(cursor, hub, "filling", values, zone=zone)
    if "node" in hub.family.tables:
        cursor.execute(
            f"INSERT INTO {hub.schema}.node (node_id, code, name, state)"
            " SELECT id, 'node-' || id, 'Node ' || id, 'RUN' FROM generate_series(1, 2) AS id"
            " ON CONFLICT DO NOTHING"
        )
    cursor.execute(
        f"SELECT setval('{hub.schema}.{hub.family.sequence}', max(msg_id)) FROM {hub.schema}.message"
    )


def insert_into_hub(
    cursor: psycopg.Cursor, hub: "Hub", folder: str, values: Mapping[str, int], *, zone: str
) -> None:
    """
    Insert rows into a hub's own tables, through views with the names of the console.

    Every table is a transaction of its own, and one with rows is skipped, so that an interrupted run can be
    repeated.

    Args:
        cursor: of a superuser, in a session that commits each statement.
        folder: of sql/, with a statement for each table.
        zone: the time zone of the hub, in which its tables have times.
    """
    tables = _create_views(cursor, hub)
    of_folder = {file.name.removesuffix(".sql") for file in (_SQL / folder).iterdir()}
    # Foreign keys are not checked: the rows have what they refer to.
    cursor.execute("SET session_replication_role = replica; SET synchronous_commit = off")
    cursor.execute("SELECT set_config('timezone', %s, false)", [zone])
    for table in (name for name in _TABLES if name in tables and name in of_folder):
        cursor.execute(f"SELECT EXISTS (SELECT FROM {table})")
        if cursor.fetchone() == (False,):
            cursor.execute(statements.read_text(f"{folder}/{table}"), values)
    cursor.execute(f"DROP SCHEMA {_FILLING} CASCADE; RESET ALL")
    for table, schema in tables.items():
        cursor.execute(f"VACUUM ANALYZE {schema}.{table}")


def _create_views(cursor: psycopg.Cursor, hub: "Hub") -> dict[str, str]:
    """Create a view of each table, and return the schemas of the tables. Times are cast to the hub's."""
    from messages_app.attach.recognition import find_viewed_tables
    from messages_app.attach.views import MODELS, base_columns

    tables = find_viewed_tables(hub)
    cursor.execute(f"DROP SCHEMA IF EXISTS {_FILLING} CASCADE; CREATE SCHEMA {_FILLING}")
    for table, schema in tables.items():
        names = {base_name(table, field.column): field.column for field in MODELS[table]._meta.local_fields}
        base_names = base_columns(hub, table)
        columns = sql.SQL(", ").join(
            sql.SQL("{} AS {}").format(sql.Identifier(base), sql.Identifier(name))
            for base, name in names.items()
            if base in base_names
        )
        view, base = sql.Identifier(_FILLING, table), sql.Identifier(schema, table)
        cursor.execute(sql.SQL("CREATE VIEW {} AS SELECT {} FROM {}").format(view, columns, base))
        for column, value in _DEFAULTS.items():
            if column in base_names:
                cursor.execute(f"ALTER VIEW {_FILLING}.{table} ALTER COLUMN {column} SET DEFAULT {value}")
    cursor.execute(f"SET search_path = {_FILLING}")
    return tables


def _drop_indexes(hub: psycopg.Cursor) -> list[str]:
    """Drop the indexes that constraints do not need, and return the statements that create them again."""
    hub.execute(
        # Of a partitioned table it gives the statement for the table without its partitions.
        "SELECT indexrelid::regclass::text, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ')"
        " FROM pg_index"
        " WHERE indrelid = ANY (%s::regclass[])"
        "   AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)",
        [list(_TABLES)],
    )
    indexes = hub.fetchall()
    for name, _ in indexes:
        hub.execute(f"DROP INDEX {name}")
    return [definition for _, definition in indexes]


def stop_triggers(hub: psycopg.Cursor) -> list[str]:
    """Disable the tables' triggers, and return the statements that enable them again."""
    hub.execute(
        "SELECT tgrelid::regclass::text, tgname, tgenabled = 'A' FROM pg_trigger"
        " WHERE tgrelid = ANY (%s::regclass[]) AND NOT tgisinternal AND NOT tgenabled = 'D'",
        [list(_TABLES)],
    )
    triggers = hub.fetchall()
    for table, name, _ in triggers:
        hub.execute(f"ALTER TABLE {table} DISABLE TRIGGER {name}")
    return [
        f"ALTER TABLE {table} ENABLE {'ALWAYS ' if is_always else ''}TRIGGER {name}"
        for table, name, is_always in triggers
    ]
