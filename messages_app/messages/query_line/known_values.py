"""The values that a column of the message table has, read by jumping from one to the next in its index."""

from django.db import OperationalError, connection

from messages_app.messages.models import Message
from messages_app.messages.sql import statement
from messages_app.web.time_limits import time_limit

# Columns of few values, each with an index that begins with it (models.py).
COLUMNS = frozenset(
    {
        "service_name",
        "operation_name",
        "source_system",
        "entity_type",
        "failed_error_code",
        "funnel_component_id",
    }
)
# One jump is one look into the index; where there is none, as on an attached hub, the time runs out.
_MOST = 200
_MS = 150


def known_values(column: str, *, containing: str, limit: int) -> list[str]:
    """
    Return values of a live message's `column`, in order, those that begin with `containing` first.

    Among more than 200 values those that only contain it are looked for in the first 200.

    Args:
        column: one of COLUMNS.
        containing: any case; empty for all.
    """
    wanted = containing.casefold()
    first = _jump(column, start="", count=_MOST)
    near = _jump(column, start=containing, count=limit) if containing and len(first) == _MOST else []
    values = [value for value in dict.fromkeys([*first, *near]) if wanted in value.casefold()]
    return sorted(values, key=lambda value: not value.casefold().startswith(wanted))[:limit]


def _jump(column: str, *, start: str, count: int) -> list[str]:
    field = connection.ops.quote_name(Message._meta.get_field(column).column)
    jump = statement("distinct_values").replace("{column}", field)
    try:
        with time_limit(_MS), connection.cursor() as cursor:
            cursor.execute(jump, {"start": start, "count": count})
            return [value for (value,) in cursor.fetchall()]
    except OperationalError:
        return []
