"""The different values of an indexed column of messages."""

from django.db import OperationalError, connection

from messages_app.core.clock import time_limit
from messages_app.core.statements import Statements
from messages_app.messages import fields
from messages_app.messages.models import ArchiveMessage, Message

statements = Statements("messages_app.messages")


# Without an index, as on an attached hub, the time limit ends the query.
_MS = 150


def list_distinct_values(
    column: str, *, start: str, count: int, table: type[Message] | type[ArchiveMessage] = Message
) -> list[str]:
    """
    Return values of `column` from `start` on, each once, in the order of the database.

    Args:
        column: one with an index that begins with it.
        count: the maximum number of values, each of which is one read of the index.

    Returns:
        The values; none if the table has no such index and this takes too long.
    """
    field = connection.ops.quote_name(fields.MODEL_FIELDS[column].get_attname())
    jump = statements.read_text("distinct_values").format(
        table=connection.ops.quote_name(table._meta.db_table), column=field
    )
    try:
        with time_limit(_MS), connection.cursor() as cursor:
            cursor.execute(jump, {"start": start, "count": count})
            return [value for (value,) in cursor.fetchall()]
    except OperationalError:
        return []
