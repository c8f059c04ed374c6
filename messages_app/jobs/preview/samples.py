"""
Samples of a set: the complete set if it is small, otherwise some pages of its table.

The planner's estimates are never shown: for a condition on two columns the planner assumes a third of the
rows. They only decide which method is tried first. `TABLESAMPLE SYSTEM` needs no statistics and no order, so
rows that were just loaded are counted too. The same pages are chosen each time, and a smaller sample is a
part of a larger one.

Source: docs/contributing/decisions/0024-counting-previews.md.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import OperationalError, models
from django.db.models import Count, F, Func, QuerySet
from django.db.models.sql.datastructures import BaseTable

from messages_app.core.lists.branches import Plan, plan_rows
from messages_app.core.statements import Statements
from messages_app.jobs.preview.deadline import Deadline
from messages_app.jobs.preview.estimates import Estimate, estimate_rows

statements = Statements("messages_app.jobs.preview")

# A set up to this size is read completely, by an index or from a table that is as cheap to read.
MAX_EXACT = 50_000
_CHEAP = 3_000
# (pages whose rows are counted, pages whose rows are also read); the smaller sample is for slow disks.
SAMPLES = ((6_000, 1_200), (600, 300))
_MAX_READ = 20_000  # approximate number of rows
# The minimum size of a sample. A smaller sample is replaced by the rows that are found first.
_ENOUGH = 20
_FIRST = 1_000
_MAX_GROUPS = 100
_PAGE = "page"
# How much fuller than on average a table's pages can have become since it was analyzed.
_MAX_DENSITY = 2


class _Size(NamedTuple):
    """The size of a table, as `pages_of` returns it."""

    pages: int
    rows_a_page: float


@dataclass(frozen=True, kw_only=True)
class Sample:
    """
    A sample of a set.

    Args:
        messages: how many messages the set has.
        rows: the rows that were read, with the requested columns: the complete set or a part of it.
        pages: the page of each sampled row, because rows of one page are not independent; otherwise empty.
        is_whole: the rows are the complete set.
        is_random: the rows are a random sample, or the complete set.
    """

    messages: Estimate
    rows: Sequence[tuple]
    pages: Sequence[int] = ()
    is_whole: bool
    is_random: bool

    @property
    def weight(self) -> float:
        """The number of messages that each row represents."""
        return self.messages.about / len(self.rows) if self.rows else 0.0


def take_sample(rows: QuerySet, columns: Sequence[str], deadline: Deadline) -> Sample:
    """
    Count the rows as exactly as the time allows, and return some of them.

    Raises:
        django.db.OperationalError: the database did not answer in time, not even with a bound.
    """
    planned, size = _plan_of(rows, deadline), _read_size(rows, deadline)
    if _is_readable(planned) and (whole := _read_all_rows(rows, columns, deadline)):
        return whole
    sample = _sample_pages(rows, columns, size, deadline)
    if (sample is None or sample.messages.least <= MAX_EXACT) and (
        whole := _read_all_rows(rows, columns, deadline)
    ):
        return whole
    messages = sample.messages if sample else _bound_by_size(size, planned)
    if messages is None or not messages.is_close:
        messages = _count_in_time(rows, deadline) or messages
    if messages is None:
        raise OperationalError("The database did not answer in time.")
    if sample and len(sample.rows) >= _ENOUGH:
        is_whole = messages.is_exact and len(sample.rows) == messages.about
        return Sample(
            messages=messages, rows=sample.rows, pages=sample.pages, is_whole=is_whole, is_random=True
        )
    first = deadline.run_within(lambda: list(_narrow_to_columns(rows, columns)[:_FIRST]), share=0.5) or []
    return Sample(messages=messages, rows=first, is_whole=False, is_random=False)


def how_many(rows: QuerySet, deadline: Deadline) -> Estimate | None:
    """Estimate the number of rows; None: not known in time."""
    if _is_readable(_plan_of(rows, deadline)) and (counted := _count_in_time(rows, deadline)):
        return counted
    messages = _estimate_rows(rows, _read_size(rows, deadline), deadline)
    if messages is None or not messages.is_close:
        return _count_in_time(rows, deadline) or messages
    return messages


def _plan_of(rows: QuerySet, deadline: Deadline) -> Plan | None:
    return deadline.run_within(lambda: plan_rows(rows.values("pk")), share=0.5)


def _is_readable(planned: Plan | None) -> bool:
    if planned is None or planned["Plan Rows"] > MAX_EXACT:
        return False
    return "Seq Scan" not in str(planned) or planned["Total Cost"] <= _CHEAP


def _read_all_rows(rows: QuerySet, columns: Sequence[str], deadline: Deadline) -> Sample | None:
    """Read the complete set. Return None if it is too large or takes too long."""
    whole = deadline.run_within(lambda: list(_narrow_to_columns(rows, columns)[: MAX_EXACT + 1]), share=0.5)
    if whole is None or len(whole) > MAX_EXACT:
        return None
    return Sample(messages=Estimate.from_count(len(whole)), rows=whole, is_whole=True, is_random=True)


def _narrow_to_columns(rows: QuerySet, columns: Sequence[str]) -> QuerySet:
    return rows.order_by().values_list(*columns)


def _count_in_time(rows: QuerySet, deadline: Deadline) -> Estimate | None:
    number = deadline.run_within(lambda: rows.order_by().count(), share=0.6)
    return None if number is None else Estimate.from_count(number)


def _sample_pages(rows: QuerySet, columns: Sequence[str], size: _Size, deadline: Deadline) -> Sample | None:
    messages = _estimate_rows(rows, size, deadline)
    if messages is None:
        return None
    for _, read in SAMPLES:
        share = min(1.0, read / size.pages, _MAX_READ / (messages.about or 1))
        sampled = deadline.run_within(
            lambda: list(sample_of(rows, share).values_list(*columns, _PAGE)),  # noqa: B023
            share=0.3,
        )
        if sampled is not None:
            return Sample(
                messages=messages,
                rows=[row[:-1] for row in sampled],
                pages=[row[-1] for row in sampled],
                is_whole=False,
                is_random=True,
            )
    return None


def _estimate_rows(rows: QuerySet, size: _Size, deadline: Deadline) -> Estimate | None:
    """
    Estimate the number of rows by a sample. Return None without a sample, as for a view, or if time runs out.
    """
    if not size.pages:
        return None
    for counted, _ in SAMPLES:
        share = min(1.0, counted / size.pages)
        counts = deadline.run_within(lambda: rows_of_pages(rows, share), share=0.35)  # noqa: B023
        if counts is not None:
            return estimate_rows(counts, share=share, rows_a_page=size.rows_a_page)
    return None


def _read_size(rows: QuerySet, deadline: Deadline) -> _Size:
    """Return the size of the rows' table, with no pages if it is locked or a view of several tables."""
    return _Size(*(deadline.run_within(lambda: pages_of(rows.model), share=0.2) or (0, 0.0)))


def _bound_by_size(size: _Size, planned: Plan | None) -> Estimate | None:
    """
    Return a number without a sample: anything up to the rows that the table has space for.

    The planner's estimate is not a bound: of a value without statistics, it expects one row in 200.
    """
    if planned is None or not size.pages:
        return None
    most = _MAX_DENSITY * size.pages * size.rows_a_page
    return Estimate(least=0, about=min(planned["Plan Rows"], most), most=most)


# Assumed for a table without statistics.
_ROWS_A_PAGE = 40.0


class _Sampled(BaseTable):
    """
    A table of which a query reads only a share of the pages.

    Args:
        view_query: the query of the view with this name, which ends with the sampled table; None for a table.
    """

    def __init__(self, table_name: str, alias: str, share: float, view_query: str | None) -> None:
        super().__init__(table_name, alias)
        self.share = share
        self.view_query = view_query

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, list]:
        table, params = super().as_sql(compiler, connection)
        sampled = self.view_query.replace("%", "%%") if self.view_query else table
        sampled = f"{sampled} TABLESAMPLE SYSTEM (%s) REPEATABLE (0)"
        if self.view_query:
            sampled = f"({sampled}) AS {connection.ops.quote_name(self.table_alias)}"
        return sampled, [*params, 100 * self.share]

    @property
    def identity(self) -> tuple[object, ...]:
        return (*super().identity, self.share, self.view_query)  # type: ignore[misc]  # its types lack it


class _Page(Func):
    """The page that a row is on."""

    template = "(ctid::text::point)[0]::bigint"
    output_field = models.BigIntegerField()


def pages_of(model: type[models.Model]) -> tuple[int, float]:
    """
    Return (pages, rows per page) of a table, or of the table behind a view.

    A view of several tables has 0 pages, and the rows are an estimate.
    """
    pages, rows_a_page = statements.only_row("table_pages", {"table": model._meta.db_table})
    return pages, rows_a_page or _ROWS_A_PAGE


def sample_of(rows: QuerySet, share: float) -> QuerySet:
    """Return the rows that are on a share of their table's pages, each with its `page`."""
    sample = rows.order_by().all()
    table = rows.model._meta.db_table
    alias = sample.query.get_initial_alias()
    if share < 1:
        (view_query,) = statements.only_row("view_query", {"table": table})
        sample.query.alias_map[alias] = _Sampled(table, alias, share, view_query)
    return sample.annotate(page=_Page(F("pk")))


def rows_of_pages(rows: QuerySet, share: float) -> list[int]:
    """Return the number of rows on each sampled page that has any."""
    counted = sample_of(rows, share).values("page").annotate(rows=Count("*"))
    return list(counted.values_list("rows", flat=True))


def count_by_column(samples: Sequence[Sample], place: int) -> dict[str, int]:
    """
    Return messages by the values of a column, the largest groups first, without the rest of their families.
    """
    counts: dict[str, float] = defaultdict(float)
    for sample in samples:
        for row in sample.rows:
            counts["" if row[place] is None else str(row[place])] += sample.weight
    largest = sorted(counts.items(), key=lambda group: (-group[1], group[0]))[:_MAX_GROUPS]
    return {name: round(count) for name, count in largest}
