"""How many messages there are: by service, operation, source and state, and by state alone."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection

from messages_app.messages.models import Message
from messages_app.messages.reporting.sql import statement
from messages_app.messages.reporting.time_ranges import TimeRange
from messages_app.messages.states import MessageState
from messages_app.web.lists.branches import planned_rows

LONGEST = timedelta(days=7)
FENCE = 200_000
MAX_ROWS = 1000
_FENCE_OF_TOTAL = 50_000


@dataclass(frozen=True, kw_only=True)
class MatrixRow:
    """The messages of one service, operation and source: how many in which state."""

    service_name: str
    operation_name: str
    source_system: str
    states: dict[str, int]

    @property
    def total(self) -> int:
        return sum(self.states.values())


@dataclass(frozen=True, kw_only=True)
class Total:
    """How many live messages are in a state; not `exact`: of OK an estimate, of others at least so many."""

    state: str
    count: int
    exact: bool


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """
    Messages received in a time range.

    Args:
        counted_from: from when on they were counted: later than asked for, where there are more than FENCE.
        truncated: not all were counted, or there are more than MAX_ROWS rows.
    """

    rows: list[MatrixRow]
    counted_from: datetime
    truncated: bool


def matrix(range_: TimeRange) -> Matrix:
    """Return what was received in a range, by service, operation, source and state."""
    with connection.cursor() as cursor:
        cursor.execute(statement("matrix"), {"start": range_.start, "end": range_.end, "fence": FENCE})
        found = cursor.fetchall()
    states: dict[tuple[str, str, str], dict[str, int]] = {}
    for *names, state, count, _ in found:
        states.setdefault(tuple(names), {})[state] = count
    rows = [
        MatrixRow(service_name=service, operation_name=operation, source_system=source, states=counts)
        for (service, operation, source), counts in states.items()
    ]
    is_cut = sum(row.total for row in rows) >= FENCE
    return Matrix(
        rows=rows[:MAX_ROWS],
        counted_from=min(first for *_, first in found) if is_cut else range_.start,
        truncated=is_cut or len(rows) > MAX_ROWS,
    )


def totals() -> list[Total]:
    """Return the live messages by state. OK is most of the table: what the planner has beside the others."""
    others = [state for state in MessageState if state != MessageState.OK]
    with connection.cursor() as cursor:
        cursor.execute(statement("totals"), {"states": others, "fence": _FENCE_OF_TOTAL})
        counted = dict(cursor.fetchall())
    through = max(planned_rows(Message.objects.values("pk")) - sum(counted.values()), 0)
    return [
        Total(state=MessageState.OK, count=through, exact=False),
        *(
            Total(state=state, count=counted[state], exact=counted[state] < _FENCE_OF_TOTAL)
            for state in others
        ),
    ]
