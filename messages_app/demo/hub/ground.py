"""
Whether a database is the demo's ground: the played hub runs nobody's real messages.

It is, when every message there is has an operation and a source system of the demo's world. Both are looked
up value by value along an index, so that this costs the same for ten million messages.
"""

from enum import Enum

from django.db import connection

from messages_app.demo.world import OPERATIONS
from messages_app.messages.sql import statement

_SYSTEMS = {system for operation in OPERATIONS.values() for system in operation.systems}
_KNOWN = {"operation_name": set(OPERATIONS), "source_system": _SYSTEMS}


class Ground(Enum):
    EMPTY = "no message yet"
    DEMO = "messages of the demo only"
    FOREIGN = "messages that the demo did not make"


def look() -> Ground:
    """Say whose messages the database holds."""
    for column, known in _KNOWN.items():
        found = _values(column, most=len(known) + 1)
        if not found:
            return Ground.EMPTY
        if not found <= known:
            return Ground.FOREIGN
    return Ground.DEMO


def _values(column: str, *, most: int) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(statement("distinct_values").format(column=column), {"start": "", "count": most})
        return {row[0] for row in cursor}
