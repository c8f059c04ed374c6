"""Round slices of time, into which the range of a histogram is cut."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

# A Monday, so that slices of weeks begin on Mondays.
ORIGIN = datetime(1970, 1, 5, tzinfo=UTC)


MAX_SLICES = 60


_STEPS = (
    *(timedelta(seconds=seconds) for seconds in (1, 2, 5, 10, 15, 30)),
    *(timedelta(minutes=minutes) for minutes in (1, 2, 5, 10, 15, 30)),
    *(timedelta(hours=hours) for hours in (1, 2, 3, 6, 12)),
    *(timedelta(days=days) for days in (1, 2, 7, 14, 28, 84, 364)),
)


@dataclass(frozen=True)
class Slices:
    """Slices of equal length, the first at `start`. Slices of length `step` are aligned to ORIGIN, in UTC."""

    start: datetime
    step: timedelta
    count: int

    @property
    def stop(self) -> datetime:
        return self.start + self.count * self.step

    def bounds_of(self, number: int) -> tuple[datetime, datetime]:
        """Return the start and the end of slice `number`, counted from 0."""
        start = self.start + number * self.step
        return start, start + self.step

    def number_of(self, moment: datetime) -> int:
        """Return the number of the slice that has a moment of the range."""
        return (moment - self.start) // self.step

    def iterate_samples(self, share: float, a_slice: int) -> Iterator[tuple[int, datetime, datetime]]:
        """
        Yield (slice, from, to) of windows, `a_slice` in each slice, that cover `share` of the time in total.
        """
        part = self.step / a_slice
        width = part * share
        for number in range(self.count * a_slice):
            # Shifted by the golden ratio, so that a periodic event is not always hit or always missed.
            start = self.start + number * part + (part - width) * (number * 0.618034 % 1)
            yield number // a_slice, start, start + width


@dataclass(frozen=True, kw_only=True)
class SliceCounts:
    """
    Rows over time.

    Args:
        counts: by (slice number, state), without zeros.
        is_cut: there are more than were counted; only the newest were counted.
    """

    counts: Mapping[tuple[int, str], int]
    is_cut: bool


def cut_into_slices(
    start: datetime, stop: datetime, *, least: timedelta = _STEPS[0], most: int = MAX_SLICES
) -> Slices:
    """
    Return round slices that cover the range from `start` to `stop`, which is later.

    Args:
        least: the minimum length of a slice.
        most: about the maximum number of slices.
    """
    span = stop - start
    step = next((step for step in _STEPS if step >= least and span <= step * most), _STEPS[-1])
    step *= max(1, -(-span // (step * most)))  # For centuries: a multiple of the longest step.
    first = ORIGIN + (start - ORIGIN) // step * step
    return Slices(start=first, step=step, count=max(1, -(-(stop - first) // step)))
