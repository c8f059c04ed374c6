"""
A time axis with breaks, so that 300 ms a day ago and three days of waiting are both readable. Pure.

Long gaps in which nothing is done become narrow breaks; what lies between two breaks is a stretch
with a scale of its own. Places are per cent of the axis' width.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from math import sqrt

MOST_BREAKS = 8
# A gap is broken when it is so many times as long as all that remains.
BREAKS_FROM = 4
_BREAKS_WIDTH = 48.0
_BREAK_WIDTHS = (6.0, 26.0)
_LEAST_WIDTH = 3.0


@dataclass(frozen=True, kw_only=True)
class Piece:
    """
    A part of the axis: a stretch, or a break.

    Args:
        left, width: in per cent.
    """

    start: datetime
    end: datetime
    left: float
    width: float
    is_break: bool

    @property
    def lasts(self) -> timedelta:
        return self.end - self.start

    @property
    def middle(self) -> float:
        return self.left + self.width / 2

    def place(self, moment: datetime) -> float:
        """Return where a moment stands; a piece without length has it in its middle."""
        if self.end <= self.start:
            return self.middle
        share = (moment - self.start) / (self.end - self.start)
        return self.left + self.width * min(1.0, max(0.0, share))


@dataclass(frozen=True)
class Axis:
    pieces: list[Piece]

    @property
    def start(self) -> datetime:
        return self.pieces[0].start

    @property
    def end(self) -> datetime:
        return self.pieces[-1].end

    @property
    def breaks(self) -> list[Piece]:
        return [piece for piece in self.pieces if piece.is_break]

    def place(self, moment: datetime) -> float:
        """Return where a moment stands, from 0 to 100."""
        starts = [piece.start for piece in self.pieces]
        return self.pieces[max(0, bisect_right(starts, moment) - 1)].place(moment)


def axis_of(moments: Iterable[datetime], *, busy: Collection[tuple[datetime, datetime]] = ()) -> Axis:
    """
    Return the axis for these moments.

    Args:
        busy: from when to when something was done: there nothing is broken.

    Raises:
        ValueError: there are none.
    """
    moments = sorted(set(moments))
    if not moments:
        raise ValueError("an axis needs a moment")
    stretches = _stretches(moments, _broken_gaps(moments, busy))
    widths = _widths(stretches)
    return Axis(list(_pieces(stretches, widths)))


def _broken_gaps(moments: Sequence[datetime], busy: Collection[tuple[datetime, datetime]]) -> set[int]:
    """Return the gaps to break, by the moment that they follow: the longest, as many as outdo the rest."""
    gaps = [(later - earlier, number) for number, (earlier, later) in enumerate(pairwise(moments))]
    idle = [gap for gap in gaps if not _is_busy(moments[gap[1]], moments[gap[1] + 1], busy)]
    idle.sort(reverse=True)
    rest = sum((gap for gap, _ in gaps), timedelta())
    broken = 0
    for count, (gap, _) in enumerate(idle[:MOST_BREAKS], start=1):
        rest -= gap
        if gap and gap >= BREAKS_FROM * rest and count < len(gaps):
            broken = count
    return {number for _, number in idle[:broken]}


def _is_busy(start: datetime, end: datetime, busy: Collection[tuple[datetime, datetime]]) -> bool:
    return any(since <= start and end <= until for since, until in busy)


def _stretches(moments: Sequence[datetime], broken: set[int]) -> list[list[datetime]]:
    """Part the moments where a gap is broken."""
    stretches: list[list[datetime]] = [[]]
    for number, moment in enumerate(moments):
        stretches[-1].append(moment)
        if number in broken:
            stretches.append([])
    return stretches


def _break_width(breaks: int) -> float:
    """Return the width of one of so many breaks: the fewer, the wider, as each is a long wait."""
    least, most = _BREAK_WIDTHS
    return min(most, max(least, _BREAKS_WIDTH / breaks)) if breaks else 0


def _widths(stretches: Sequence[Sequence[datetime]]) -> list[float]:
    """Share out what the breaks leave: more to a stretch with more in it, but some to each."""
    breaks = len(stretches) - 1
    room = 100 - _break_width(breaks) * breaks - _LEAST_WIDTH * len(stretches)
    weights = [sqrt(len(stretch) - 1) for stretch in stretches]
    total = sum(weights) or 1
    if not any(weights):
        weights, total = [1.0] * len(stretches), len(stretches)
    return [_LEAST_WIDTH + room * weight / total for weight in weights]


def _pieces(stretches: Sequence[Sequence[datetime]], widths: Sequence[float]) -> Iterable[Piece]:
    left, gap = 0.0, _break_width(len(stretches) - 1)
    for number, (stretch, width) in enumerate(zip(stretches, widths, strict=True)):
        if number:
            before = stretches[number - 1][-1]
            yield Piece(start=before, end=stretch[0], left=left, width=gap, is_break=True)
            left += gap
        yield Piece(start=stretch[0], end=stretch[-1], left=left, width=width, is_break=False)
        left += width
