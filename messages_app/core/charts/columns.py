"""A chart of counts over time, with marks of events. Lengths are in units of the SVG's grid."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from messages_app.core.charts.scale import TimeScale
from messages_app.core.charts.slices import MAX_SLICES, Slices, cut_into_slices
from messages_app.core.formatting import format_duration, format_moment

COLUMN, HEIGHT = 10, 60
_GAP = 1.5
_MINUTE = timedelta(minutes=1)
# A single failure next to thousands must be visible.
_MIN_HEIGHT = 3
# Few counts have few slices.
_SLICES_OF_COUNT, _MIN_SLICES = 4, 6
# A chart of a few columns is as wide as they are, but has room for two labels of its scale.
_PIXELS_OF_COLUMN, _FEW_COLUMNS, _MIN_PIXELS = 18, 30, 144


@dataclass(frozen=True, kw_only=True)
class Column:
    """A rectangle for one slice with a count."""

    start: datetime
    count: int
    x: float
    y: float
    height: float


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened at a time, and may explain the counts."""

    at: datetime
    text: str
    address: str = ""


@dataclass(frozen=True, kw_only=True)
class Mark:
    """The place of an event."""

    event: Event
    x: float


@dataclass(frozen=True, kw_only=True)
class ColumnChart:
    """A chart; only slices with a count have a column."""

    slices: Slices
    columns: Sequence[Column]
    marks: Sequence[Mark]
    highest: int
    total: int

    height = HEIGHT
    column_width = COLUMN - _GAP

    @property
    def width(self) -> int:
        return COLUMN * self.slices.count

    @property
    def step(self) -> str:
        """The length of a slice in words."""
        return format_duration(self.slices.step)

    @cached_property
    def scale(self) -> TimeScale:
        count = self.slices.count
        pixels = max(_PIXELS_OF_COLUMN * count, _MIN_PIXELS) if count < _FEW_COLUMNS else 0
        return TimeScale(start=self.slices.start, stop=self.slices.stop, highest=self.highest, pixels=pixels)

    @property
    def label(self) -> str:
        """The chart in words, for screen readers."""
        start, stop = format_moment(self.slices.start), format_moment(self.slices.stop)
        return (
            f"{self.total} failures from {start} to {stop}, at most {self.highest} in {self.step}; "
            "the table below has the numbers"
        )


def draw_columns(
    counts: Iterable[tuple[datetime, int]],
    *,
    start: datetime,
    stop: datetime,
    events: Collection[Event] = (),
    least: timedelta = _MINUTE,
) -> ColumnChart:
    """
    Return the chart of a range.

    Args:
        counts: (time, count). Counts before the range, which are stored by the hour or day, are in its
            first slice.
        least: the minimum length of a slice.
    """
    counts = list(counts)
    most = min(max(_SLICES_OF_COUNT * len(counts), _MIN_SLICES), MAX_SLICES)
    slices = cut_into_slices(start, stop, least=least, most=most)
    by_slice: Counter[int] = Counter()
    for at, count in counts:
        if at < slices.stop:
            by_slice[max(slices.number_of(at), 0)] += count
    highest = max(by_slice.values(), default=0)
    return ColumnChart(
        slices=slices,
        columns=[_make_column(slices, number, by_slice[number], highest) for number in sorted(by_slice)],
        marks=[
            Mark(event=event, x=round(COLUMN * ((event.at - slices.start) / slices.step), 2))
            for event in events
            if slices.start <= event.at < slices.stop
        ],
        highest=highest,
        total=sum(by_slice.values()),
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
