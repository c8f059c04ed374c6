"""Round slices of time: how a range is cut for the histogram."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

# A Monday, so that slices of weeks begin with one.
ORIGIN = datetime(1970, 1, 5, tzinfo=UTC)
_MOST_SLICES = 60
_STEPS = (
    *(timedelta(seconds=seconds) for seconds in (1, 2, 5, 10, 15, 30)),
    *(timedelta(minutes=minutes) for minutes in (1, 2, 5, 10, 15, 30)),
    *(timedelta(hours=hours) for hours in (1, 2, 3, 6, 12)),
    *(timedelta(days=days) for days in (1, 2, 7, 14, 28, 84, 364)),
)


@dataclass(frozen=True)
class Slices:
    """Slices of equal length, the first at `start`; `step` counts from ORIGIN, in UTC."""

    start: datetime
    step: timedelta
    count: int

    @property
    def stop(self) -> datetime:
        return self.start + self.count * self.step

    def bounds(self, number: int) -> tuple[datetime, datetime]:
        """Return the beginning and the end of slice `number`, counted from 0."""
        start = self.start + number * self.step
        return start, start + self.step

    def number(self, moment: datetime) -> int:
        """Return in which slice a moment of the range is."""
        return (moment - self.start) // self.step

    def samples(self, share: float, a_slice: int) -> Iterator[tuple[int, datetime, datetime]]:
        """Yield (slice, from, to) of windows, `a_slice` in each slice, together `share` of the time."""
        part = self.step / a_slice
        width = part * share
        for number in range(self.count * a_slice):
            # Shifted by the golden ratio, so that nothing that happens in a rhythm is always met or missed.
            start = self.start + number * part + (part - width) * (number * 0.618034 % 1)
            yield number // a_slice, start, start + width


def cut(start: datetime, stop: datetime) -> Slices:
    """Return at most about 60 round slices that hold the range from `start` to `stop`, which is later."""
    span = stop - start
    step = next((step for step in _STEPS if span <= step * _MOST_SLICES), _STEPS[-1])
    step *= max(1, -(-span // (step * _MOST_SLICES)))  # centuries: a multiple of the longest
    first = ORIGIN + (start - ORIGIN) // step * step
    return Slices(start=first, step=step, count=max(1, -(-(stop - first) // step)))
