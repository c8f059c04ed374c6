"""Runs hand-written SQL on Django's connection."""

from django.db import connection
from psycopg.abc import Params
from psycopg.rows import TupleRow

from messages_app.shared.sql_files import SqlFiles


class Statements(SqlFiles):
    """The SQL files of one package, run by name."""

    def row(self, name: str, values: Params) -> TupleRow | None:
        """Run a statement and return its first row, or None."""
        with connection.cursor() as cursor:
            cursor.execute(self.text(name), values)
            row: TupleRow | None = cursor.fetchone()
            return row

    def only_row(self, name: str, values: Params) -> TupleRow:
        """
        Run a statement that always returns a row, and return the row.

        Raises:
            LookupError: it returned no row.
        """
        row = self.row(name, values)
        if row is None:
            raise LookupError(f"The statement {name} gave no row.")
        return row

    def rows(self, name: str, values: Params) -> list[TupleRow]:
        """Run a statement and return all rows."""
        with connection.cursor() as cursor:
            cursor.execute(self.text(name), values)
            rows: list[TupleRow] = cursor.fetchall()
            return rows

    def count(self, name: str, values: Params) -> int:
        """Run a statement and return the number of affected rows."""
        with connection.cursor() as cursor:
            cursor.execute(self.text(name), values)
            count: int = cursor.rowcount
            return count
