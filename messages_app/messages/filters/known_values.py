"""The values of a column of the message table, read by jumping from one to the next in its index."""

from django.db import OperationalError, connection

from messages_app.core.clock import time_limit
from messages_app.core.statements import Statements
from messages_app.messages import fields

statements = Statements("messages_app.messages")


# Columns of few values, each with an index that begins with it (models.py).
COLUMNS = frozenset(name for name, one in fields.FILTERED.items() if one.suggests)


# Each jump reads the index once. Without an index, as on an attached hub, the time limit ends the query.
_MAX_VALUES = 200


_MS = 150


def known_values(column: str, *, containing: str, limit: int) -> list[str]:
    """
    Return values of a live message's `column`, in order. Values that begin with `containing` come first.

    If there are more than 200 values, only the first 200 are searched for values that contain it elsewhere.

    Args:
        column: one of COLUMNS.
        containing: any case; empty for all.
    """
    part = containing.casefold()
    first = _jump_to_values(column, start="", count=_MAX_VALUES)
    near = (
        _jump_to_values(column, start=containing, count=limit)
        if containing and len(first) == _MAX_VALUES
        else []
    )
    values = [value for value in dict.fromkeys([*first, *near]) if part in value.casefold()]
    return sorted(values, key=lambda value: not value.casefold().startswith(part))[:limit]


def _jump_to_values(column: str, *, start: str, count: int) -> list[str]:
    field = connection.ops.quote_name(fields.MODEL_FIELDS[column].get_attname())
    jump = statements.read_text("distinct_values").replace("{column}", field)
    try:
        with time_limit(_MS), connection.cursor() as cursor:
            cursor.execute(jump, {"start": start, "count": count})
            return [value for (value,) in cursor.fetchall()]
    except OperationalError:
        return []
