"""
Whether a database belongs to the demo, because the simulated hub must not process real messages.

It does if every message has an operation and a source system of the demo. Both are looked up value by value
in an index, so the cost is the same for ten million messages.
"""

from enum import Enum

from django.db import connection

from messages_app.core.statements import Statements
from messages_app.demo.hub_tables import is_of_demo
from messages_app.demo.world import OPERATIONS
from messages_app.messages.attachment import current_attachment

statements = Statements("messages_app.messages")

_SYSTEMS = {system for operation in OPERATIONS.values() for system in operation.systems}
_KNOWN = {"operation_name": set(OPERATIONS), "source_system": _SYSTEMS}


class Ground(Enum):
    EMPTY = "no message yet"
    DEMO = "messages of the demo only"
    FOREIGN = "messages that the demo did not make"


def look_at_ground() -> Ground:
    """Return whether the database is empty, the demo's own, or has other messages, as an attached hub's."""
    if (attached := current_attachment()) and not is_of_demo(attached):
        return Ground.FOREIGN
    for column, own_values in _KNOWN.items():
        values = _read_values(column, most=len(own_values) + 1)
        if not values:
            return Ground.EMPTY
        if not values <= own_values:
            return Ground.FOREIGN
    return Ground.DEMO


def _read_values(column: str, *, most: int) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            statements.read_text("distinct_values").format(table="message", column=column),
            {"start": "", "count": most},
        )
        return {row[0] for row in cursor}
