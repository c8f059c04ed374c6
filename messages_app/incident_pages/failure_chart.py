"""The failures of an incident over time, with marks of changes. Lengths are in units of the SVG's grid."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from messages_app.core.charts.slices import Slices, cut_into_slices
from messages_app.core.formatting import format_duration
from messages_app.incident_pages.circumstances import Change
from messages_app.incidents.models import Incident

COLUMN, HEIGHT = 10, 60
_GAP = 1.5
# A single failure next to thousands must be visible.
_MIN_HEIGHT = 3
_MARGIN = timedelta(minutes=10)


@dataclass(frozen=True, kw_only=True)
class Column:
    """A rectangle for one slice with failures."""

    start: datetime
    count: int
    x: float
    y: float
    height: float


@dataclass(frozen=True, kw_only=True)
class Mark:
    """The place of a change."""

    change: Change
    x: float


@dataclass(frozen=True, kw_only=True)
class Chart:
    """
    The chart.

    Args:
        step: the length of a slice in words.
    """

    slices: Slices
    columns: list[Column]
    marks: list[Mark]
    highest: int
    total: int
    step: str

    height = HEIGHT
    column_width = COLUMN - _GAP

    @property
    def width(self) -> int:
        return COLUMN * self.slices.count


def range_of_chart(
    incident: Incident, changes: Iterable[Change], *, now: datetime
) -> tuple[datetime, datetime]:
    """Return the range from the first change before an incident until it ended, or until now."""
    start = min([incident.began_at, *(change.at for change in changes)]) - _MARGIN
    stop = now if incident.is_open else incident.last_failure_at + _MARGIN
    return start, max(min(stop, now), start + 2 * _MARGIN)


def draw_chart(
    minutes: Iterable[tuple[datetime, int]], changes: Sequence[Change], *, start: datetime, stop: datetime
) -> Chart:
    """
    Return the chart.

    Args:
        minutes: (minute, failures).
    """
    slices = cut_into_slices(start, stop)
    counts: Counter[int] = Counter()
    for minute, failures in minutes:
        if slices.start <= minute < slices.stop:
            counts[slices.number_of(minute)] += failures
    highest = max(counts.values(), default=0)
    marks = [
        Mark(change=change, x=round(COLUMN * ((change.at - slices.start) / slices.step), 2))
        for change in changes
        if slices.start <= change.at < slices.stop
    ]
    return Chart(
        slices=slices,
        columns=[_make_column(slices, number, counts[number], highest) for number in sorted(counts)],
        marks=marks,
        highest=highest,
        total=sum(counts.values()),
        step=format_duration(slices.step),
    )


def _make_column(slices: Slices, number: int, count: int, highest: int) -> Column:
    height = max(HEIGHT * count / highest, _MIN_HEIGHT)
    return Column(
        start=slices.bounds_of(number)[0],
        count=count,
        x=number * COLUMN,
        y=round(HEIGHT - height, 2),
        height=round(height, 2),
    )
