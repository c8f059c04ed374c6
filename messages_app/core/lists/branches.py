"""
The plan for reading a filtered list: its branches, and the index of each.

PostgreSQL's planner assumes that the rows of a filter are evenly spread in every order. They are not: an
outage fails thousands of rows in one hour, a service is switched off, a time range is old. To scan an order
until a page is full then reads millions of rows. So a branch is only scanned to its end by an index that has
exactly its rows. A small number of rows is sorted. Any other branch is scanned step by step, with a limit for
each request (incremental_scan.py).

Source: docs/contributing/spec/design.md, R-9, "Budgets".
"""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, NotRequired, TypedDict, cast

from django.db.models import Model, QuerySet

from messages_app.core.pagination.keyset import Branch, M, Order
from messages_app.core.statements import Statements

statements = Statements("messages_app.core")

# The maximum number of rows of a time range to sort for a page. They are close together, and their index has
# their keys.
_MAX_IN_RANGE = 500_000
# For other rows, which may be scattered, the limit is the planner's cost: about ten thousand rows.
_MAX_COST = 20_000
# Rows with a larger share of the table than this are found soon enough by a scan.
_MAX_SHARE = 0.05
# A partition whose scan costs less has a few pages.
_MAX_COST_OF_PART = 20

# The parts of PostgreSQL's plan that are used.
Plan = TypedDict(
    "Plan",
    {
        "Node Type": str,
        "Plan Rows": int,
        "Total Cost": float,
        "Relation Name": NotRequired[str],
        "Plans": NotRequired[list[Any]],
    },
)

_NOTHING: Plan = {"Node Type": "Result", "Plan Rows": 0, "Total Cost": 0.0}


@dataclass(frozen=True, kw_only=True)
class Indexes:
    """
    The indexes of a list that keep the rows of one value in an order.

    Args:
        columns: by table and sort column, the columns with an index (column, sort column, key). Indexes with
            fewer rows come first.
        in_none: values of most rows of a table, which are in no such index.
    """

    columns: Mapping[tuple[type[Model], str], tuple[str, ...]]
    in_none: frozenset[object] = frozenset()


@dataclass(frozen=True)
class Part(Generic[M]):
    """
    A part of a list's rows.

    Args:
        others: the rows, without the conditions of `constants` and `bounds`.
        constants: the columns that have only one value, with the value.
        bounds: the range of the sort column, as lookups.
        indexes: the indexes of the list.
        searches: whether the filter reads long texts.
        probed: a form of `others` that looks up each row separately, if a set of keys would otherwise be read
            again for every step of a scan.
        is_few: `others` selects its rows by their keys, so there are only a few, whatever the planner
            expects.
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

    def constant_of(self, order: Order) -> tuple[str, object] | None:
        """Return the (column, value) whose index keeps the rows together in this order, or None."""
        for column in self.indexes.columns.get((self.others.model, order.column), ()):
            if column in self.constants and self.constants[column] not in self.indexes.in_none:
                return column, self.constants[column]
        return None

    def rows_without(self, constant: tuple[str, object] | None, *, probed: bool = False) -> QuerySet[M]:
        """Return the rows without the conditions of `constant` and `bounds`."""
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
    Choose the plan of a part: scan an index that has only its rows, or sort a small number of rows, or scan
    other rows too.

    Args:
        ranges: the time columns that the filter limits to a range.
        narrow: defers the columns of rows that the list does not read.
    """
    constant = part.constant_of(order)
    others = part.rows_without(constant)
    rows = narrow(others.filter(**part.bounds))
    if not others.query.where:
        return Branch(rows=rows, constant=constant)
    if part.is_few or (not (part.searches and part.bounds) and is_few(part.rows, order, ranges)):
        return Branch(rows=narrow(part.rows), is_few=True)
    passed = part.others.model._default_manager.filter(**part.bounds)
    # A set of keys would be read again for each step.
    probed = part.rows_without(constant, probed=True).filter(**part.bounds)
    return Branch(rows=narrow(probed), constant=constant, scan=passed)


def is_few(rows: QuerySet[M], order: Order, ranges: Collection[str]) -> bool:
    """Whether there are few enough rows to sort, and an index finds them."""
    planned = plan_rows(rows)
    if _has_table_scan(planned, rows.model._meta.db_table):
        return False
    if set(ranges) - {order.column}:
        return planned["Plan Rows"] <= _MAX_IN_RANGE
    return planned["Total Cost"] <= _MAX_COST and planned["Plan Rows"] <= _MAX_SHARE * _rows_of_table(rows)


def _has_table_scan(planned: Plan, table: str) -> bool:
    """Whether a plan reads a table from end to end, apart from partitions of a few pages."""
    if planned["Node Type"] == "Seq Scan":
        return planned["Relation Name"] == table or planned["Total Cost"] > _MAX_COST_OF_PART
    return any(_has_table_scan(part, table) for part in planned.get("Plans", ()))


def planned_rows(rows: QuerySet[M]) -> int:
    """Return the number of rows that the planner expects."""
    return plan_rows(rows)["Plan Rows"]


def plan_rows(rows: QuerySet[M]) -> Plan:
    """Return the planner's plan for finding the rows in any order, or an empty plan if there can be none."""
    text = rows.order_by().explain(format="json")
    # Django sends no query for a filter that excludes all rows, such as one with an empty list of values.
    return cast(Plan, json.loads(text)[0]["Plan"]) if text else _NOTHING


def _rows_of_table(rows: QuerySet[M]) -> float:
    """Return the number of rows of the table at the last ANALYZE or VACUUM."""
    rows_seen: float
    (rows_seen,) = statements.only_row("rows_of_table", {"table": rows.model._meta.db_table})
    return rows_seen
