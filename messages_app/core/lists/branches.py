"""
How a filtered list is read: as which branches, and by which index each.

The planner takes a filter's rows to lie evenly in every order. They do not: an outage fails thousands of rows
in one hour, a service is switched off, a time range is old. Walking an order until a page is full then reads
millions of rows. So a branch is walked to its end only by an index that holds its rows and no others; rows
that are few are sorted; anything else is walked some way a request (walking.py).
Source: docs/spec/design.md, R-9, "Budgets".
"""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypedDict, cast

from django.db import connection
from django.db.models import Model, QuerySet

from messages_app.core.pagination.keyset import Branch, M, Order

# What may be sorted for one page. Rows of a time range lie together, and their index alone gives their keys.
_MOST_IN_RANGE = 500_000
# Other rows may lie anywhere: by the planner's measure of cost, some ten thousand scattered ones.
_MOST_COST = 20_000
# A larger share of the table than this is met soon enough by walking.
_MOST_SHARE = 0.05

# What is read of PostgreSQL's plan of a query.
Plan = TypedDict("Plan", {"Node Type": str, "Plan Rows": int, "Total Cost": float})

_NOTHING: Plan = {"Node Type": "Result", "Plan Rows": 0, "Total Cost": 0.0}


@dataclass(frozen=True, kw_only=True)
class Indexes:
    """
    The indexes of a list that keep the rows of one value in an order.

    Args:
        columns: by the table and the sort column: those with an index (column, sort column, key), of which
            one that holds fewer rows is before others.
        in_none: values that are most of a table and are in no such index.
    """

    columns: Mapping[tuple[type[Model], str], tuple[str, ...]]
    in_none: frozenset[object] = frozenset()


@dataclass(frozen=True)
class Part(Generic[M]):
    """
    Some of a list's rows.

    Args:
        others: the rows, but for `constants` and `bounds`.
        constants: columns and the one value that each has.
        bounds: the range of the sort column, as lookups.
        indexes: those of the list.
        searches: whether long texts are read.
        probed: `others` written so that each row is looked up on its own, where a set of keys would otherwise
            be read again for every stretch of rows.
        is_few: `others` names its rows by their keys, so they are few whatever the planner expects.
    """

    others: QuerySet[M]
    constants: Mapping[str, object]
    bounds: Mapping[str, object] = field(default_factory=dict)
    indexes: Indexes = field(default_factory=lambda: Indexes(columns={}))
    searches: bool = False
    probed: QuerySet[M] | None = None
    is_few: bool = False

    @property
    def rows(self) -> QuerySet[M]:
        return self.others.filter(**self.constants, **self.bounds)

    def constant(self, order: Order) -> tuple[str, object] | None:
        """Return the (column, value) whose index keeps the rows together in the order, None for none."""
        for column in self.indexes.columns.get((self.others.model, order.column), ()):
            if column in self.constants and self.constants[column] not in self.indexes.in_none:
                return column, self.constants[column]
        return None

    def besides(self, constant: tuple[str, object] | None, *, probed: bool = False) -> QuerySet[M]:
        """Return the rows, but for `constant` and `bounds`."""
        others = self.probed if probed and self.probed is not None else self.others
        column = constant and constant[0]
        return others.filter(**{name: self.constants[name] for name in self.constants if name != column})


def branch_of(
    part: Part[M],
    order: Order,
    *,
    ranges: Collection[str],
    narrow: Callable[[QuerySet[M]], QuerySet[M]] = lambda rows: rows,
) -> Branch[M]:
    """
    Walk the index that holds these rows alone; else sort rows that are few; else walk past others too.

    Args:
        ranges: the time columns of which only a range is asked for.
        narrow: leaves out of rows what the list does not read.
    """
    constant = part.constant(order)
    besides = part.besides(constant)
    rows = narrow(besides.filter(**part.bounds))
    if not besides.query.where:
        return Branch(rows=rows, constant=constant)
    if part.is_few or (not (part.searches and part.bounds) and is_few(part.rows, order, ranges)):
        return Branch(rows=narrow(part.rows), is_few=True)
    passed = part.others.model._default_manager.filter(**part.bounds)
    return Branch(rows=rows, constant=constant, walk=passed)


def is_few(rows: QuerySet[M], order: Order, ranges: Collection[str]) -> bool:
    """Whether the rows are few enough to be sorted, and some index finds them."""
    planned = plan(rows)
    if "Seq Scan" in json.dumps(planned):
        return False
    if set(ranges) - {order.column}:
        return planned["Plan Rows"] <= _MOST_IN_RANGE
    return planned["Total Cost"] <= _MOST_COST and planned["Plan Rows"] <= _MOST_SHARE * _rows_of_table(rows)


def planned_rows(rows: QuerySet[M]) -> int:
    """Return how many rows the planner expects."""
    return plan(rows)["Plan Rows"]


def plan(rows: QuerySet[M]) -> Plan:
    """Return the planner's plan for finding the rows in any order; an empty one where none can be found."""
    text = rows.order_by().explain(format="json")
    # Django asks nothing of a filter that no row can pass, such as one of an empty list of values.
    return cast(Plan, json.loads(text)[0]["Plan"]) if text else _NOTHING


def _rows_of_table(rows: QuerySet[M]) -> float:
    """Return how many rows the last ANALYZE or VACUUM saw."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT reltuples FROM pg_class WHERE oid = to_regclass(%s)", [rows.model._meta.db_table]
        )
        rows_seen: float = cursor.fetchone()[0]
        return rows_seen
