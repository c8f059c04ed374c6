"""The room's hand-written SQL, one statement a file, and sending it."""

from collections.abc import Mapping

from django.db import connection

from messages_app.statements import Statements

statement = Statements(__name__)


def row_of(name: str, values: Mapping[str, object]) -> tuple | None:
    """Send the statement of this name and return its first row."""
    with connection.cursor() as cursor:
        cursor.execute(statement(name), values)
        return cursor.fetchone()


def rows_of(name: str, values: Mapping[str, object]) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(statement(name), values)
        return cursor.fetchall()


def count_of(name: str, values: Mapping[str, object]) -> int:
    """Send the statement of this name and return how many rows it changed."""
    with connection.cursor() as cursor:
        cursor.execute(statement(name), values)
        return cursor.rowcount
