"""Runs hand-written SQL on Django's connection."""

from collections.abc import Callable
from typing import Any, TypeVar

import psycopg
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.utils import CursorWrapper
from psycopg.abc import Params
from psycopg.rows import TupleRow

from messages_app.shared.sql_files import SqlFiles

R = TypeVar("R")

# Of prepared statements. Telemetry replaces it with one that it traces.
prepared_cursor: type[psycopg.Cursor] = psycopg.Cursor


class Statements(SqlFiles):
    """
    The SQL files of one package, run by name.

    With `prepare`, the server parses and plans the text once in each session. This is for short statements
    that run very often: planning takes longer than such a statement itself. The plan must be right for all
    values, so every table is read by its key, and a parameter has one type everywhere in the text.
    """

    def fetch_row(self, name: str, values: Params, *, prepare: bool = False) -> TupleRow | None:
        """Run a statement and return its first row, or None."""
        with _execute_statement(self.read_text(name), values, prepare) as cursor:
            row: TupleRow | None = cursor.fetchone()
            return row

    def only_row(self, name: str, values: Params, *, prepare: bool = False) -> TupleRow:
        """
        Run a statement that always returns a row, and return the row.

        Raises:
            LookupError: it returned no row.
        """
        row = self.fetch_row(name, values, prepare=prepare)
        if row is None:
            raise LookupError(f"The statement {name} gave no row.")
        return row

    def fetch_rows(self, name: str, values: Params, *, prepare: bool = False) -> list[TupleRow]:
        """Run a statement and return all rows."""
        with _execute_statement(self.read_text(name), values, prepare) as cursor:
            rows: list[TupleRow] = cursor.fetchall()
            return rows

    def fetch_column(self, name: str, values: Params) -> list[Any]:
        """Run a statement with one column and return its values."""
        return [value for (value,) in self.fetch_rows(name, values)]

    def fetch_records(
        self, name: str, values: Params, record: Callable[..., R], *, prepare: bool = False
    ) -> list[R]:
        """Run a statement and return its rows as records, whose fields are named as the columns."""
        with _execute_statement(self.read_text(name), values, prepare) as cursor:
            columns = [column.name for column in cursor.description or ()]
            return [record(**dict(zip(columns, row, strict=True))) for row in cursor.fetchall()]

    def count(self, name: str, values: Params, *, prepare: bool = False) -> int:
        """Run a statement and return the number of affected rows."""
        with _execute_statement(self.read_text(name), values, prepare) as cursor:
            count: int = cursor.rowcount
            return count


def _execute_statement(text: str, values: Params, prepare: bool) -> CursorWrapper | psycopg.Cursor[TupleRow]:
    """Run a statement on Django's connection, and return its cursor."""
    database = connections[DEFAULT_DB_ALIAS]
    # A log of statements would have no texts of prepared ones.
    if not prepare or database.queries_logged:
        cursor = connection.cursor()
        cursor.execute(text, values)
        return cursor
    database.ensure_connection()
    # psycopg's own cursor prepares; Django's inserts the values into the text instead.
    prepared = prepared_cursor(database.connection)
    # Django's wrapper checks the transaction and converts errors.
    database.make_cursor(prepared).execute(text, values)  # type: ignore[arg-type]  # it takes any cursor
    return prepared
