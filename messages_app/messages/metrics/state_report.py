"""
The report of messages in a time range by service, operation, source and state, and of all live messages by
state.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.http import QueryDict

from messages_app.core.clock import database_clock
from messages_app.core.filters.table import filters_by_name, read_filters, time_range
from messages_app.core.lists.branches import planned_rows
from messages_app.core.problems import bad_field
from messages_app.core.statements import Statements
from messages_app.messages.models import Message
from messages_app.shared.message_states import MessageState

statements = Statements("messages_app.messages.metrics")


COLUMN = "receive_timestamp"


FILTERS = filters_by_name(*time_range(COLUMN))


DEFAULT = timedelta(hours=24)


_EARLIEST = datetime(1, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class TimeRange:
    """From `start` to `end`, both included."""

    start: datetime
    end: datetime


def parse_range(params: QueryDict, *, longest: timedelta | None = None) -> TimeRange:
    """
    Parse the range in a query string. Without an end it ends now, by the database's clock; without a start it
    has the 24 hours before its end.

    Raises:
        Problem: 400, a parameter is invalid, or the range is longer than `longest`.
    """
    values = read_filters(FILTERS, params)
    first, last = values.get(f"{COLUMN}_from"), values.get(f"{COLUMN}_to")
    end = last or max(filter(None, (database_clock(), first)))
    start = first or max(end, _EARLIEST + DEFAULT) - DEFAULT
    if longest and end - start > longest:
        text = f"The range of {COLUMN} can be at most {longest.days} days."
        raise bad_field(f"{COLUMN}_from", "out_of_range", text)
    return TimeRange(start, end)


MAX_RANGE = timedelta(days=7)


FENCE = 200_000


MAX_ROWS = 1000


_FENCE_OF_TOTAL = 50_000


@dataclass(frozen=True, kw_only=True)
class MatrixRow:
    """The numbers of messages of one service, operation and source, by state."""

    service_name: str
    operation_name: str
    source_system: str
    states: dict[str, int]

    @property
    def total(self) -> int:
        return sum(self.states.values())


@dataclass(frozen=True, kw_only=True)
class Total:
    """
    The number of live messages in a state.

    Args:
        exact: False if the number is an estimate, for OK, or a lower bound, for other states.
    """

    state: str
    count: int
    exact: bool


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """
    Messages received in a time range.

    Args:
        counted_from: the time from which messages were counted, which is later than the start of the range
            if the range has more than FENCE messages.
        truncated: whether messages were not counted, or rows beyond MAX_ROWS left out.
    """

    rows: list[MatrixRow]
    counted_from: datetime
    truncated: bool


def count_range(requested: TimeRange) -> Matrix:
    """Count the messages received in a range by service, operation, source and state."""
    values = {"start": requested.start, "end": requested.end, "fence": FENCE}
    counts = statements.fetch_rows("matrix", values)
    states: dict[tuple[str, str, str], dict[str, int]] = {}
    for service, operation, source, state, count, _ in counts:
        states.setdefault((service, operation, source), {})[state] = count
    rows = [
        MatrixRow(service_name=service, operation_name=operation, source_system=source, states=by_state)
        for (service, operation, source), by_state in states.items()
    ]
    is_cut = sum(row.total for row in rows) >= FENCE
    return Matrix(
        rows=rows[:MAX_ROWS],
        counted_from=min(first for *_, first in counts) if is_cut else requested.start,
        truncated=is_cut or len(rows) > MAX_ROWS,
    )


def count_by_state(failing: int) -> list[Total]:
    """
    Count the live messages by state. OK is the planner's estimate for all minus the other states.

    Args:
        failing: the number of messages that are FAILED.
    """
    others = [state for state in MessageState if state not in {MessageState.OK, MessageState.FAILED}]
    counted: dict[str, int] = dict(
        statements.fetch_rows("totals", {"states": others, "fence": _FENCE_OF_TOTAL})
    )
    unfinished = failing + sum(counted.values())
    succeeded = max(planned_rows(Message.objects.only("pk")) - unfinished, 0)
    return [
        Total(state=MessageState.OK, count=succeeded, exact=False),
        Total(state=MessageState.FAILED, count=failing, exact=True),
        *(
            Total(state=state, count=counted[state], exact=counted[state] < _FENCE_OF_TOTAL)
            for state in others
        ),
    ]
