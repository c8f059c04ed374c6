"""The scale of a chart over time: labels of times in the user's zone below it, and the highest count."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from django.utils import timezone

# Each label has room for a date.
MAX_TICKS, _PIXELS_OF_TICK = 6, 64
# The labels at the edges begin and end there.
_EDGE = 4.0
_MINUTE, _DAY = timedelta(minutes=1), timedelta(days=1)
_STEPS = (
    *(timedelta(seconds=seconds) for seconds in (1, 2, 5, 10, 15, 30)),
    *(timedelta(minutes=minutes) for minutes in (1, 2, 5, 10, 15, 30)),
    *(timedelta(hours=hours) for hours in (1, 2, 3, 6, 12)),
    *(timedelta(days=days) for days in (1, 2, 7, 14)),
)
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120)
_MONTH = timedelta(days=30)


@dataclass(frozen=True, kw_only=True)
class Tick:
    """A label of the scale. `place` is in percent, `anchor` the part of the label that is there."""

    place: float
    text: str

    @property
    def anchor(self) -> str:
        if self.place < _EDGE:
            return "start"
        return "end" if self.place > 100 - _EDGE else "middle"

    @property
    def x(self) -> str:
        """The place in the SVG."""
        return f"{self.place}%"


@dataclass(frozen=True, kw_only=True)
class TimeScale:
    """
    The scale of a chart.

    Args:
        highest: the count at the upper edge.
        is_estimate: whether this count is one.
        pixels: the width of the chart, if it is narrower than its place; 0: as wide as its place.
    """

    start: datetime
    stop: datetime
    highest: float
    is_estimate: bool = False
    pixels: int = 0

    @cached_property
    def ticks(self) -> list[Tick]:
        most = max(min(self.pixels // _PIXELS_OF_TICK, MAX_TICKS), 1) if self.pixels else MAX_TICKS
        try:
            return list(_make_ticks(self.start, self.stop, most))
        except OverflowError:  # At the end of the calendar.
            return []


def _make_ticks(start: datetime, stop: datetime, most: int) -> Iterator[Tick]:
    span = stop - start
    if span <= timedelta(0):
        return
    first, last = (timezone.localtime(moment).replace(tzinfo=None) for moment in (start, stop))
    step = next((step for step in _STEPS if span <= step * most), None)
    moments = _list_months(first, last, span, most) if step is None else _list_steps(first, last, step)
    named_day = first.date() if span < _DAY else None
    for moment in moments:
        place = round(100 * ((timezone.make_aware(moment) - start) / span), 2)
        if 0 <= place <= 100:
            yield Tick(place=place, text=_write_tick(moment, step, is_named=moment.date() == named_day))
            named_day = moment.date()


def _list_steps(first: datetime, last: datetime, step: timedelta) -> Iterator[datetime]:
    """Yield the multiples of a step since midnight; of weeks, Mondays."""
    midnight = first.replace(hour=0, minute=0, second=0, microsecond=0)
    if step >= _DAY:
        moment = midnight - timedelta(days=(midnight.toordinal() - 1) % step.days)
    else:
        moment = midnight + (first - midnight) // step * step
    while moment <= last:
        yield moment
        moment += step


def _list_months(first: datetime, last: datetime, span: timedelta, most: int) -> Iterator[datetime]:
    months = next((months for months in _MONTHS if span <= _MONTH * months * most), _MONTHS[-1])
    number = (first.year * 12 + first.month - 1) // months * months
    while number <= last.year * 12 + last.month - 1:
        yield first.replace(year=number // 12, month=number % 12 + 1, day=1, hour=0, minute=0)
        number += months


def _write_tick(moment: datetime, step: timedelta | None, *, is_named: bool) -> str:
    """Return the time of a tick; at the first one of a day, the day."""
    if step is None:
        return f"{moment:%b %Y}"
    is_day = step >= _DAY or (not is_named and moment.time() == moment.min.time())
    if is_day:
        return f"{moment.day} {moment:%b}"
    return f"{moment:%H:%M:%S}" if step < _MINUTE else f"{moment:%H:%M}"
