"""The hub's single connection: the meaning of its errors, and reconnecting."""

from collections.abc import Callable
from enum import Enum

from django.db import Error, InterfaceError, OperationalError, connection

from messages_app.core.statements import Statements
from messages_app.demo.hub_tables import is_of_demo, sequence_name
from messages_app.demo.world import OPERATIONS
from messages_app.messages.attachment import current_attachment

statements = Statements("messages_app.messages")


# Short, because one thread simulates many: the step is repeated, and other work continues meanwhile.
_LOCK_TIMEOUT = "100ms"
# lock_not_available, deadlock_detected, serialization_failure
_BUSY = {"55P03", "40P01", "40001"}
# The classes connection_exception, insufficient_resources and operator_intervention (it stops, or starts).
_LOST = ("08", "53", "57P")


def is_busy(error: Error) -> bool:
    """Return whether another session was in the way, so that another attempt may succeed."""
    return _code(error) in _BUSY


def is_lost(error: Error) -> bool:
    """Return whether the connection or the database is lost or currently unavailable."""
    code = _code(error)
    if code is None:
        return isinstance(error, (OperationalError, InterfaceError))
    return code.startswith(_LOST)


def violates_unique_key(error: Error) -> bool:
    return _code(error) == "23505"


def connect(*, is_over: Callable[[float], bool]) -> bool:
    """
    Try to connect until it succeeds or `is_over`, which waits for the given seconds, returns True.

    Returns:
        Whether there is a connection.
    """
    while True:
        connection.close()
        try:
            with connection.cursor() as cursor:
                cursor.execute(f"SET lock_timeout = '{_LOCK_TIMEOUT}'")
            return True
        except (OperationalError, InterfaceError):
            if is_over(0.5):
                return False


def draw_ids(count: int) -> list[int]:
    """
    Return new ids of the sequence that all hub tables share.

    Source: docs/contributing/spec/cleverbus.md, "Identifiers".
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(%s) FROM generate_series(1, %s)", [sequence_name(), count])
        return [row[0] for row in cursor]


def _code(error: Error) -> str | None:
    return getattr(error.__cause__, "sqlstate", None)


# Checks that a database belongs to the demo, because the simulated hub must not process real messages. It
# does if every message has an operation and a source system of the demo. Both are looked up value by value in
# an index, so the cost is the same for ten million messages.


_SYSTEMS = {system for operation in OPERATIONS.values() for system in operation.systems}
_KNOWN = {"operation_name": set(OPERATIONS), "source_system": _SYSTEMS}


class Ground(Enum):
    EMPTY = "no message yet"
    DEMO = "messages of the demo only"
    FOREIGN = "messages that the demo did not make"


def look() -> Ground:
    """Return whether the database is empty, the demo's own, or has other messages, as an attached hub's."""
    if (attached := current_attachment()) and not is_of_demo(attached):
        return Ground.FOREIGN
    for column, known in _KNOWN.items():
        found = _values(column, most=len(known) + 1)
        if not found:
            return Ground.EMPTY
        if not found <= known:
            return Ground.FOREIGN
    return Ground.DEMO


def _values(column: str, *, most: int) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            statements.read_text("distinct_values").format(column=column), {"start": "", "count": most}
        )
        return {row[0] for row in cursor}
