"""Hand-written SQL over Django's connection."""

from django.db import connection
from psycopg.abc import Params
from psycopg.rows import TupleRow

from messages_app.shared.sql_files import SqlFiles


class Statements(SqlFiles):
    """The statements of one package, sent by their names."""

    def row(self, name: str, values: Params) -> TupleRow | None:
        """Send the statement of this name and return its first row."""
        with connection.cursor() as cursor:
            cursor.execute(self.text(name), values)
            row: TupleRow | None = cursor.fetchone()
            return row

    def only_row(self, name: str, values: Params) -> TupleRow:
        """
        Send a statement that always gives one row, and return it.

        Raises:
            LookupError: it gave none.
        """
        row = self.row(name, values)
        if row is None:
            raise LookupError(f"The statement {name} gave no row.")
        return row

    def rows(self, name: str, values: Params) -> list[TupleRow]:
        """Send the statement of this name and return all its rows."""
        with connection.cursor() as cursor:
            cursor.execute(self.text(name), values)
            rows: list[TupleRow] = cursor.fetchall()
            return rows

    def count(self, name: str, values: Params) -> int:
        """Send the statement of this name and return how many rows it changed."""
        with connection.cursor() as cursor:
            cursor.execute(self.text(name), values)
            count: int = cursor.rowcount
            return count
