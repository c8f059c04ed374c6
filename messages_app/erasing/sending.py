"""Sends the statements of this room."""

from collections.abc import Mapping

from django.db import connection
from psycopg import sql

from messages_app.erasing.sql import statement
from messages_app.sending import Sender

sender = Sender(statement)


def ids_of(name: str, values: Mapping[str, object]) -> list:
    """Return the first column of what a statement gives."""
    return [row[0] for row in sender.rows_of(name, values)]


def delete_rows(table: str, key: str, chosen: str, values: Mapping[str, object]) -> list:
    """
    Delete the rows of a table that `chosen` names, and return their keys.

    Args:
        chosen: a condition with %(name)s arguments.
    """
    query = sql.SQL(statement("delete_rows")).format(
        table=sql.Identifier(table), key=sql.Identifier(key), chosen=sql.SQL(chosen)
    )
    with connection.cursor() as cursor:
        cursor.execute(query.as_string(connection.connection), values)
        return [row[0] for row in cursor.fetchall()]
