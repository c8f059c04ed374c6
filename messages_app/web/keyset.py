"""
The SQL of keyset paging: the rows beyond a position, in an order, from one or several branches.

Rows are compared, (sort column, key) with the position, so the cost does not grow with the depth. A missing
value stands after all others in ascending order and before them in descending order: so PostgreSQL keeps its
indexes, and one plain index on (sort column, key) serves both. Source: DESIGN.md rule 9; performance 1.3.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import F, Model, QuerySet
from django.db.models.expressions import OrderBy
from django.db.models.fields.tuple_lookups import Tuple, TupleGreaterThan, TupleLessThan
from django.db.models.functions import Coalesce


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

    def columns(self, *, is_null: bool) -> list[str]:
        """Return what the rows with a value, or those without, are sorted by."""
        return [self.key] if is_null or self.column == self.key else [self.column, self.key]


@dataclass(frozen=True, kw_only=True)
class Branch:
    """
    Some of a list's rows, and how they are best found. Without either hint the planner decides.

    Args:
        rows: the rows, but for `constant`.
        constant: (column, value) of an equality filter whose index (column, *order) is to be read in order.
            Asked as `column = value`, the planner may walk another index in order instead, and where the
            value's rows lie together at its far end, it walks all of it. So it is asked as a range, and
            sorted by too, which only that index offers.
        is_few: the rows are few enough to be found by the filter's own index and sorted.
    """

    rows: QuerySet
    constant: tuple[str, object] | None = None
    is_few: bool = False


Position = tuple[object, object] | None


def read(
    branches: Sequence[Branch], order: Order, *, start: Position, descending: bool, limit: int
) -> list[Model]:
    """
    Return up to `limit` rows beyond `start`, or from the list's end where that is None.

    Args:
        branches: share no row, and have the same model and columns.
        start: (sort column, key) of the row to start beyond.
        descending: the direction of reading, which is against the order when reading backwards.
    """
    rows: list[Model] = []
    for is_null in _segments(order, start, descending):
        # Only the segment that the start lies in starts there; a later one is read from its beginning.
        inside = start is not None and (start[0] is None) == is_null
        reading = Reading(
            order=order, is_null=is_null, start=start if inside else None, descending=descending
        )
        rows += reading.queryset(branches, limit - len(rows))
        if len(rows) == limit:
            break
    return rows


def _segments(order: Order, start: Position, descending: bool) -> list[bool]:
    """
    Return what is still to be read, in order: False for the rows with a value, True for those without.

    One query each: `column > x OR column IS NULL` in one query uses no index.
    """
    if not order.nullable:
        return [False]
    segments = [True, False] if descending else [False, True]
    return segments if start is None else segments[segments.index(start[0] is None) :]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One query: one segment, from a start on, in one direction."""

    order: Order
    is_null: bool
    start: Position
    descending: bool

    @property
    def columns(self) -> list[str]:
        return self.order.columns(is_null=self.is_null)

    def queryset(self, branches: Sequence[Branch], limit: int) -> QuerySet:
        """Return the query for the next `limit` rows of the segment."""
        parts = [self._part(branch, limit) for branch in branches]
        if len(parts) == 1:
            return parts[0]
        return parts[0].union(*parts[1:], all=True).order_by(*self._sorting(self.columns))[:limit]

    def _part(self, branch: Branch, limit: int) -> QuerySet:
        rows = branch.rows
        if self.order.nullable:
            rows = rows.filter(**{f"{self.order.column}__isnull": self.is_null})
        if branch.is_few:
            return self._sorted_part(rows, limit)
        columns, values = self.columns, self._values
        if branch.constant is not None:
            column, value = branch.constant
            rows = rows.filter(**{f"{column}__gte": value, f"{column}__lte": value})
            columns, values = [column, *columns], values and (value, *values)
        return self._after(rows, columns, values).order_by(*self._sorting(columns))[:limit]

    def _sorted_part(self, rows: QuerySet, limit: int) -> QuerySet:
        """Sort the keys alone: often an index gives them without the rows."""
        first, *others = self.columns
        # COALESCE of a column and itself is the column, but of no index: neither for the order nor the start.
        columns = [Coalesce(F(first), F(first)), *others]
        keys = self._after(rows, columns, self._values).order_by(*self._sorting(columns))
        keys = keys.values(self.order.key)
        chosen = rows.filter(**{f"{self.order.key}__in": keys[:limit]})
        return chosen.order_by(*self._sorting(self.columns))[:limit]

    @property
    def _values(self) -> tuple | None:
        return self.start and self.start[-len(self.columns) :]

    def _after(self, rows: QuerySet, columns: list[str | Coalesce], values: tuple | None) -> QuerySet:
        if values is None:
            return rows
        compare = TupleLessThan if self.descending else TupleGreaterThan
        return rows.filter(compare(Tuple(*_expressions(columns)), values))

    def _sorting(self, columns: list[str | Coalesce]) -> list[OrderBy]:
        return [OrderBy(column, descending=self.descending) for column in _expressions(columns)]


def _expressions(columns: list[str | Coalesce]) -> list[F | Coalesce]:
    return [F(column) if isinstance(column, str) else column for column in columns]
