"""
The SQL of keyset paging: the rows beyond a position, in an order, from one or several branches.

The (sort column, key) of rows is compared with the position, so the cost does not grow with the depth. NULL
comes last in ascending and first in descending order, as in PostgreSQL's indexes, so that one plain index on
(sort column, key) serves both.

Source: docs/contributing/spec/design.md, R-9, "Paging".
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar, cast

from django.contrib.postgres.fields import ArrayField
from django.db.models import BooleanField, F, Field, Func, Model, QuerySet, Value
from django.db.models.expressions import OrderBy
from django.db.models.fields.tuple_lookups import (
    Tuple,
    TupleGreaterThan,
    TupleGreaterThanOrEqual,
    TupleLessThan,
    TupleLessThanOrEqual,
)
from django.db.models.functions import Coalesce

# The model of a list's rows.
M = TypeVar("M", bound=Model)


@dataclass(frozen=True, kw_only=True)
class Order:
    """
    One order that a list offers.

    Args:
        column: the sort column, a field of the list's model.
        key: a unique field that decides between equal values; may be `column` itself.
        descending: the direction, the same for both.
        nullable: `column` may be NULL.
    """

    column: str
    key: str
    descending: bool = False
    nullable: bool = False

    @property
    def name(self) -> str:
        return f"-{self.column}" if self.descending else self.column

    def columns_of(self, *, is_null: bool) -> list[str]:
        """Return the sort columns of the rows that have a value, or of the rows without one."""
        return [self.key] if is_null or self.column == self.key else [self.column, self.key]

    def position_of(self, row: Model) -> tuple[object, object]:
        """Return the position of a row: its sort column and key."""
        return getattr(row, self.column), getattr(row, self.key)


Position = tuple[object, object] | None
# Takes a position, and whether the direction of reading is descending.
Stretches = Callable[[Position, bool], Iterator[tuple[QuerySet[M], Position]]]


@dataclass(frozen=True, kw_only=True)
class Branch(Generic[M]):
    """
    A part of a list's rows, with hints how to find them. Without hints, the planner decides.

    Args:
        rows: the rows, without the condition of `constant`.
        constant: (column, value) of an equality filter whose index (column, *order) must be read in order.
            For `column = value`, the planner might scan another index in order, to its far end if all rows of
            the value are there. So the condition is `column = ANY (a list of one)`, and the column is also in
            the sort order, which only that index has. For a range of the column, PostgreSQL before 18 would
            ignore the other bounds of the scan.
        is_few: the rows are few enough to be found by the filter's own index and sorted.
        scan: the rows to scan, which include `rows`, if most of them may not belong to the list; without the
            condition of `constant`. Each request scans a limited number (incremental_scan.py).
        stretches: an alternative to `scan` if only some stretches of the order can have rows: yields (rows,
            end) of each stretch beyond a position, in the direction of reading. Only for a list with a single
            branch.
    """

    rows: QuerySet[M]
    constant: tuple[str, object] | None = None
    is_few: bool = False
    scan: QuerySet[M] | None = None
    stretches: "Stretches[M] | None" = None


def read_rows(
    branches: Sequence[Branch[M]],
    order: Order,
    *,
    start: Position,
    descending: bool,
    limit: int,
) -> list[M]:
    """
    Return up to `limit` rows beyond `start`; None: from the end of the list.

    Args:
        branches: branches with the same columns and no common rows. A key that is in two of them is returned
            once.
        start: (sort column, key) of the row before the first one.
        descending: the direction of reading, which is opposite to the order when reading backwards.
    """
    rows: list[M] = []
    for reading in iterate_readings(order, start=start, descending=descending):
        rows += reading.read_rows(branches, limit - len(rows))
        if len(rows) == limit:
            break
    return rows


def iterate_readings(order: Order, *, start: Position, descending: bool) -> "Iterator[Reading]":
    """
    Yield the queries for the segments that have not been read, in order: of a nullable order, the rows with a
    value and the rows without one.

    Each segment is a separate query, because `column > x OR column IS NULL` would not use an index.
    """
    segments = [False] if not order.nullable else [True, False] if descending else [False, True]
    place = 0 if start is None or not order.nullable else segments.index(start[0] is None)
    for number, is_null in enumerate(segments[place:]):
        # Only the segment with the start begins there; the next one is read from its beginning.
        first = start if number == 0 else None
        yield Reading(order=order, is_null=is_null, start=first, descending=descending)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A query for one segment, from a start on, in one direction."""

    order: Order
    is_null: bool
    start: Position
    descending: bool
    stop: Position = None

    @property
    def columns(self) -> list[str]:
        return self.order.columns_of(is_null=self.is_null)

    def read_rows(self, branches: Sequence[Branch[M]], limit: int) -> list[M]:
        """Return the next `limit` rows of the segment, without duplicate keys."""
        rows: dict[object, M] = {}
        reading = self
        while (missing := limit - len(rows)) > 0:
            batch = list(reading.make_queryset(branches, missing))
            for row in batch:
                rows.setdefault(self.order.position_of(row)[1], row)
            if len(batch) < missing:
                break
            reading = replace(self, start=self.order.position_of(batch[-1]))
        return list(rows.values())

    def place_ahead(self, branch: Branch[M], steps: int) -> Position:
        """Return the position that a scan of a branch reaches after `steps` rows; None if there are fewer."""
        if branch.scan is None:
            return None
        passed = self._in_order(self._of_segment(branch.scan), branch.constant)
        names = (self.order.column, self.order.key)
        return passed.values_list(*names)[steps - 1 : steps].first()

    def make_queryset(self, branches: Sequence[Branch[M]], limit: int) -> QuerySet[M]:
        """Return the query for the next `limit` rows of the segment."""
        parts = [self._part_of_branch(branch, limit) for branch in branches]
        if len(parts) == 1:
            return parts[0]
        return parts[0].union(*parts[1:], all=True).order_by(*self._make_sorting(self.columns))[:limit]

    def _part_of_branch(self, branch: Branch[M], limit: int) -> QuerySet[M]:
        rows = self._of_segment(branch.rows)
        if branch.is_few:
            return self._sorted_part(rows, limit)
        return self._in_order(rows, branch.constant)[:limit]

    def _of_segment(self, rows: QuerySet[M]) -> QuerySet[M]:
        if not self.order.nullable:
            return rows
        return rows.filter(**{f"{self.order.column}__isnull": self.is_null})

    def _in_order(self, rows: QuerySet[M], constant: tuple[str, object] | None) -> QuerySet[M]:
        columns = self.columns
        rows = self._limit_to_range(rows, columns)
        if constant is not None:
            column, value = constant
            rows = rows.filter(_one_of_list(rows.model, column, value))
            columns = [column, *columns]
        return rows.order_by(*self._make_sorting(columns))

    def _sorted_part(self, rows: QuerySet[M], limit: int) -> QuerySet[M]:
        """Sort only the keys, because an index often has them without the rows."""
        first, *others = self.columns
        # COALESCE of a column and itself equals the column but prevents the use of an index for the order or
        # the start.
        columns: list[str | Coalesce] = [Coalesce(F(first), F(first)), *others]
        sorted_rows = self._limit_to_range(rows, columns).order_by(*self._make_sorting(columns))
        keys = sorted_rows.values(self.order.key)
        chosen = rows.filter(**{f"{self.order.key}__in": keys[:limit]})
        return chosen.order_by(*self._make_sorting(self.columns))[:limit]

    def _limit_to_range(self, rows: QuerySet[M], columns: Sequence[str | Coalesce]) -> QuerySet[M]:
        """Limit the rows to those after the start and up to the stop."""
        beyond, up_to = (
            (TupleLessThan, TupleGreaterThanOrEqual)
            if self.descending
            else (TupleGreaterThan, TupleLessThanOrEqual)
        )
        for compare, position in ((beyond, self.start), (up_to, self.stop)):
            if position is not None:
                values = position[-len(self.columns) :]
                rows = rows.filter(compare(Tuple(*_as_expressions(columns)), values))
        if self.start is None or self.stop is None or not isinstance(columns[0], str):
            return rows
        # Repeated for the first column, because the planner can only guess the selectivity of a row
        # comparison.
        start, stop = self.start[-len(self.columns)], self.stop[-len(self.columns)]
        first, last = (stop, start) if self.descending else (start, stop)
        return rows.filter(**{f"{columns[0]}__gte": first, f"{columns[0]}__lte": last})

    def _make_sorting(self, columns: Sequence[str | Coalesce]) -> list[OrderBy]:
        return [OrderBy(column, descending=self.descending) for column in _as_expressions(columns)]


def _one_of_list(model: type[Model], column: str, value: object) -> Func:
    """
    Return `column = ANY (a list of one)`: for an index it is an equality, for the planner's sorting it is
    not.
    """
    # A column of the table, not a relation to another table.
    field = cast("Field[object, object]", model._meta.get_field(column))
    values = Value([value], output_field=ArrayField(field))
    template = {"template": "%(expressions)s)", "arg_joiner": " = ANY ("}
    return Func(F(column), values, output_field=BooleanField(), **template)


def _as_expressions(columns: Sequence[str | Coalesce]) -> list[F | Coalesce]:
    return [F(column) if isinstance(column, str) else column for column in columns]
