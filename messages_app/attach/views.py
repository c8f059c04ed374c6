"""
The views through which the console sees a hub's tables under the names and types of its own models.

They are plain views that PostgreSQL updates itself: a conditional UPDATE through them keeps its condition
while the hub writes. Rules and INSTEAD OF triggers lose it. Times are converted from the hub's time zone.

Source: docs/contributing/spec/hub_versions.md, "Message columns", "Views of a hub's tables".
"""

from collections.abc import Iterator, Mapping
from typing import cast

from django.db import connection
from django.db.models import Model
from psycopg import sql

from messages_app.attach.layouts import NOT_ARCHIVED, Columns, Kind
from messages_app.attach.recognition import ARCHIVE_PREFIX, Hub, find_viewed_tables
from messages_app.messages.models import ArchiveMessage, Message
from messages_app.messages.suspension import SCHEMA
from messages_app.messages.tables import ARCHIVE, LIVE
from messages_app.shared.hub_names import base_name
from messages_app.shared.hub_zones import instant_of

MODELS: Mapping[str, type[Model]] = {
    model._meta.db_table: model
    for tables in (LIVE, ARCHIVE)
    for model in cast(Mapping[str, type[Model]], tables).values()
}
# The column of `message` that a restart writes, because a view cannot write to last_process_timestamp.
_LAST_UPDATE = "hub_last_update"
_WRITTEN = sql.SQL(f"base.last_update_timestamp AS {_LAST_UPDATE}")
_OF_EVERY_ROW = ("xmin", "ctid")


def base_columns(hub: Hub, table: str) -> Columns:
    """Return the columns of a hub's table, except columns that its archive lacks."""
    missing = {name for archive in hub.archives for name in archive.missing}
    columns = hub.family.tables[table.removeprefix(ARCHIVE_PREFIX)]
    return {name: kind for name, kind in columns.items() if f"{table}.{name}" not in missing}


def text_of(statement: sql.Composable) -> str:
    connection.ensure_connection()
    return statement.as_string(connection.connection)


def view_statements(hub: Hub, *, zone: str) -> list[str]:
    """Return the statements that create the views."""
    return [_write_view(hub, table, schema, zone) for table, schema in find_viewed_tables(hub).items()]


def view_columns(table: str) -> set[str]:
    """Return the names of the columns of a view."""
    names = {field.column for field in MODELS[table]._meta.local_concrete_fields} | set(_OF_EVERY_ROW)
    return names | {_LAST_UPDATE} if table == Message._meta.db_table else names


def _write_view(hub: Hub, table: str, schema: str, zone: str) -> str:
    return text_of(
        sql.SQL("CREATE VIEW {view} AS\nSELECT {columns}\n  FROM {base} AS base").format(
            view=sql.Identifier(SCHEMA, table),
            columns=sql.SQL(",\n       ").join(_select_columns(hub, table, zone)),
            base=sql.Identifier(schema, table),
        )
    )


def _select_columns(hub: Hub, table: str, zone: str) -> Iterator[sql.Composable]:
    columns = base_columns(hub, table)
    for field in MODELS[table]._meta.local_concrete_fields:
        base = base_name(table, field.column)
        value = _select_value(hub, table, base, columns, zone) or sql.SQL(
            f"NULL::{field.db_type(connection)}"
        )
        yield sql.SQL("{} AS {}").format(value, sql.Identifier(field.column))
    yield from (sql.Identifier("base", name) for name in _OF_EVERY_ROW)
    if table == Message._meta.db_table:
        yield _WRITTEN


def _select_value(hub: Hub, table: str, base: str, columns: Columns, zone: str) -> sql.Composable | None:
    """Return the hub's value of a column, or None if its tables have no such column."""
    if base in columns:
        return _convert_to_zone(sql.Identifier("base", base), columns[base], zone)
    if table == ArchiveMessage._meta.db_table and base in NOT_ARCHIVED.keys() & hub.family.tables["message"]:
        # The console keeps it, because the archive of the hub has no place for it.
        return sql.SQL("(SELECT {} FROM {} AS extra WHERE extra.msg_id = base.msg_id)").format(
            _convert_to_zone(sql.Identifier("extra", base), NOT_ARCHIVED[base], zone),
            sql.Identifier(SCHEMA, "archive_extra"),
        )
    return None


def _convert_to_zone(value: sql.Composable, kind: Kind, zone: str) -> sql.Composable:
    return instant_of(value, zone=zone) if kind is Kind.TIME else value
