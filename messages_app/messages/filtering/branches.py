"""
How a filtered list of messages is read: as which branches, and by which index each.

The planner takes a filter's rows to lie evenly in every order. Here they do not: an outage fails thousands of
messages in one hour, a service is switched off, a time range is old. Walking an order until a page is full
then reads millions of rows. So a branch is walked to its end only by an index that holds its rows and no
others; rows that are few are sorted; anything else is walked some way a request (web/walking.py).
Source: DESIGN.md rule 9 and "Budgets".
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from django.db import connection
from django.db.models import Exists, F, Model, OuterRef, QuerySet, Value
from django.db.models.fields.tuple_lookups import Tuple, TupleGreaterThanOrEqual, TupleLessThanOrEqual

from messages_app.messages.cold.models import ColdMessage
from messages_app.messages.filtering.filter_values import FAMILY_FAILED, FAMILY_ROOTS
from messages_app.messages.filtering.filters import CONTENT, STATE, MessageFilter
from messages_app.messages.models import ArchiveFunnel, ArchiveMessage, Funnel, Message
from messages_app.messages.states import FAILURE_STATES, MessageState
from messages_app.web.keyset import Branch, Order

# Texts that may be megabytes: no list reads them.
CONTENT_COLUMNS = ("payload", "envelope")
WIDE_COLUMNS = (*CONTENT_COLUMNS, "failed_desc", "custom_data", "business_error")

# What may be sorted for one page. Rows of a time range lie together, and their index alone gives their keys.
_MOST_IN_RANGE = 500_000
# Other rows may lie anywhere: by the planner's measure of cost, some ten thousand scattered ones.
_MOST_COST = 20_000
# A larger share of the table than this is met soon enough by walking.
_MOST_SHARE = 0.05

# Columns asked for by equality, the rarer first. By the table and the sort column: those with an index
# (column, sort column, key).
_CONSTANTS = (
    "parent_msg_id",
    "object_id",
    "process_id",
    STATE,
    "failed_error_code",
    "funnel_component_id",
    "entity_type",
    "operation_name",
    "service_name",
    "source_system",
)
_INDEXED_CONSTANTS: Mapping[tuple[type[Model], str], tuple[str, ...]] = {
    (Message, "msg_id"): _CONSTANTS,
    (Message, "receive_timestamp"): (STATE, "service_name"),
    (ArchiveMessage, "msg_id"): ("parent_msg_id", "object_id", "process_id", STATE, "failed_error_code"),
    (ArchiveMessage, "receive_timestamp"): (),
    (ColdMessage, "msg_id"): ("parent_msg_id",),
    (ColdMessage, "receive_timestamp"): (),
}
# Of a message in a Parquet file, what a list does not read but its table has.
_COLD_COLUMNS = ("failed_summary", "part_id")


_NOTHING = {"Node Type": "Result", "Plan Rows": 0, "Total Cost": 0.0}


@dataclass(frozen=True)
class Part:
    """
    Some of the list's rows.

    Args:
        others: the rows, but for `constants` and `bounds`.
        constants: columns and the one value that each has.
        bounds: the range of the sort column, as lookups.
        searches: whether payloads are read.
    """

    others: QuerySet
    constants: Mapping[str, object]
    bounds: Mapping[str, object] = field(default_factory=dict)
    searches: bool = False

    @property
    def rows(self) -> QuerySet:
        return self.others.filter(**self.constants, **self.bounds)

    def constant(self, order: Order) -> tuple[str, object] | None:
        """Return the (column, value) whose index keeps the rows together in the order, None for none."""
        for column in _INDEXED_CONSTANTS.get((self.others.model, order.column), ()):
            # OK is most of the table and stands in no index of its own.
            if column in self.constants and self.constants[column] != MessageState.OK:
                return column, self.constants[column]
        return None

    def besides(self, constant: tuple[str, object] | None) -> QuerySet:
        """Return the rows, but for `constant` and `bounds`."""
        column = constant and constant[0]
        return self.others.filter(**{name: self.constants[name] for name in self.constants if name != column})


def querysets(filters: MessageFilter, *, with_parquet: bool = False) -> list[QuerySet]:
    """
    Return querysets that share no row and together are the filtered list.

    Of archived=any the live ones come first; a message that is being moved may stand in either.

    Args:
        with_parquet: give archived messages in Parquet files too: as rows without the wide columns.
    """
    found = (part.rows for part in parts(filters))
    return [rows for rows in found if with_parquet or rows.model is not ColdMessage]


def branches(filters: MessageFilter, order: Order) -> list[Branch]:
    """
    Return the filtered list, without the wide columns, as branches, each read by a fitting index.

    Each row has `archived`: whether it stands in the archive.
    """
    return [_branch(part, order, filters.ranges) for part in parts(filters, order.column)]


def planned_rows(rows: QuerySet) -> int:
    """Return how many rows the planner expects."""
    return plan(rows)["Plan Rows"]


def tables(filters: MessageFilter) -> tuple[type[Model], ...]:
    """Return the tables that the list reads, the live one first."""
    # A payload in a file is not searched.
    archive = (ArchiveMessage,) if CONTENT in filters.values else (ArchiveMessage, ColdMessage)
    if filters.is_anywhere:
        return (Message, *archive)
    return archive if filters.archived else (Message,)


def parts(filters: MessageFilter, sort_column: str = "") -> list[Part]:
    """
    Return one part for each table, each state and each place of a funnel value.

    `IN` and `OR` would cost the list its index order, and a page of a rare state in millions its time.
    """
    lookups = filters.lookups()
    bounds = {name: lookups.pop(name) for name in list(lookups) if name.partition("__")[0] == sort_column}
    constants = {column: lookups.pop(column) for column in _CONSTANTS if column in lookups}
    states = [] if set(filters.states) == set(MessageState) else filters.states
    choices = [{**constants, STATE: state} for state in states] or [constants]
    return [
        Part(place, chosen, bounds, CONTENT in filters.values)
        for table in tables(filters)
        for place in _places(_of_family(table.objects.filter(**lookups), filters.family), filters)
        for chosen in choices
    ]


def _of_family(rows: QuerySet, family: str | None) -> QuerySet:
    """Narrow rows to those of the filter `family`: see filter_values.py."""
    if family == FAMILY_ROOTS:
        return rows.filter(parent_msg_id__isnull=True)
    if family == FAMILY_FAILED:
        children = rows.model.objects.filter(
            parent_msg_id=OuterRef("msg_id"), state__in=sorted(FAILURE_STATES)
        )
        return rows.filter(Exists(children))
    return rows


def _places(rows: QuerySet, filters: MessageFilter) -> list[QuerySet]:
    """Return the rows with a funnel value: an older hub keeps it in the message. Source: cleverbus.md 1.5."""
    value = filters.funnel_value
    if value is None:
        return [rows]
    if rows.model is ColdMessage:
        return [rows.filter(funnel_value=value)]  # its other values are in a file
    funnels = ArchiveFunnel if rows.model is ArchiveMessage else Funnel
    holders = funnels.objects.filter(funnel_value=value).values("msg_id")
    return [rows.filter(funnel_value=value), rows.exclude(funnel_value=value).filter(msg_id__in=holders)]


def _branch(part: Part, order: Order, ranges: Collection[str]) -> Branch:
    """Walk the index that holds these rows alone; else sort rows that are few; else walk past others too."""
    constant = part.constant(order)
    besides = part.besides(constant)
    passed = _bounded(part.others.model.objects.all(), part, order, constant)
    if not besides.query.where:
        return Branch(rows=narrow(passed), constant=constant)
    if not (part.searches and part.bounds) and is_few(part.rows, order, ranges):
        return Branch(rows=narrow(part.rows), is_few=True)
    rows = _bounded(besides, part, order, constant)
    return Branch(rows=narrow(rows), constant=constant, walk=passed)


def narrow(rows: QuerySet) -> QuerySet:
    """Leave out the wide columns, and add `archived`: whether the rows stand in the archive."""
    wide = _COLD_COLUMNS if rows.model is ColdMessage else WIDE_COLUMNS
    return rows.defer(*wide).annotate(archived=Value(rows.model is not Message))


def _bounded(rows: QuerySet, part: Part, order: Order, constant: tuple[str, object] | None) -> QuerySet:
    """Keep to the sort column's range; as a row's comparison, where only that is a start in the index."""
    if constant is None:
        return rows.filter(**part.bounds)
    column, value = constant
    compare = {"gte": TupleGreaterThanOrEqual, "lte": TupleLessThanOrEqual}
    for lookup, bound in part.bounds.items():
        kind = compare[lookup.partition("__")[2]]
        rows = rows.filter(kind(Tuple(F(column), F(order.column)), (value, bound)))
    return rows


def is_few(rows: QuerySet, order: Order, ranges: Collection[str]) -> bool:
    """Whether the rows are few enough to be sorted, and some index finds them."""
    planned = plan(rows)
    if "Seq Scan" in json.dumps(planned):
        return False
    if set(ranges) - {order.column}:
        return planned["Plan Rows"] <= _MOST_IN_RANGE
    return planned["Total Cost"] <= _MOST_COST and planned["Plan Rows"] <= _MOST_SHARE * _rows_of_table(rows)


def plan(rows: QuerySet) -> dict:
    """Return the planner's plan for finding the rows in any order; an empty one where none can be found."""
    text = rows.order_by().explain(format="json")
    # Django asks nothing of a filter that no row can pass, such as one of an empty list of values.
    return json.loads(text)[0]["Plan"] if text else _NOTHING


def _rows_of_table(rows: QuerySet) -> float:
    """Return how many rows the last ANALYZE or VACUUM saw."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT reltuples FROM pg_class WHERE oid = to_regclass(%s)", [rows.model._meta.db_table]
        )
        return cursor.fetchone()[0]
