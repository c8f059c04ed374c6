"""
When a watch rule would have fired in the last week, from stored counts.

Counts of changes are by the minute for a day and by the hour before (decision 8). Times before that are known
to the hour, and shorter ones may be missing. The number of messages in each state and the age of the oldest
are recorded once a minute, for all services together.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from messages_app.core.clock import TooSlow, database_clock, time_limit
from messages_app.core.statements import Statements
from messages_app.messages.alerts.models import WatchRule
from messages_app.messages.alerts.states import OF_A_WINDOW, Measure
from messages_app.messages.metrics.counts import first_gauge
from messages_app.messages.metrics.passes import LONG

statements = Statements("messages_app.messages.alerts")

_MAX_MS = 1_000
_MINUTE, _HOUR = timedelta(minutes=1), timedelta(hours=1)
# Counts are by the minute for 25 hours; a window of an hour must be among them.
_BY_MINUTE = timedelta(hours=23)
_CONDITIONS = ("service_name", "operation_name", "source_system", "failed_error_code")


class PastIsUnknown(Exception):
    """It cannot be known when the rule would have fired. The text says why, in a sentence."""


@dataclass(frozen=True, kw_only=True)
class Firing:
    """
    A time for which a rule would have had an open alert.

    Args:
        is_by_hour: its start is only known to the hour.
        is_open: it has not ended.
    """

    start: datetime
    end: datetime
    is_by_hour: bool = False
    is_open: bool = False


@dataclass(frozen=True, kw_only=True)
class Past:
    """
    When a rule would have fired from a time until now.

    Args:
        known_since: counts exist from here on.
        by_minute_since: before this, counts are only by the hour.
    """

    start: datetime
    end: datetime
    known_since: datetime
    by_minute_since: datetime
    firings: list[Firing]


def read_past(rule: WatchRule, *, since: datetime) -> Past:
    """
    Return when a rule, stored or not, would have fired since a time of the last eight days.

    Raises:
        PastIsUnknown: the measured values are not stored, or take too long to read.
    """
    now = database_clock()
    read = _read_windows if rule.measure in OF_A_WINDOW else _read_gauges
    try:
        with time_limit(_MAX_MS):
            return read(rule, since.replace(minute=0, second=0, microsecond=0), now)
    except TooSlow:
        raise PastIsUnknown("The counts of the last week could not be read in time.") from None


def _read_windows(rule: WatchRule, start: datetime, now: datetime) -> Past:
    end = now.replace(second=0, microsecond=0) + _MINUTE
    middle = (now - _BY_MINUTE).replace(minute=0, second=0, microsecond=0)
    hours = _measure_steps(rule, start, middle, _HOUR)
    firings = [
        *(replace(one, is_by_hour=True, is_open=False) for one in hours),
        *_measure_steps(rule, middle, end, _MINUTE),
    ]
    return Past(
        start=start, end=end, known_since=start, by_minute_since=middle, firings=list(_join_firings(firings))
    )


def _measure_steps(rule: WatchRule, start: datetime, end: datetime, step: timedelta) -> Iterator[Firing]:
    window = max(timedelta(minutes=rule.window_minutes), step)
    values = {
        **{name: getattr(rule, name) for name in (*_CONDITIONS, "state", "at_least", "limit")},
        "start": start,
        "end": end,
        "step": step,
        "unit": "hour" if step == _HOUR else "minute",
        "window": window,
        # A step ends the window that begins this long before it.
        "before": window - _MINUTE,
    }
    changes = statements.fetch_rows(f"past_of_{Measure(rule.measure)}", values)
    return _firings_of(changes, end)


def _read_gauges(rule: WatchRule, start: datetime, now: datetime) -> Past:
    reading = _choose_reading(rule)
    known_since = first_gauge(start)
    if known_since is None:
        raise PastIsUnknown("Nothing was recorded in the last week.")
    values = {
        "state": rule.state,
        "limit": rule.limit,
        "reading": reading,
        "seconds": rule.limit if rule.measure == Measure.AGE else rule.older_than_seconds,
        "start": start,
    }
    changes = statements.fetch_rows("past_of_gauges", values)
    firings = list(_firings_of(changes, now))
    return Past(start=start, end=now, known_since=known_since, by_minute_since=start, firings=firings)


def _choose_reading(rule: WatchRule) -> str:
    """
    Return the column of the gauges that is compared with the limit.

    Raises:
        PastIsUnknown: no column has what the rule measures.
    """
    if rule.measure == Measure.SAVED_VIEW:
        raise PastIsUnknown("The past number of messages in a view is not stored.")
    if any(getattr(rule, name) for name in _CONDITIONS):
        raise PastIsUnknown(
            "The past number of messages in a state is stored for all services together only."
        )
    if rule.measure == Measure.AGE or (rule.older_than_seconds and rule.limit < 1):
        return "since"
    unchanged = timedelta(seconds=rule.older_than_seconds)
    if not unchanged:
        return "messages"
    if unchanged == LONG:
        return "long"
    text = "The past number of unchanged messages is stored for 15 min only, or for a limit of 0."
    raise PastIsUnknown(text)


def _firings_of(changes: Iterable[tuple[datetime, bool]], end: datetime) -> Iterator[Firing]:
    """Yield the times between each change to "holds" and the next change."""
    start: datetime | None = None
    for at, holds in changes:
        if start is not None and not holds:
            yield Firing(start=start, end=at)
        start = at if holds else None
    if start is not None:
        yield Firing(start=start, end=end, is_open=True)


def _join_firings(firings: Iterable[Firing]) -> Iterator[Firing]:
    """Join a time known to the hour with one that follows it without a gap."""
    before: Firing | None = None
    for one in firings:
        if before and before.end >= one.start:
            before = replace(before, end=one.end, is_open=one.is_open)
            continue
        if before:
            yield before
        before = one
    if before:
        yield before
