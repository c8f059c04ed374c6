"""
The chart of the failures of a group: of the last day, of the last week, or since the first one.

It begins with the first failure of this time, so that an outage fills it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from messages_app.core.charts.columns import ColumnChart, draw_columns
from messages_app.messages.failures.models import FailureGroup

# Minutes with their failures.
Minutes = Sequence[tuple[datetime, int]]

_DAY = timedelta(days=1)
# A count of old failures is of a day that began before the first one.
MAX_COUNT_SPAN = _DAY
# By the values in the address: the words, and the age of the oldest failures.
SPANS: Mapping[str, tuple[str, timedelta | None]] = {
    "day": ("24 h", _DAY),
    "week": ("7 d", 7 * _DAY),
    "first": ("Since the first", None),
}
_MIN_SPAN = timedelta(minutes=30)
# Counts of this age are stored by the hour, and older ones by the day.
_BY_HOUR, _BY_DAY = timedelta(hours=25), timedelta(days=8)


@dataclass(frozen=True, kw_only=True)
class GroupChart:
    """
    A chart with the other times that it can show.

    Args:
        choices: (value in the address, words, whether it is shown) of times with different failures.
    """

    columns: ColumnChart
    choices: Sequence[tuple[str, str, bool]]


def draw_group(
    group: FailureGroup, minutes: Minutes, *, now: datetime, chosen: str = ""
) -> GroupChart | None:
    """
    Return the chart; None without failures that can be drawn.

    Args:
        minutes: (minute, failures) of the group, oldest first.
        chosen: a name of SPANS; otherwise the shortest time with at least half of the failures.
    """
    totals = {name: sum(count for _, count in _minutes_of(minutes, name, now)) for name in SPANS}
    if not totals["first"]:
        return None
    span = chosen if totals.get(chosen) else _choose_span(totals)
    part = _minutes_of(minutes, span, now)
    try:
        columns = _draw_part(group, part, now)
    except OverflowError:  # A time at the end of the calendar.
        return None
    distinct = {total: name for name, total in reversed(totals.items()) if total}
    offered = [name for name in SPANS if name in distinct.values() or name == span]
    choices = [(name, SPANS[name][0], name == span) for name in offered]
    return GroupChart(columns=columns, choices=choices if len(choices) > 1 else [])


def _draw_part(group: FailureGroup, part: Minutes, now: datetime) -> ColumnChart:
    # The first count may be of the hour or day of the first failure.
    start = max(part[0][0], group.first_seen)
    last = max(part[-1][0], start)
    # At most twice the time of the failures; a sum after now may be in no calendar.
    quiet = max(last - start, _MIN_SPAN)
    stop = last + quiet if now - last > quiet else max(now, last)
    return draw_columns(part, start=start, stop=max(stop, start + _MIN_SPAN), least=_least_slice(start, now))


def _minutes_of(minutes: Minutes, name: str, now: datetime) -> Minutes:
    _, age = SPANS[name]
    return minutes if age is None else [(minute, count) for minute, count in minutes if minute > now - age]


def _choose_span(totals: Mapping[str, int]) -> str:
    return next(name for name, total in totals.items() if 2 * total >= totals["first"])


def _least_slice(start: datetime, now: datetime) -> timedelta:
    age = now - start
    if age < _BY_HOUR:
        return timedelta(minutes=1)
    return timedelta(hours=1) if age < _BY_DAY else _DAY
