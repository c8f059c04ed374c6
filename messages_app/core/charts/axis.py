"""
A time axis with one linear scale that cuts long idle gaps. Pure functions.

A millisecond has the same width everywhere, so bars can be compared. A gap that would leave no width for
everything else becomes a break: narrow, of a fixed width, and labelled with its duration. Places are percent
of the width of the axis.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

MAX_BREAKS = 8
# A gap is cut if it is this many times as long as all that remains,
BREAKS_FROM = 4
# and if it is at least this long: three seconds next to 50 ms are drawn to scale.
MIN_BREAK = timedelta(seconds=10)
_BREAKS_WIDTH = 48.0
_MAX_BREAK_WIDTH = 12.0
# Space on both sides of a stretch, so that an item at a break is separate from it. It represents no time.
_PADDING = 1.5
# The distance of ticks is the first round step from this share of the axis.
_TICK_SHARE = 0.12
_MILLISECONDS = tuple(base * 10**power for power in range(3) for base in (1, 2, 5))
_SECONDS = (1, 2, 5, 10, 20, 30)
_MINUTES = (1, 2, 5, 10, 20, 30)
_HOURS = (1, 2, 3, 6, 12)
_DAYS = tuple(base * 10**power for power in range(4) for base in (1, 2, 5))
_STEPS = (
    *(timedelta(milliseconds=count) for count in _MILLISECONDS),
    *(timedelta(seconds=count) for count in _SECONDS),
    *(timedelta(minutes=count) for count in _MINUTES),
    *(timedelta(hours=count) for count in _HOURS),
    *(timedelta(days=count) for count in _DAYS),
)


@dataclass(frozen=True, kw_only=True)
class Piece:
    """
    A part of the axis: a stretch, or a break.

    Args:
        left, width: in percent.
        padding: the percent at each side that represents no time.
    """

    start: datetime
    end: datetime
    left: float
    width: float
    is_break: bool
    padding: float = 0.0

    @property
    def lasts(self) -> timedelta:
        return self.end - self.start

    @property
    def middle(self) -> float:
        return self.left + self.width / 2

    def place_of(self, moment: datetime) -> float:
        """Return the place of a moment in percent; in a piece without duration, the middle."""
        if self.end <= self.start:
            return self.middle
        share = (moment - self.start) / self.lasts
        room = self.width - 2 * self.padding
        return self.left + self.padding + room * min(1.0, max(0.0, share))


@dataclass(frozen=True, kw_only=True)
class Tick:
    """
    A line of the scale.

    Args:
        place: in percent.
        after: the time since the start of its stretch.
    """

    place: float
    after: timedelta


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

    @property
    def stretches(self) -> list[Piece]:
        return [piece for piece in self.pieces if not piece.is_break]

    def place_of(self, moment: datetime) -> float:
        """
        Return the place of a moment, from 0 to 100. A moment between a stretch and a break belongs to the
        stretch.
        """
        within = [piece for piece in self.pieces if piece.start <= moment <= piece.end]
        if within:
            return min(within, key=lambda piece: piece.is_break).place_of(moment)
        return self.pieces[0 if moment < self.start else -1].place_of(moment)

    def make_ticks(self) -> list[Tick]:
        """Return the lines of the scale, with the same distance in every stretch; empty if no time passes."""
        linear = sum((piece.lasts for piece in self.stretches), timedelta())
        if not linear:
            return []
        room = sum(piece.width - 2 * piece.padding for piece in self.stretches)
        step = _round_step(linear * 100 / room * _TICK_SHARE)
        return [tick for piece in self.stretches for tick in _ticks_in(piece, step)]


def axis_of(moments: Iterable[datetime], *, busy: Collection[tuple[datetime, datetime]] = ()) -> Axis:
    """
    Return the axis for these moments.

    Args:
        busy: (start, end) of work. No gap within these spans is cut.

    Raises:
        ValueError: there are no moments.
    """
    moments = sorted(set(moments))
    if not moments:
        raise ValueError("an axis needs a moment")
    return Axis(list(_lay_out_pieces(_split_at_gaps(moments, _broken_gaps(moments, busy)))))


def _broken_gaps(moments: Sequence[datetime], busy: Collection[tuple[datetime, datetime]]) -> set[int]:
    """
    Return the gaps to cut, by the moment before each. The longest gaps are cut, as long as they exceed the
    rest.
    """
    gaps = [(later - earlier, number) for number, (earlier, later) in enumerate(pairwise(moments))]
    idle = [gap for gap in gaps if not _is_busy(moments[gap[1]], moments[gap[1] + 1], busy)]
    idle.sort(reverse=True)
    rest = sum((gap for gap, _ in gaps), timedelta())
    broken = 0
    for count, (gap, _) in enumerate(idle[:MAX_BREAKS], start=1):
        rest -= gap
        if gap >= MIN_BREAK and gap >= BREAKS_FROM * rest and count < len(gaps):
            broken = count
    return {number for _, number in idle[:broken]}


def _is_busy(start: datetime, end: datetime, busy: Collection[tuple[datetime, datetime]]) -> bool:
    return any(since <= start and end <= until for since, until in busy)


def _split_at_gaps(moments: Sequence[datetime], broken: set[int]) -> list[list[datetime]]:
    """Split the moments at each gap that is cut."""
    stretches: list[list[datetime]] = [[]]
    for number, moment in enumerate(moments):
        stretches[-1].append(moment)
        if number in broken:
            stretches.append([])
    return stretches


def _lay_out_pieces(stretches: Sequence[Sequence[datetime]]) -> Iterator[Piece]:
    """
    Yield stretches and breaks from left to right. Stretches share the remaining width in proportion to their
    time.
    """
    breaks = len(stretches) - 1
    gap = min(_MAX_BREAK_WIDTH, _BREAKS_WIDTH / breaks) if breaks else 0.0
    padding = _PADDING if breaks else 0.0
    room = 100 - gap * breaks - 2 * padding * len(stretches)
    linear = sum((stretch[-1] - stretch[0] for stretch in stretches), timedelta())
    left = 0.0
    for number, stretch in enumerate(stretches):
        start, end = stretch[0], stretch[-1]
        if number:
            before = stretches[number - 1][-1]
            yield Piece(start=before, end=start, left=left, width=gap, is_break=True)
            left += gap
        share = (end - start) / linear if linear else 1 / len(stretches)
        width = room * share + 2 * padding
        yield Piece(start=start, end=end, left=left, width=width, is_break=False, padding=padding)
        left += width


def _round_step(shortest: timedelta) -> timedelta:
    """Return the smallest round step that is at least `shortest`."""
    return next((step for step in _STEPS if step >= shortest), _STEPS[-1])


def _ticks_in(piece: Piece, step: timedelta) -> Iterator[Tick]:
    for number in range(piece.lasts // step + 1):
        yield Tick(place=piece.place_of(piece.start + number * step), after=number * step)
