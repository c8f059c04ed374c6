"""
How the hub's jobs find rows: piece by piece along the index of a state, never all at once.

The real hub reads all rows of a state and sorts them; what is taken, and from where on, is the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import connection

from messages_app.demo.hub.sql import statement
from messages_app.messages.services import rules
from messages_app.messages.states import ExternalCallState, MessageState

FENCE = 2000
_BEGINNING = datetime(1, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Found:
    """A message that is due."""

    msg_id: int
    msg_timestamp: datetime

    def poll_order(self) -> tuple[datetime, int]:
        return self.msg_timestamp, self.msg_id * _tie()


def messages_in(
    state: MessageState,
    *,
    changed_before: datetime | None = None,
    changed_after: datetime | None = None,
    started_before: datetime | None = None,
    operations: list[str] | None = None,
) -> Iterator[Found]:
    """Yield the messages in a state that are due: piece by piece, the oldest msg_timestamp first."""
    arguments = {
        "state": state,
        "ok": MessageState.OK,  # as the partial index leaves it out
        "fence": FENCE,
        "tie": _tie(),
        "changed_before": changed_before,
        "changed_after": changed_after,
        "started_before": started_before,
        "operations": operations,
    }
    position: tuple[datetime, int] | None = (_BEGINNING, 0)
    while position is not None:
        rows = _fetch("messages_in_state", arguments | {"after_time": position[0], "after_id": position[1]})
        position = next(((row[1], row[0]) for row in rows if row[4]), None)
        yield from (Found(row[0], row[2]) for row in rows if row[3])


def calls_in(
    state: ExternalCallState, *, changed_before: datetime, operation_name: str | None = None
) -> Iterator[int]:
    """Yield the ids of the external calls in a state that are due, the oldest first."""
    arguments = {
        "state": state,
        "ok": ExternalCallState.OK,
        "fence": FENCE,
        "changed_before": changed_before,
        "operation_name": operation_name,
    }
    last = 0
    while rows := _fetch("calls_in_state", arguments | {"after_id": last}):
        last = rows[-1][0]
        yield from (call_id for call_id, is_due in rows if is_due)


def _tie() -> int:
    return -1 if rules().newest_id_first else 1


def _fetch(name: str, arguments: dict[str, object]) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(statement(name), arguments)
        return cursor.fetchall()
