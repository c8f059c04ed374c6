"""
Numbers with bounds, estimated from a sample of a table's pages.

A sample takes whole pages at random, each with the same probability. This works for any order of rows: sorted
by age, in one spike, or mixed. The bounds are those of a Poisson count of pages, each weighted by its rows.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# Of a thousand samples, one or two are further than this many standard deviations from the truth.
_DEVIATIONS = 3.3
# A number this close to both bounds is shown without them: even rounded, it is within a tenth of the truth.
_CLOSE = 0.09
# From fewer pages, the number of rows on another page cannot be estimated.
_ENOUGH_PAGES = 10
_DIGITS, _DIGITS_OF_BOUNDS = 3, 2


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A number from `least` to `most`, most likely `about`. It is exact if all three are equal."""

    least: float
    about: float
    most: float

    @classmethod
    def from_count(cls, number: float) -> "Estimate":
        return cls(least=number, about=number, most=number)

    @property
    def is_exact(self) -> bool:
        return self.least == self.most

    @property
    def is_close(self) -> bool:
        """Whether `about` can be shown without bounds: it is at most a tenth away from the truth."""
        return self.about <= self.least * (1 + _CLOSE) and self.about >= self.most * (1 - _CLOSE)

    @property
    def span(self) -> tuple[int, int]:
        """The bounds as whole numbers."""
        return math.floor(self.least), math.ceil(self.most)

    @property
    def shown_rows(self) -> int:
        """The number as pages show it: `about`, or the upper bound if `about` is not close."""
        if self.is_exact:
            return round(self.about)
        return round_estimate(self.about) if self.is_close else self.bounds[1]

    @property
    def bounds(self) -> tuple[int, int]:
        """The bounds with two significant digits, rounded outwards."""
        return _rounded_down(self.least), _rounded_up(self.most)

    def __add__(self, other: "Estimate") -> "Estimate":
        """Add a number from the same sample. Both may be wrong in the same direction."""
        return Estimate(
            least=self.least + other.least, about=self.about + other.about, most=self.most + other.most
        )

    def __mul__(self, other: "Estimate") -> "Estimate":
        """Multiply by a factor that was estimated independently."""
        about = self.about * other.about
        if not about:
            return Estimate(least=0.0, about=0.0, most=self.most * other.most)
        below = math.hypot(1 - self.least / self.about, 1 - other.least / other.about)
        above = math.hypot(self.most / self.about - 1, other.most / other.about - 1)
        return Estimate(least=about * max(0.0, 1 - below), about=about, most=about * (1 + above))


NOTHING = Estimate.from_count(0)


def sum_estimates(estimates: Iterable[Estimate]) -> Estimate:
    return sum(estimates, NOTHING)


def estimate_rows(rows_of_pages: Sequence[float], *, share: float, rows_a_page: float) -> Estimate:
    """
    Estimate the number of rows of a table by the rows on a sample of its pages.

    Args:
        rows_of_pages: the rows of each sampled page that has any.
        share: the probability that a page is in the sample.
        rows_a_page: the approximate number of rows that fit on a page.
    """
    sampled = sum(rows_of_pages)
    if share >= 1:
        return Estimate.from_count(sampled)
    unseen = math.sqrt(1 - share) / share  # converts a deviation of the sample to one of the table
    if not sampled:
        return Estimate(least=0, about=0, most=_most_pages(0) * rows_a_page * unseen)
    squares = sum(rows**2 for rows in rows_of_pages)
    a_page, pages = squares / sampled, sampled**2 / squares
    largest = a_page if pages >= _ENOUGH_PAGES else max(a_page, rows_a_page)
    about = sampled / share
    return Estimate(
        least=max(sampled, about - (pages - _least_pages(pages)) * a_page * unseen),
        about=about,
        most=about + (_most_pages(pages) - pages) * largest * unseen,
    )


def share_of(part: float, whole: float, *, looked_at: int, is_whole: bool) -> Estimate:
    """
    Estimate the share of a part in the whole by a sample.

    Args:
        part, whole: their weights in the sample.
        looked_at: the number of independent draws.
        is_whole: the sample has everything.
    """
    if not whole:
        return Estimate(least=0, about=1, most=1)
    about = part / whole
    if is_whole:
        return Estimate.from_count(about)
    # Wilson bounds, which also hold for shares near 0 and 1.
    square = _DEVIATIONS**2 / looked_at
    middle = (about + square / 2) / (1 + square)
    reach = _DEVIATIONS / (1 + square) * math.sqrt(about * (1 - about) / looked_at + square / (4 * looked_at))
    return Estimate(least=max(0.0, middle - reach), about=about, most=min(1.0, middle + reach))


def mean_of(values: Sequence[float], *, is_whole: bool) -> Estimate:
    """Estimate the mean of a quantity by a sample."""
    about = sum(values) / len(values)
    if is_whole or len(values) < 2:
        return Estimate.from_count(about)
    deviation = math.sqrt(sum((value - about) ** 2 for value in values) / (len(values) - 1) / len(values))
    return Estimate(
        least=max(0.0, about - _DEVIATIONS * deviation), about=about, most=about + _DEVIATIONS * deviation
    )


def round_estimate(number: float) -> int:
    """Round an estimate to three significant digits, as users see and type it."""
    whole = round(number)
    return round(whole, _DIGITS - len(str(whole)))


def _rounded_down(number: float) -> int:
    step = _rounding_step(math.floor(number))
    return math.floor(number) // step * step


def _rounded_up(number: float) -> int:
    step = _rounding_step(math.ceil(number))
    return -(-math.ceil(number) // step) * step


def _rounding_step(number: int) -> int:
    return 10 ** max(0, len(str(number)) - _DIGITS_OF_BOUNDS)


def _least_pages(pages: float) -> float:
    return max(0.0, math.sqrt(pages) - _DEVIATIONS / 2) ** 2


def _most_pages(pages: float) -> float:
    return (math.sqrt(pages + 1) + _DEVIATIONS / 2) ** 2
