"""Sending a room's statements over Django's connection. What they say stands in the room's `sql` package."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import connection

from messages_app.statements import Statements


@dataclass(frozen=True)
class Sender:
    """Sends the statements of one package by their names."""

    statement: Statements

    def row_of(self, name: str, values: Mapping[str, object]) -> tuple | None:
        """Send the statement of this name and return its first row."""
        with connection.cursor() as cursor:
            cursor.execute(self.statement(name), values)
            return cursor.fetchone()

    def rows_of(self, name: str, values: Mapping[str, object]) -> list[tuple]:
        with connection.cursor() as cursor:
            cursor.execute(self.statement(name), values)
            return cursor.fetchall()

    def count_of(self, name: str, values: Mapping[str, object]) -> int:
        """Send the statement of this name and return how many rows it changed."""
        with connection.cursor() as cursor:
            cursor.execute(self.statement(name), values)
            return cursor.rowcount
