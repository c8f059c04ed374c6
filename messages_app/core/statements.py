"""Hand-written SQL over Django's connection."""

from collections.abc import Mapping

from django.db import connection

from messages_app.shared.sql_files import SqlFiles


class Statements(SqlFiles):
    """The statements of one package, sent by their names."""

    def row(self, name: str, values: Mapping[str, object]) -> tuple | None:
        """Send the statement of this name and return its first row."""
        with connection.cursor() as cursor:
            cursor.execute(self.text(name), values)
            return cursor.fetchone()

    def rows(self, name: str, values: Mapping[str, object]) -> list[tuple]:
        """Send the statement of this name and return all its rows."""
        with connection.cursor() as cursor:
            cursor.execute(self.text(name), values)
            return cursor.fetchall()

    def count(self, name: str, values: Mapping[str, object]) -> int:
        """Send the statement of this name and return how many rows it changed."""
        with connection.cursor() as cursor:
            cursor.execute(self.text(name), values)
            return cursor.rowcount
