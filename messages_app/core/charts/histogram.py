"""The histogram as a picture: bars, addresses and words. Lengths are in units of the SVG's grid."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from urllib.parse import urlencode

from django.utils import timezone

from messages_app.core import formatting
from messages_app.core.charts.scale import TimeScale
from messages_app.core.charts.slices import Slices

SLICE_WIDTH, HEIGHT = 10, 100
_GAP = 1.5
# A single failure among thousands of OK must be visible.
_MIN_HEIGHT = 3
_FURTHEST = timedelta(days=365 * 30)


@dataclass(frozen=True, kw_only=True)
class Histogram:
    """
    The numbers of the picture.

    Args:
        start, stop: the requested range, limited to times that can have rows.
        slices: the slices of the range; the first and the last may extend beyond it.
        counts: numbers of rows by (slice number, state), without zeros.
        sampled: the share of the time that was counted; 1: all of it.
        is_usual: whether the filter has no range, so that the default range is shown.
        note: the parts of the filter that the counts ignore, in words; may be empty.
        why_not: why there is no picture, except for the lack of rows.
    """

    start: datetime
    stop: datetime
    slices: Slices
    counts: Mapping[tuple[int, str], int]
    sampled: float
    is_usual: bool
    note: str = ""
    why_not: str = ""


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One state in one slice: a rectangle."""

    state: str
    count: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, kw_only=True)
class Column:
    """
    One slice.

    Args:
        x: its left edge in the picture.
        bars: its bars from the bottom up.
        row: the number of rows of each state of the picture.
        query: the query string of the list of its rows.
    """

    start: datetime
    stop: datetime
    x: int
    bars: Sequence[Bar]
    row: Sequence[int]
    query: str

    @property
    def total(self) -> int:
        return sum(bar.count for bar in self.bars)

    @property
    def counts(self) -> list[tuple[str, int]]:
        return [(bar.state, bar.count) for bar in self.bars]

    @property
    def words(self) -> str:
        """Return the numbers of rows by state as text: "3 FAILED, 1 200 OK"."""
        return ", ".join(f"{formatting.format_number(count)} {state}" for state, count in self.counts)


class Picture:
    """
    A histogram as the page draws it.

    Args:
        histogram: the numbers.
        column: the time column; the filters of its two ends narrow the list.
        from_ground: sorts the states from the bottom up.
        others: (name, value) of the other parameters of the list's address: its filters except this time, and
            its order.
    """

    def __init__(
        self,
        histogram: Histogram,
        *,
        column: str,
        from_ground: Callable[[str], tuple[object, ...]],
        others: Sequence[tuple[str, str]],
    ) -> None:
        self.histogram = histogram
        self._column_name = column
        self._from_ground = from_ground
        self._others = others

    @property
    def width(self) -> int:
        return self.histogram.slices.count * SLICE_WIDTH

    @property
    def height(self) -> int:
        return HEIGHT

    @property
    def slice_width(self) -> int:
        return SLICE_WIDTH

    @cached_property
    def states(self) -> list[str]:
        """The states in the picture, from the bottom up."""
        return sorted({state for _, state in self.histogram.counts}, key=self._from_ground)

    @property
    def totals(self) -> list[tuple[str, int]]:
        """(state, number of rows) over the whole range."""
        return [(state, sum(self._of_state(state))) for state in self.states]

    @property
    def total(self) -> int:
        return sum(self.histogram.counts.values())

    @cached_property
    def highest(self) -> int:
        """The largest number of rows in one slice."""
        return max((sum(self._of_slice(number).values()) for number in range(self._count)), default=0)

    @cached_property
    def columns(self) -> list[Column]:
        return [self._column_of(number) for number in range(self._count)]

    @property
    def filled(self) -> list[Column]:
        return [column for column in self.columns if column.bars]

    @property
    def scale(self) -> TimeScale:
        slices = self.histogram.slices
        return TimeScale(
            start=slices.start,
            stop=slices.stop,
            highest=self.highest,
            is_estimate=self.histogram.sampled < 1,
        )

    @property
    def wider(self) -> str:
        """
        The query string of the list over four times the range, with the same middle; empty if that is too
        wide.
        """
        start, stop = self.histogram.start, self.histogram.stop
        span = stop - start
        if span * 4 > _FURTHEST:
            return ""
        stop = min(stop + span * 1.5, max(stop, timezone.now()))
        return self.query_of(stop - span * 4, stop)

    @property
    def percent(self) -> int:
        """The percentage of the time that was counted."""
        return max(1, round(self.histogram.sampled * 100))

    @property
    def base(self) -> str:
        """The query string of the list without the range, so that the script can add one."""
        return self._query_with([])

    @property
    def start_ms(self) -> int:
        return int(self.histogram.slices.start.timestamp() * 1000)

    @property
    def step_ms(self) -> int:
        return int(self.histogram.slices.step.total_seconds() * 1000)

    def query_of(self, start: datetime, stop: datetime) -> str:
        ends = (f"{self._column_name}_from", start), (f"{self._column_name}_to", stop)
        return self._query_with([(name, _as_address(moment)) for name, moment in ends])

    @property
    def _count(self) -> int:
        return self.histogram.slices.count

    def _query_with(self, times: list[tuple[str, str]]) -> str:
        return f"?{urlencode([*self._others, *times], safe=':,')}"

    def _of_slice(self, number: int) -> dict[str, int]:
        counts = self.histogram.counts
        return {state: counts[number, state] for state in self.states if (number, state) in counts}

    def _of_state(self, state: str) -> Iterator[int]:
        return (count for (_, other), count in self.histogram.counts.items() if other == state)

    def _column_of(self, number: int) -> Column:
        start, stop = self.histogram.slices.bounds_of(number)
        return Column(
            start=start,
            stop=stop,
            x=number * SLICE_WIDTH,
            bars=list(self._bars_of(number)),
            row=[self.histogram.counts.get((number, state), 0) for state in self.states],
            query=self.query_of(start, stop),
        )

    def _bars_of(self, number: int) -> Iterator[Bar]:
        ground: float = HEIGHT
        room = HEIGHT - _MIN_HEIGHT * len(self.states)
        for state, count in self._of_slice(number).items():
            height = round(_MIN_HEIGHT + room * count / self.highest, 1)
            ground = round(ground - height, 1)
            yield Bar(
                state=state,
                count=count,
                x=number * SLICE_WIDTH + _GAP / 2,
                y=ground,
                width=SLICE_WIDTH - _GAP,
                height=height,
            )


def _as_address(moment: datetime) -> str:
    return moment.isoformat(timespec="auto").replace("+00:00", "Z")
