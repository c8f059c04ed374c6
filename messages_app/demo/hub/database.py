"""The hub's single connection: the meaning of its errors, and reconnecting."""

from collections.abc import Callable

from django.db import Error, InterfaceError, OperationalError, connection

from messages_app.demo.hub_tables import sequence_name

# Short, because one thread simulates many: the step is repeated, and other work continues meanwhile.
_LOCK_TIMEOUT = "100ms"
# lock_not_available, deadlock_detected, serialization_failure
_BUSY = {"55P03", "40P01", "40001"}
# The classes connection_exception, insufficient_resources and operator_intervention (it stops, or starts).
_LOST = ("08", "53", "57P")


def is_busy(error: Error) -> bool:
    """Return whether another session was in the way, so that another attempt may succeed."""
    return _code_of(error) in _BUSY


def is_lost(error: Error) -> bool:
    """Return whether the connection or the database is lost or currently unavailable."""
    code = _code_of(error)
    if code is None:
        return isinstance(error, (OperationalError, InterfaceError))
    return code.startswith(_LOST)


def is_duplicate_key(error: Error) -> bool:
    return _code_of(error) == "23505"


def connect_hub(*, is_over: Callable[[float], bool]) -> bool:
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


def _code_of(error: Error) -> str | None:
    return getattr(error.__cause__, "sqlstate", None)
