"""
How a filtered list of messages is read: as which branches, and by which index each.

The planner takes a filter's rows to lie evenly in every order. Here they do not: an outage fails thousands of
messages in one hour, a service is switched off, a time range is old. Walking an order until a page is full
then reads millions of rows. Source: DESIGN.md rule 9 and "Budgets".
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.db import connection
from django.db.models import QuerySet

from messages_app.messages.listing.filters import STATE, MessageFilter
from messages_app.messages.models import ArchiveFunnel, ArchiveMessage, Funnel, Message
from messages_app.messages.states import MessageState
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

# Columns of few values, the rarer first. By the sort column: those with an index (column, sort column, key).
_CONSTANTS = (
    STATE,
    "failed_error_code",
    "funnel_component_id",
    "entity_type",
    "operation_name",
    "service_name",
    "source_system",
)
_INDEXED_CONSTANTS: Mapping[str, tuple[str, ...]] = {
    "msg_id": _CONSTANTS,
    "receive_timestamp": (STATE, "service_name"),
}


@dataclass(frozen=True)
class _Part:
    """Some of the list's rows: those of `others` whose `constants` columns have these values."""

    others: QuerySet
    constants: Mapping[str, object]

    @property
    def rows(self) -> QuerySet:
        return self.others.filter(**self.constants)


def querysets(filters: MessageFilter) -> list[QuerySet]:
    """Return querysets that share no row and together are the filtered list."""
    return [part.rows for part in _parts(filters)]


def branches(filters: MessageFilter, order: Order) -> list[Branch]:
    """Return the filtered list, without the wide columns, as branches, each read by a fitting index."""
    return [_branch(part, order, filters.ranges) for part in _parts(filters)]


def planned_rows(rows: QuerySet) -> int:
    """Return how many rows the planner expects."""
    return _plan(rows)["Plan Rows"]


def _parts(filters: MessageFilter) -> list[_Part]:
    """
    Return one part for each state and for each place of a funnel value.

    `IN` and `OR` would cost the list its index order, and a page of a rare state in millions its time.
    """
    model = ArchiveMessage if filters.archived else Message
    lookups = filters.lookups()
    constants = {column: lookups.pop(column) for column in _CONSTANTS if column in lookups}
    rows = model.objects.filter(**lookups)
    places = [rows] if filters.funnel_value is None else _with_funnel_value(rows, filters.funnel_value)
    states = [] if set(filters.states) == set(MessageState) else filters.states
    if not states:
        return [_Part(place, constants) for place in places]
    return [_Part(place, {**constants, STATE: state}) for place in places for state in states]


def _with_funnel_value(rows: QuerySet, value: str) -> list[QuerySet]:
    """Return the rows with a funnel value: an older hub keeps it in the message. Source: cleverbus.md 1.5."""
    funnels = ArchiveFunnel if rows.model is ArchiveMessage else Funnel
    holders = funnels.objects.filter(funnel_value=value).values("msg_id")
    return [rows.filter(funnel_value=value), rows.exclude(funnel_value=value).filter(msg_id__in=holders)]


def _branch(part: _Part, order: Order, ranges: Collection[str]) -> Branch:
    """Walk the index that has rows and order together; else sort rows that are few; else ask the planner."""
    rows = part.rows.defer(*WIDE_COLUMNS)
    column = _index_to_walk(part, order)
    is_all_in_index = column is not None and len(part.constants) == 1 and not part.others.query.where
    if rows.query.where and not is_all_in_index and _is_few(rows, order, ranges):
        return Branch(rows=rows, is_few=True)
    if column is None:
        return Branch(rows=rows)
    rest = {name: value for name, value in part.constants.items() if name != column}
    others = part.others.filter(**rest).defer(*WIDE_COLUMNS)
    return Branch(rows=others, constant=(column, part.constants[column]))


def _index_to_walk(part: _Part, order: Order) -> str | None:
    """Return the column whose index keeps the part's rows together in the order, None if there is none."""
    if part.others.model is not Message:
        return None  # the archive has no such indexes
    for column in _INDEXED_CONSTANTS[order.column]:
        # OK is most of the table and stands in no index of its own.
        if column in part.constants and part.constants[column] != MessageState.OK:
            return column
    return None


def _is_few(rows: QuerySet, order: Order, ranges: Collection[str]) -> bool:
    """Whether the rows are few enough to be sorted, and some index finds them."""
    plan = _plan(rows)
    if "Seq Scan" in json.dumps(plan):
        return False
    if set(ranges) - {order.column}:
        return plan["Plan Rows"] <= _MOST_IN_RANGE
    return plan["Total Cost"] <= _MOST_COST and plan["Plan Rows"] <= _MOST_SHARE * _rows_of_table(rows)


def _plan(rows: QuerySet) -> dict:
    return json.loads(rows.order_by().explain(format="json"))[0]["Plan"]


def _rows_of_table(rows: QuerySet) -> float:
    """Return how many rows the last ANALYZE or VACUUM saw."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT reltuples FROM pg_class WHERE oid = to_regclass(%s)", [rows.model._meta.db_table]
        )
        return cursor.fetchone()[0]
