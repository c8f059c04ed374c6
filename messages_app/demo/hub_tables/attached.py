"""
Writes rows to the tables of an attached hub, as the hub does: to its own columns, in its own time zone.

A view cannot be written for this: PostgreSQL does not update the columns that it computes, such as times.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import psycopg
from django.db import connection
from django.db.models import Field, Model
from psycopg import sql

from messages_app.attach.layouts import Kind
from messages_app.attach.recognition import Hub, find_viewed_tables, recognize_hub
from messages_app.attach.views import base_columns
from messages_app.demo.hub_tables import statements
from messages_app.demo.rows import Lines
from messages_app.messages.attachment import Attachment, current_attachment
from messages_app.shared.hub_names import base_name

_INCOMING = "incoming_"


class AttachedTables:
    """The tables of an attached hub, and their columns by the fields of the console's models."""

    def __init__(self, attachment: Attachment, hub: Hub) -> None:
        self._hub = hub
        self._zone = ZoneInfo(attachment.time_zone)
        self._places = {
            table: sql.Identifier(schema, table) for table, schema in find_viewed_tables(hub).items()
        }

    def has_table(self, model: type[Model]) -> bool:
        """Return whether the hub has this table; otherwise it is the console's own."""
        return model._meta.db_table in self._places

    def insert(self, row: Model) -> None:
        """
        Insert a row.

        Raises:
            IntegrityError: as of the same row in the console's own table.
        """
        columns = self._columns_of(row, [field.attname for field in row._meta.local_concrete_fields])
        statement = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
            self._places[row._meta.db_table],
            sql.SQL(", ").join(map(sql.Identifier, columns)),
            sql.SQL(", ").join(sql.Placeholder() * len(columns)),
        )
        with connection.cursor() as cursor:
            cursor.execute(statement, list(columns.values()))

    def update(self, row: Model, fields: Iterable[str], *, state: str | None = None) -> bool:
        """Write these fields of a row, only if it is in `state`, if any; return whether it was written."""
        columns = self._columns_of(row, fields)
        statement = sql.SQL("UPDATE {} SET {} WHERE {} = %s AND (%s::text IS NULL OR state = %s)").format(
            self._places[row._meta.db_table],
            sql.SQL(", ").join(sql.SQL("{} = %s").format(sql.Identifier(name)) for name in columns),
            sql.Identifier(row._meta.pk.column),
        )
        with connection.cursor() as cursor:
            cursor.execute(statement, [*columns.values(), row.pk, state, state])
            return bool(cursor.rowcount)

    def prepare_copy(self, columns: Mapping[str, Iterable[str]]) -> None:
        """Create a temporary table for each table of the demo, for this transaction."""
        with connection.cursor() as cursor:
            for table, names in columns.items():
                cursor.execute(
                    sql.SQL("CREATE TEMP TABLE {} ON COMMIT DROP AS SELECT {} FROM {} WITH NO DATA").format(
                        sql.Identifier(_INCOMING + table),
                        sql.SQL(", ").join(map(sql.Identifier, names)),
                        sql.Identifier(table),
                    )
                )

    def copy_rows(
        self,
        database: psycopg.Connection,
        tables: Lines,
        columns: Mapping[str, Iterable[str]],
    ) -> None:
        """
        Copy rows into the tables, changed to what this hub can have.

        Args:
            tables: the rows of each table, with the console's columns and times.
            columns: the columns of these rows.
        """
        with database.cursor() as cursor:
            for table, rows in tables.items():
                place = sql.Identifier(_INCOMING + table)
                listed = sql.SQL(", ").join(map(sql.Identifier, columns[table]))
                with cursor.copy(sql.SQL("COPY {} ({}) FROM STDIN").format(place, listed)) as copy:
                    for row in rows:
                        copy.write_row(row)
            cursor.execute(statements.read_text(f"fit_{self._hub.family.rules}"))
            for table, names in columns.items():
                cursor.execute(self._take_rows(table, names))
                cursor.execute(sql.SQL("TRUNCATE {}").format(sql.Identifier(_INCOMING + table)))

    def analyze(self) -> None:
        with connection.cursor() as cursor:
            for place in self._places.values():
                cursor.execute(sql.SQL("ANALYZE {}").format(place))

    def _take_rows(self, table: str, names: Iterable[str]) -> sql.Composed:
        """Return the statement that moves rows from the temporary table to the table itself."""
        values: dict[str, sql.Composable] = {}
        hub_columns = base_columns(self._hub, table) if table in self._places else None
        for name in names:
            base = name if hub_columns is None else base_name(table, name)
            if hub_columns is None or base in hub_columns:
                is_time = hub_columns is not None and hub_columns[base] is Kind.TIME
                zone = sql.SQL("timezone({}, {})" if is_time else "{1}")
                values[base] = zone.format(sql.Literal(self._zone.key), sql.Identifier(name))
        return sql.SQL("INSERT INTO {} ({}) SELECT {} FROM {}").format(
            self._places.get(table, sql.Identifier(table)),
            sql.SQL(", ").join(map(sql.Identifier, values)),
            sql.SQL(", ").join(values.values()),
            sql.Identifier(_INCOMING + table),
        )

    def _columns_of(self, row: Model, fields: Iterable[str]) -> dict[str, Any]:
        """Return the values of the hub's columns. It lacks some of the console's."""
        table = row._meta.db_table
        hub_columns = base_columns(self._hub, table)
        model_fields = [row._meta.get_field(name) for name in fields]
        return {
            base: self._value_of(row, field)
            for field in model_fields
            if isinstance(field, Field) and (base := base_name(table, field.column)) in hub_columns
        }

    def _value_of(self, row: Model, field: Field) -> object:
        value = getattr(row, field.attname)
        return value.astimezone(self._zone).replace(tzinfo=None) if isinstance(value, datetime) else value


def attached_tables() -> AttachedTables | None:
    """Return the tables of the attached hub, or None if the console has its own."""
    attachment = current_attachment()
    if attachment is None:
        return None
    hub = recognize_hub(attachment.hub_schema, archive_schema=attachment.archive_schema)
    if not isinstance(hub, Hub):
        raise LookupError(hub.text)
    return AttachedTables(attachment, hub)
