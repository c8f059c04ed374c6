"""
Numbers that are known within bounds, and how far a sample of a table's pages bounds them.

A sample takes whole pages by chance, each with the same probability. That holds however rows lie: sorted by
age, in one spike, or anywhere. The bounds are those of a Poisson count of pages, each weighted by its rows.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.db.models import Count, F, Func, QuerySet
from django.db.models.sql.datastructures import BaseTable

from messages_app.core.statements import Statements

statements = Statements("messages_app.jobs.preview")


# Of a thousand samples, one or two miss the bounds of as many standard deviations.
_DEVIATIONS = 3.3
# One number is shown where it is this close to both bounds: with its rounding, within a tenth of the truth.
_CLOSE = 0.09
# From fewer pages than this nobody can tell how many rows another page may have.
_ENOUGH_PAGES = 10
_DIGITS, _DIGITS_OF_BOUNDS = 3, 2


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A number from `least` to `most`, most likely `about`; it is exact where these are one."""

    least: float
    about: float
    most: float

    @classmethod
    def exact(cls, number: float) -> "Estimate":
        return cls(least=number, about=number, most=number)

    @property
    def is_exact(self) -> bool:
        return self.least == self.most

    @property
    def is_close(self) -> bool:
        """Whether `about` alone says enough: whatever the truth is, it is within a tenth of it."""
        return self.about <= self.least * (1 + _CLOSE) and self.about >= self.most * (1 - _CLOSE)

    @property
    def span(self) -> tuple[int, int]:
        """The bounds as whole numbers."""
        return math.floor(self.least), math.ceil(self.most)

    @property
    def shown(self) -> int:
        """The number as pages show it; of one that is not close, what it may be at most."""
        if self.is_exact:
            return round(self.about)
        return rounded(self.about) if self.is_close else self.bounds[1]

    @property
    def bounds(self) -> tuple[int, int]:
        """The bounds with two digits, rounded outwards."""
        return _rounded_down(self.least), _rounded_up(self.most)

    def __add__(self, other: "Estimate") -> "Estimate":
        """Add a number of the same sample: both may be off the same way."""
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


NOTHING = Estimate.exact(0)


def total(estimates: Iterable[Estimate]) -> Estimate:
    return sum(estimates, NOTHING)


def of_pages(rows_of_pages: Sequence[float], *, share: float, rows_a_page: float) -> Estimate:
    """
    Return how many rows a table has, by those on a sample of its pages.

    Args:
        rows_of_pages: of each page in the sample that has any, how many.
        share: with which probability a page is in the sample.
        rows_a_page: about how many a page may have.
    """
    seen = sum(rows_of_pages)
    if share >= 1:
        return Estimate.exact(seen)
    unseen = math.sqrt(1 - share) / share  # what a deviation of the sample means for the table
    if not seen:
        return Estimate(least=0, about=0, most=_most_pages(0) * rows_a_page * unseen)
    squares = sum(rows**2 for rows in rows_of_pages)
    a_page, pages = squares / seen, seen**2 / squares
    largest = a_page if pages >= _ENOUGH_PAGES else max(a_page, rows_a_page)
    about = seen / share
    return Estimate(
        least=max(seen, about - (pages - _least_pages(pages)) * a_page * unseen),
        about=about,
        most=about + (_most_pages(pages) - pages) * largest * unseen,
    )


def share_of(part: float, whole: float, *, looked_at: int, is_whole: bool) -> Estimate:
    """
    Return the share that some have of all, by a sample of them.

    Args:
        part, whole: of the sample, by weight.
        looked_at: draws that were independent of each other.
        is_whole: nothing was left out of the sample.
    """
    if not whole:
        return Estimate(least=0, about=1, most=1)
    about = part / whole
    if is_whole:
        return Estimate.exact(about)
    # The bounds of Wilson, which hold for shares near none and all too.
    square = _DEVIATIONS**2 / looked_at
    middle = (about + square / 2) / (1 + square)
    reach = _DEVIATIONS / (1 + square) * math.sqrt(about * (1 - about) / looked_at + square / (4 * looked_at))
    return Estimate(least=max(0.0, middle - reach), about=about, most=min(1.0, middle + reach))


def mean_of(values: Sequence[float], *, is_whole: bool) -> Estimate:
    """Return the mean of a quantity by a sample of it."""
    about = sum(values) / len(values)
    if is_whole or len(values) < 2:
        return Estimate.exact(about)
    deviation = math.sqrt(sum((value - about) ** 2 for value in values) / (len(values) - 1) / len(values))
    return Estimate(
        least=max(0.0, about - _DEVIATIONS * deviation), about=about, most=about + _DEVIATIONS * deviation
    )


def rounded(number: float) -> int:
    """Return an estimate with three digits that are not 0, as it is shown and typed."""
    whole = round(number)
    return round(whole, _DIGITS - len(str(whole)))


def _rounded_down(number: float) -> int:
    step = _step(math.floor(number))
    return math.floor(number) // step * step


def _rounded_up(number: float) -> int:
    step = _step(math.ceil(number))
    return -(-math.ceil(number) // step) * step


def _step(number: int) -> int:
    return 10 ** max(0, len(str(number)) - _DIGITS_OF_BOUNDS)


def _least_pages(pages: float) -> float:
    return max(0.0, math.sqrt(pages) - _DEVIATIONS / 2) ** 2


def _most_pages(pages: float) -> float:
    return (math.sqrt(pages + 1) + _DEVIATIONS / 2) ** 2


# Reads some pages of a table, chosen by chance, as `TABLESAMPLE SYSTEM` does.
#
# No statistics are needed, and no order: what was loaded a minute ago is counted as well as what was
# analysed. The same pages are chosen each time, and a smaller sample is a part of a larger one.


# What a table without statistics is taken to have.
_ROWS_A_PAGE = 40.0


class _Sampled(BaseTable):
    """A table of which a share of the pages is read."""

    def __init__(self, table_name: str, alias: str, share: float) -> None:
        super().__init__(table_name, alias)
        self.share = share

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, list]:
        table, params = super().as_sql(compiler, connection)
        return f"{table} TABLESAMPLE SYSTEM (%s) REPEATABLE (0)", [*params, 100 * self.share]

    @property
    def identity(self) -> tuple[object, ...]:
        return (*super().identity, self.share)  # type: ignore[misc]  # its types lack it


class _Page(Func):
    """The page that a row is on."""

    template = "(ctid::text::point)[0]::bigint"
    output_field = models.BigIntegerField()


def pages_of(model: type[models.Model]) -> tuple[int, float]:
    """Return how many pages a table has, 0 for what is no table, and about how many rows each has."""
    pages, rows_a_page = statements.only_row("table_pages", {"table": model._meta.db_table})
    return pages, rows_a_page or _ROWS_A_PAGE


def sample_of(rows: QuerySet, share: float) -> QuerySet:
    """Return those of the rows that are on a share of their table's pages, each with its `page`."""
    sample = rows.order_by().all()
    table = rows.model._meta.db_table
    alias = sample.query.get_initial_alias()
    if share < 1:
        sample.query.alias_map[alias] = _Sampled(table, alias, share)
    return sample.annotate(page=_Page(F("pk")))


def rows_of_pages(rows: QuerySet, share: float) -> list[int]:
    """Return how many of the rows are on each page of the sample that has any."""
    counted = sample_of(rows, share).values("page").annotate(rows=Count("*"))
    return list(counted.values_list("rows", flat=True))
