"""The chart of the failures of a group in the last days. Lengths are in units of the SVG's grid."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

DAYS = timedelta(days=7)


SLICE = timedelta(hours=2)


COLUMN, HEIGHT = 10, 60


_GAP = 1.5


# A single failure next to thousands must be visible.
_MIN_HEIGHT = 3


@dataclass(frozen=True, kw_only=True)
class Column:
    """A rectangle for one slice with failures, with the texts of its tooltip."""

    start: datetime
    count: int
    x: float
    y: float
    height: float


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A chart with one slice for each SLICE from `start` on; only slices with failures have a column."""

    start: datetime
    columns: list[Column]
    highest: int

    width = COLUMN * (DAYS // SLICE)
    height = HEIGHT
    column_width = COLUMN - _GAP

    @property
    def total(self) -> int:
        return sum(column.count for column in self.columns)


def draw_chart(minutes: Iterable[tuple[datetime, int]], *, now: datetime) -> Chart:
    """
    Return the chart of the last DAYS.

    Args:
        minutes: (minute, failures) of these days.
    """
    start = now - DAYS
    counts: Counter[int] = Counter()
    for minute, failures in minutes:
        counts[min(max((minute - start) // SLICE, 0), DAYS // SLICE - 1)] += failures
    highest = max(counts.values(), default=0)
    columns = [_make_column(start, place, count, highest) for place, count in sorted(counts.items())]
    return Chart(start=start, columns=columns, highest=highest)


def _make_column(start: datetime, place: int, count: int, highest: int) -> Column:
    height = max(HEIGHT * count / highest, _MIN_HEIGHT)
    return Column(
        start=start + place * SLICE,
        count=count,
        x=place * COLUMN,
        y=round(HEIGHT - height, 2),
        height=round(height, 2),
    )
