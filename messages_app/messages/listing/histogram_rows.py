"""
The rows of one part of the list, for its histogram.

- A small number of rows, which an index finds, is read completely.
- Rows with no other condition than that of their index are counted from it: all, or windows of each slice.
- Of other rows, the newest are searched. If many of them match, windows are counted too. Otherwise the
  histogram shows only the searched rows.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypedDict

from django.db import connection
from django.db.models import Q, QuerySet

from messages_app.core.charts.slices import Slices
from messages_app.core.lists.branches import Part, is_few, plan_rows, planned_rows
from messages_app.core.pagination.keyset import Order
from messages_app.core.statements import Statements

statements = Statements("messages_app.messages")
_BY_RECEIPT = Order(column="receive_timestamp", key="msg_id")
_TIME = _BY_RECEIPT.column
_WINDOWS_A_SLICE = 12
# If a larger share of the searched rows matches, a sample has enough of them.
_COMMON = 0.05
# How often windows with more rows than expected are made smaller, and by which factor.
_ATTEMPTS, _SMALLER = 3, 8
# A sample with a smaller share than this of the expected rows has missed most of them.
_MIN_OF_EXPECTED = 0.4
# Counts by (number of the slice, state), and the counted share of the time.
Counted = tuple[Counter[tuple[int, str]], float]


class Extent(TypedDict):
    """When the first and the last of some rows were received; None for no rows."""

    oldest: datetime | None
    newest: datetime | None


class Uneven(Exception):
    """Most rows are in a few moments, so a sample of the time does not show how many there are."""


@dataclass(frozen=True, kw_only=True)
class PartRows(ABC):
    """
    Rows of one part of a list.

    Args:
        oldest, newest: when the first and the last were received; None without rows.
        read_from: messages received earlier were not checked; None if all were checked.
        passed: the number of searched rows.
    """

    oldest: datetime | None
    newest: datetime | None
    read_from: datetime | None = None
    passed: int = 0

    @abstractmethod
    def count(self, slices: Slices, *, start: datetime, stop: datetime) -> Counted:
        """Count the rows received from `start` to `stop`."""


@dataclass(frozen=True, kw_only=True)
class ReadRows(PartRows):
    """Rows that were all read: when each was received, and its state."""

    rows: Sequence[tuple[datetime, str]]

    def count(self, slices: Slices, *, start: datetime, stop: datetime) -> Counted:
        places = ((slices.number_of(at), state) for at, state in self.rows if start <= at <= stop)
        return Counter(places), 1.0


@dataclass(frozen=True, kw_only=True)
class IndexedRows(PartRows):
    """Rows that are counted from an index of receipt."""

    part: Part
    most: int

    def count(self, slices: Slices, *, start: datetime, stop: datetime) -> Counted:
        if self.newest is None:
            return Counter(), 1.0
        bounds = {f"{_TIME}__gte": start, f"{_TIME}__lte": stop}
        expected = max(planned_rows(_select_passed_rows(self.part).filter(**bounds)), 1)
        share = 1.0 if expected <= 0.8 * self.most else self.most / expected / 2
        for _ in range(_ATTEMPTS):
            windows = _list_windows(slices, share, start, stop)
            counted, is_cut = _count_windows(self.part, windows, share, self.most)
            if not is_cut and self._is_likely(counted, share, expected):
                return counted, share
            if not is_cut:
                return self._count_all(slices, start, stop)
            share = min(share, self.most / expected / 2) / _SMALLER
        raise Uneven

    def _is_likely(self, counted: Counter, share: float, expected: int) -> bool:
        return share == 1 or counted.total() >= _MIN_OF_EXPECTED * expected

    def _count_all(self, slices: Slices, start: datetime, stop: datetime) -> Counted:
        """Count without a sample: statistics outlive rows that are gone, and expected too many."""
        counted, is_cut = _count_windows(self.part, _list_windows(slices, 1.0, start, stop), 1.0, self.most)
        if is_cut:
            raise Uneven
        return counted, 1.0


@dataclass(frozen=True, kw_only=True)
class Common(IndexedRows):
    """Rows with further conditions that many rows match: a sample of them is counted."""

    def _is_likely(self, counted: Counter, share: float, expected: int) -> bool:
        """Accept any number: no estimate is known."""
        return True


def read_part(part: Part, *, ranges: Collection[str], most: int) -> PartRows:
    """Return the rows of a part of a list, or their first and last times. It reads at most `most` rows."""
    others = part.rows_without(part.constant_of(_BY_RECEIPT))
    if not others.query.where:
        return IndexedRows(
            part=part, most=most, **_read_extent(_select_passed_rows(part).filter(**part.bounds))
        )
    if part.is_few or (
        is_few(part.rows, _BY_RECEIPT, ranges) and not _has_whole_index_scan(plan_rows(part.rows))
    ):
        rows = list(part.rows.order_by().values_list(_TIME, "state")[: most + 1])
        if len(rows) <= most:
            return ReadRows(rows=rows, passed=len(rows), **_ends_of_rows(rows))
    return _search_newest(part, most)


def _has_whole_index_scan(planned: Mapping[str, Any]) -> bool:
    """Whether a plan reads an index completely. That is cheap, but reads all rows."""
    is_whole = "Index" in planned["Node Type"] and "Index Cond" not in planned
    return is_whole or any(_has_whole_index_scan(inner) for inner in planned.get("Plans", ()))


def _select_passed_rows(part: Part) -> QuerySet[Any]:
    """Return the rows of the part's index, without its other conditions and its range."""
    constant = part.constant_of(_BY_RECEIPT)
    return part.others.model.objects.filter(**(dict([constant]) if constant else {}))


def _read_extent(rows: QuerySet[Any]) -> Extent:
    """Read one row of the index from each end."""
    times = rows.values_list(_TIME, flat=True)
    return {"oldest": times.order_by(_TIME).first(), "newest": times.order_by(f"-{_TIME}").first()}


def _ends_of_rows(rows: Sequence[tuple[datetime, str]]) -> Extent:
    times = [at for at, _ in rows]
    return {"oldest": min(times, default=None), "newest": max(times, default=None)}


def _search_newest(part: Part, most: int) -> PartRows:
    """Search the newest rows of the index."""
    names, values = _conditions_of_part(part)
    bounds_sql, bounds_values = _condition_of_rows(part.others.model.objects.filter(**part.bounds))
    sql = statements.read_text("histogram_newest").format(**names, bounds=bounds_sql)
    with connection.cursor() as cursor:
        cursor.execute(sql, [*values["others"], *values["constant"], *bounds_values, most])
        passed = cursor.fetchall()
    rows = [(at, state) for at, state, is_found in passed if is_found]
    is_whole = len(passed) < most
    if not is_whole and len(rows) > _COMMON * most:
        return Common(
            part=part, most=most, passed=most, **_read_extent(_select_passed_rows(part).filter(**part.bounds))
        )
    return ReadRows(
        rows=rows, passed=len(passed), read_from=None if is_whole else passed[-1][0], **_ends_of_rows(rows)
    )


def _list_windows(
    slices: Slices, share: float, start: datetime, stop: datetime
) -> list[tuple[int, datetime, datetime]]:
    """Return the (slice, from, to) to count, within the range of the histogram."""
    windows = slices.iterate_samples(share, 1 if share == 1 else _WINDOWS_A_SLICE)
    # The end of the range belongs to it; the end of a window does not.
    last = stop + timedelta(microseconds=1)
    return [(number, max(begin, start), min(end, last)) for number, begin, end in windows]


def _count_windows(
    part: Part, windows: Sequence[tuple[int, datetime, datetime]], share: float, most: int
) -> tuple[Counter, bool]:
    """Count windows and scale the counts up; also return whether `most` rows came before their end."""
    names, values = _conditions_of_part(part)
    columns = [list(column) for column in zip(*windows, strict=True)]
    with connection.cursor() as cursor:
        sql = statements.read_text("histogram").format(**names)
        cursor.execute(sql, [*values["others"], *columns, *values["constant"], most])
        rows = cursor.fetchall()
    is_cut = sum(passed for *_, passed in rows) >= most
    counted = {(number, state): round(matches / share) for number, state, matches, _ in rows if matches}
    return Counter(counted), is_cut


def _conditions_of_part(part: Part) -> tuple[dict[str, str], dict[str, list[Any]]]:
    """Return the names and conditions of a part's SQL, and the values of the conditions."""
    constant = part.constant_of(_BY_RECEIPT)
    table = part.others.model
    sqls, values = {"table": connection.ops.quote_name(table._meta.db_table)}, {}
    passed = table.objects.filter(Q(**dict([constant])) if constant else Q())
    for name, rows in (("constant", passed), ("others", part.rows_without(constant, probed=True))):
        sqls[name], values[name] = _condition_of_rows(rows)
    return sqls, values


def _condition_of_rows(rows: QuerySet[Any]) -> tuple[str, list[Any]]:
    """Return the condition of a queryset as SQL that names the columns by their table."""
    if not rows.query.where:
        return "true", []
    compiler = rows.query.get_compiler(connection=connection)
    compiler.pre_sql_setup()
    sql, values = compiler.compile(rows.query.where)
    return sql, list(values)
