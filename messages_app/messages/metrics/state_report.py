"""How many messages there are: by service, operation, source and state, and by state alone."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db import connection
from django.http import QueryDict
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.api import ApiView
from messages_app.core.api_schema import READING, answers
from messages_app.core.clock import database_clock
from messages_app.core.filters.table import parameters, read, table, time_range
from messages_app.core.lists.branches import planned_rows
from messages_app.core.problems import bad_field, bad_input
from messages_app.core.statements import Statements
from messages_app.messages.models import Message
from messages_app.messages.tables import message_state
from messages_app.shared.message_states import MessageState

statements = Statements("messages_app.messages.metrics")


# The time range that a report is about: of receive_timestamp, the last 24 hours unless it says otherwise.


COLUMN = "receive_timestamp"
FILTERS = table(*time_range(COLUMN))
DEFAULT = timedelta(hours=24)
_EARLIEST = datetime(1, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class TimeRange:
    """From `start` to `end`, both of them in it."""

    start: datetime
    end: datetime


def parse(params: QueryDict, *, longest: timedelta | None = None) -> TimeRange:
    """
    Return the range that a query string asks for. Without an end it ends now, by the database's clock;
    without a start it is the 24 hours before its end.

    Raises:
        Problem: 400, a parameter is at fault, or the range is longer than `longest`.
    """
    values, errors = read(FILTERS, params)
    if errors:
        raise bad_input(errors)
    first, last = values.get(f"{COLUMN}_from"), values.get(f"{COLUMN}_to")
    end = last or max(filter(None, (database_clock(), first)))
    start = first or max(end, _EARLIEST + DEFAULT) - DEFAULT
    if longest and end - start > longest:
        text = f"The range of {COLUMN} can be at most {longest.days} days."
        raise bad_field(f"{COLUMN}_from", "out_of_range", text)
    return TimeRange(start, end)


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
    """How many live messages are in a state; not `exact`: of OK an estimate, of others at least this many."""

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
        cursor.execute(statements.text("matrix"), {"start": range_.start, "end": range_.end, "fence": FENCE})
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
    """Return the number of live messages by state; OK is the planner's estimate minus the other states."""
    others = [state for state in MessageState if state != MessageState.OK]
    with connection.cursor() as cursor:
        cursor.execute(statements.text("totals"), {"states": others, "fence": _FENCE_OF_TOTAL})
        counted = dict(cursor.fetchall())
    through = max(planned_rows(Message.objects.only("pk")) - sum(counted.values()), 0)
    return [
        Total(state=MessageState.OK, count=through, exact=False),
        *(
            Total(state=state, count=counted[state], exact=counted[state] < _FENCE_OF_TOTAL)
            for state in others
        ),
    ]


# What the API says in its report of states: always one page. Source: docs/spec/interfaces.md, "Messages".


class MatrixRowSerializer(serializers.Serializer):
    service_name = serializers.CharField()
    operation_name = serializers.CharField()
    source_system = serializers.CharField()
    states = serializers.DictField(
        child=serializers.IntegerField(), help_text="Messages by state, without states that have no messages."
    )
    total = serializers.IntegerField()


class TotalSerializer(serializers.Serializer):
    state = message_state()
    count = serializers.IntegerField()
    exact = serializers.BooleanField(
        help_text="false: an estimate for OK, and a lower bound for other states."
    )


class StatsSerializer(serializers.Serializer):
    next = serializers.URLField(allow_null=True, default=None, help_text="Always null.")
    previous = serializers.URLField(allow_null=True, default=None, help_text="Always null.")
    receive_timestamp_from = serializers.DateTimeField()
    receive_timestamp_to = serializers.DateTimeField()
    truncated = serializers.BooleanField(
        help_text=f"More than {FENCE} messages or {MAX_ROWS} rows: not all are in `results`."
    )
    counted_from = serializers.DateTimeField(help_text="Messages received from this time on are counted.")
    results = MatrixRowSerializer(many=True)
    totals = TotalSerializer(many=True, help_text="All live messages by state, whatever their receive time.")


# How many messages are in which state, over REST.


_PARAMETERS = parameters(FILTERS)


class StatsView(ApiView):
    rights = {"GET": roles.CAN_VIEW_MESSAGES}
    parameters = None

    @extend_schema(
        operation_id="stats_list",
        parameters=_PARAMETERS,
        responses=answers(200, StatsSerializer, READING),
    )
    def get(self, request: Request) -> Response:
        """
        Count the messages of a time range by service, operation, source and state.

        By default of the last 24 hours; a range may be 7 days long.
        """
        range_ = parse(request.query_params, longest=LONGEST)
        report = matrix(range_)
        body = {
            **_bounds(range_),
            "truncated": report.truncated,
            "counted_from": report.counted_from,
            "results": report.rows,
            "totals": totals(),
        }
        return Response(StatsSerializer(body).data)


def _bounds(range_: TimeRange) -> dict[str, object]:
    return {
        "next": None,
        "previous": None,
        "receive_timestamp_from": range_.start,
        "receive_timestamp_to": range_.end,
    }
