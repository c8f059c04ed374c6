"""Reads the counts of messages. The overview reads only counts, so its cost does not depend on the number of
messages."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from messages_app.core.statements import Statements
from messages_app.shared.took_steps import find_percentile

statements = Statements("messages_app.messages.metrics")


MAX_SERVICES = 100


# The maximum number of points in a chart.
MAX_SLICES = 500


@dataclass(frozen=True, kw_only=True)
class InState:
    """
    The live messages of one state.

    Args:
        count: their number.
        long: the number of messages without a change since the requested time.
        `since`: the minute of the oldest message's last change; only the hour if that is at least 25 hours
            ago, and only the day from 8 days on.
    """

    state: str
    count: int
    long: int
    since: datetime


@dataclass(frozen=True, kw_only=True)
class ServiceEnds:
    """
    The messages of a service that ended since a time.

    Args:
        through: the number of messages that succeeded.
        p95_seconds: the 95th percentile of the time from receipt to end, within about 10 %; None if the
            counts have no such times.
    """

    service_name: str
    through: int
    failed: int
    p95_seconds: float | None

    @property
    def failure_rate(self) -> float:
        """The share of failed messages, 0 to 1."""
        return self.failed / (self.through + self.failed)


@dataclass(frozen=True, kw_only=True)
class Slice:
    """How often messages entered a state in a slice of time."""

    at: datetime
    state: str
    count: int


def now_by_state(*, before: datetime) -> dict[str, InState]:
    """
    Return the messages in each state except OK.

    Args:
        before: messages without a change since this time are counted in `long`.
    """
    return _index_by_state(statements.fetch_rows("current_states", {"before": before}))


def then_by_state(at: datetime) -> dict[str, InState] | None:
    """Return the recorded messages in each state except OK at a time; None if nothing was recorded then."""
    rows = statements.fetch_rows("gauges_at", {"at": at})
    return _index_by_state(row for row in rows if row[0]) if rows else None


def first_gauge(since: datetime) -> datetime | None:
    """Return the first minute since a time whose messages in each state were recorded."""
    minute: datetime | None
    (minute,) = statements.only_row("first_gauge", {"since": since})
    return minute


def _index_by_state(rows: Iterable[tuple[str, int, int, datetime]]) -> dict[str, InState]:
    return {
        state: InState(state=state, count=count, long=long, since=since) for state, count, long, since in rows
    }


def entered_over_time(*, start: datetime, end: datetime, width: timedelta) -> list[Slice]:
    """
    Return how often each state was entered in slices of time, without empty slices.

    Raises:
        ValueError: there would be more than MAX_SLICES slices.
    """
    if not timedelta(minutes=1) <= width or (end - start) / width > MAX_SLICES:
        raise ValueError(f"At most {MAX_SLICES} slices, each one minute or longer.")
    rows = statements.fetch_rows("entered_slices", {"start": start, "end": end, "width": width})
    return [Slice(at=at, state=state, count=count) for at, state, count in rows]


def ends_by_service(*, since: datetime) -> list[ServiceEnds]:
    """Return the services whose messages ended since a time, those with the most failures first."""
    rows = statements.fetch_rows("ended_by_service", {"since": since, "most": MAX_SERVICES})
    seconds = _p95_by_service(since)
    return [
        ServiceEnds(service_name=name, through=through, failed=failed, p95_seconds=seconds.get(name))
        for name, through, failed in rows
    ]


def count_ends(*, since: datetime) -> dict[str, tuple[int, int]]:
    """Return how many messages of each service succeeded and failed since a time, at most MAX_SERVICES."""
    rows = statements.fetch_rows("ended_by_service", {"since": since, "most": MAX_SERVICES})
    return {name: (through, failed) for name, through, failed in rows}


def periods_of_service(
    name: str, *, start: datetime, end: datetime, period: str
) -> dict[datetime, tuple[int, int]]:
    """Return how often messages of a service succeeded and failed in each hour or day (UTC) with some."""
    values = {"service": name, "start": start, "end": end, "period": period}
    return {at: (ok, failed) for at, ok, failed in statements.fetch_rows("periods_of_service", values)}


def durations_of_service(name: str, *, since: datetime) -> list[tuple[int, int]]:
    """Return the steps of durations with the messages of a service that ended since a time."""
    return [
        (step, messages)
        for step, messages in statements.fetch_rows("took_of_service", {"service": name, "since": since})
    ]


def days_of_service_within(name: str, *, start: datetime, step: int) -> dict[datetime, tuple[int, int]]:
    """Return the ended messages of each day, and the number of those up to a step."""
    values = {"name": name, "start": start, "step": step}
    return {at: (ended, within) for at, ended, within in statements.fetch_rows("days_within", values)}


def _p95_by_service(since: datetime) -> dict[str, float]:
    steps: dict[str, list[tuple[int, int]]] = {}
    for name, step, messages in statements.fetch_rows("took_by_service", {"since": since}):
        steps.setdefault(name, []).append((step, messages))
    percentiles = {name: find_percentile(counts, 0.95) for name, counts in steps.items()}
    return {name: seconds for name, seconds in percentiles.items() if seconds is not None}


def read_freshness() -> tuple[datetime | None, float | None]:
    """Return the time of the last update of the counts, and its age in seconds; None before the first."""
    at, seconds = statements.only_row("freshness", {})
    return at, None if seconds is None else float(seconds)
