"""A group's failures over the last days as a picture. Lengths are in the units of the SVG's own grid."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

DAYS = timedelta(days=7)
SLICE = timedelta(hours=2)
COLUMN, HEIGHT = 10, 60
_GAP = 1.5
# A single failure beside thousands must be seen.
_LEAST = 3


@dataclass(frozen=True, kw_only=True)
class Column:
    """One slice with failures: a rectangle, and what it says."""

    start: datetime
    count: int
    x: float
    y: float
    height: float


@dataclass(frozen=True, kw_only=True)
class Picture:
    """Slices of SLICE from `start` on; only those with failures have a column."""

    start: datetime
    columns: list[Column]
    highest: int

    width = COLUMN * (DAYS // SLICE)
    height = HEIGHT
    column_width = COLUMN - _GAP

    @property
    def total(self) -> int:
        return sum(column.count for column in self.columns)


def drawn(minutes: Iterable[tuple[datetime, int]], *, now: datetime) -> Picture:
    """
    Return the picture of the last DAYS.

    Args:
        minutes: (minute, failures), none before them.
    """
    start = now - DAYS
    counts: Counter[int] = Counter()
    for minute, failures in minutes:
        counts[min(max((minute - start) // SLICE, 0), DAYS // SLICE - 1)] += failures
    highest = max(counts.values(), default=0)
    columns = [_column(start, place, count, highest) for place, count in sorted(counts.items())]
    return Picture(start=start, columns=columns, highest=highest)


def _column(start: datetime, place: int, count: int, highest: int) -> Column:
    height = max(HEIGHT * count / highest, _LEAST)
    return Column(
        start=start + place * SLICE,
        count=count,
        x=place * COLUMN,
        y=round(HEIGHT - height, 2),
        height=round(height, 2),
    )
