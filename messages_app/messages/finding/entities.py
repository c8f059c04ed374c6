"""The live external calls of an entity, found without an index of our own on a table that the hub writes."""

from django.db import OperationalError, connection

from messages_app.messages.finding.sql import statement
from messages_app.web.time_limits import time_limit

# Target addresses are few; where each call has its own, as a query string makes them, these must do.
_MOST_OPERATIONS = 500
_MS = 300


def calls_of_entity(entity_id: str, *, limit: int) -> list[int]:
    """Return the ids of live calls with this entity id, newest first; none where it takes too long."""
    arguments = {"entity_id": entity_id, "limit": limit, "most_operations": _MOST_OPERATIONS}
    try:
        with time_limit(_MS), connection.cursor() as cursor:
            cursor.execute(statement("calls_of_entity"), arguments)
            return [call_id for (call_id,) in cursor]
    except OperationalError:
        return []
