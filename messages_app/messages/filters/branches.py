"""The branches of the list of messages: core/lists/branches.py explains how each is read."""

from collections.abc import Collection
from functools import partial
from itertools import product

from django.db.models import Exists, Model, OuterRef, QuerySet, Value

from messages_app.core.lists.branches import Indexes, Part, branch_of
from messages_app.core.pagination.keyset import Branch, Order
from messages_app.messages.attachment import has_indexes
from messages_app.messages.failures.memberships import (
    ends_of_causes,
    probe_causes,
    probe_systems,
    select_causes,
    select_systems,
)
from messages_app.messages.fields import WIDE_COLUMNS, constant_columns
from messages_app.messages.filters.message_filter import (
    CONTENT,
    EXTERNAL_SYSTEM,
    FACET_COLUMNS,
    FAMILY_FAILED,
    FAMILY_ROOTS,
    STATE,
    MessageFilter,
)
from messages_app.messages.models import ArchiveFunnel, ArchiveMessage, Funnel, Message
from messages_app.messages.parquet_archive.models import ColdMessage
from messages_app.shared.message_states import FAILURE_STATES, MessageState

# Columns with a filter by equality. Columns with rarer values come first.
_CONSTANTS = tuple(constant_columns())
# The maximum number of parts that the values of facets make of each table.
_MAX_PARTS = 24


def _indexed_columns(table: type[Model], sort_column: str) -> tuple[str, ...]:
    """Return the columns whose index keeps the rows of one value in the order of `sort_column`."""
    beginnings = {
        tuple(index.fields) or tuple(getattr(one, "name", "") for one in index.expressions)
        for index in table._meta.indexes
    }
    orders = {names[:2] for names in beginnings}
    return tuple(column for column in _CONSTANTS if (column, sort_column) in orders)


_INDEXES = Indexes(
    columns={
        (table, column): _indexed_columns(table, column)
        for table in (Message, ArchiveMessage, ColdMessage)
        for column in ("msg_id", "receive_timestamp")
    },
    in_none=frozenset({MessageState.OK}),
)
# On an attached hub without the console's indexes, every filter is searched along the primary key.
_NO_INDEXES = Indexes(columns={}, in_none=_INDEXES.in_none)
# Columns of messages in Parquet files that lists do not read.
_COLD_COLUMNS = ("failed_summary", "part_id")


def split_into_querysets(filters: MessageFilter, *, with_parquet: bool = False) -> list[QuerySet]:
    """
    Return disjoint querysets that together are the filtered list.

    With archived=any, live messages come first. A message that is being moved may be in either.

    Args:
        with_parquet: include archived messages in Parquet files, as rows without the wide columns.
    """
    querysets = (part.rows for part in split_into_parts(filters))
    return [rows for rows in querysets if with_parquet or rows.model is not ColdMessage]


def split_into_branches(
    filters: MessageFilter, order: Order, *, columns: Collection[str] | None = None
) -> list[Branch]:
    """
    Return the filtered list, without the wide columns, as branches, each with an index.

    Each row has `archived`: whether it is in the archive.

    Args:
        columns: read only these, the sort column and the key; None: all columns except wide ones.
    """
    narrow = (
        leave_out_wide_columns
        if columns is None
        else partial(_read_only, (*columns, order.column, order.key))
    )
    return [
        branch_of(part, order, ranges=filters.ranges, narrow=narrow)
        for part in split_into_parts(filters, order.column)
    ]


def _read_only(columns: Collection[str], rows: QuerySet) -> QuerySet:
    return rows.only(*columns)


def tables_of_filter(filters: MessageFilter) -> tuple[type[Model], ...]:
    """Return the tables that the list reads, the live one first."""
    # A payload in a file is not searched.
    archive = (ArchiveMessage,) if CONTENT in filters.values else (ArchiveMessage, ColdMessage)
    if filters.is_anywhere:
        return (Message, *archive)
    return archive if filters.is_archived else (Message,)


def split_into_parts(filters: MessageFilter, sort_column: str = "") -> list[Part]:
    """
    Return one part for each table, each value of the facets, and each place of a funnel value.

    `IN` and `OR` would cost the list its index order, and a page of a rare state in millions its time.
    """
    lookups = filters.orm_lookups()
    spread = _split_by_value(filters)
    bounds = {name: lookups.pop(name) for name in list(lookups) if name.partition("__")[0] == sort_column}
    if sort_column == "msg_id":
        bounds |= ends_of_causes(group_id=filters.failure_group, incident_id=filters.incident)
    constants = {column: lookups.pop(column) for column in _CONSTANTS if column in lookups}
    indexes = _INDEXES if has_indexes() else _NO_INDEXES
    choices = [
        {**constants, **dict(zip(spread, values, strict=True))} for values in product(*spread.values())
    ]
    return [
        Part(
            _select_causes(place, filters),
            chosen,
            bounds,
            indexes,
            CONTENT in filters.values,
            _probe_causes(place, filters),
            filters.msg_ids is not None,
        )
        for table in tables_of_filter(filters)
        for place in _split_by_place(
            _narrow_rows(table._default_manager.filter(**lookups), filters, spread), filters
        )
        for chosen in choices
    ]


def _split_by_value(filters: MessageFilter) -> dict[str, tuple[str, ...]]:
    """
    Return the facets whose values are read one by one, with the values. If there were too many parts, other
    facets are a condition of each part.
    """
    spread: dict[str, tuple[str, ...]] = {}
    count = 1
    for column in (STATE, *(name for name in _CONSTANTS if name in FACET_COLUMNS and name != STATE)):
        values = filters.states if column == STATE else filters.chosen_values(column)
        is_all = set(values) == set(MessageState)
        if values and not is_all and count * len(values) <= _MAX_PARTS:
            spread[column] = values
            count *= len(values)
    return spread


def _narrow_rows(rows: QuerySet, filters: MessageFilter, spread: Collection[str]) -> QuerySet:
    chosen = _narrow_to_ids(_select_values(rows, filters, spread), filters)
    return _select_family(chosen, filters.family)


def _select_values(rows: QuerySet, filters: MessageFilter, spread: Collection[str]) -> QuerySet:
    """Narrow rows to those with the values of other facets than those of `spread`, without those left out."""
    for column in FACET_COLUMNS:
        if column == STATE:
            continue
        if column not in spread and (values := filters.chosen_values(column)):
            rows = rows.filter(**{f"{column}__in": values})
        if values := filters.left_out_values(column):
            rows = rows.exclude(**{f"{column}__in": values})
    return rows


def _select_causes(rows: QuerySet, filters: MessageFilter) -> QuerySet:
    rows = select_causes(rows, group_id=filters.failure_group, incident_id=filters.incident)
    return select_systems(
        rows, chosen=filters.chosen_values(EXTERNAL_SYSTEM), left_out=filters.left_out_values(EXTERNAL_SYSTEM)
    )


def _probe_causes(rows: QuerySet, filters: MessageFilter) -> QuerySet | None:
    """Return the rows in a form that checks each row; None if no failure selects them."""
    probed = probe_causes(rows, group_id=filters.failure_group, incident_id=filters.incident)
    chosen, left_out = filters.chosen_values(EXTERNAL_SYSTEM), filters.left_out_values(EXTERNAL_SYSTEM)
    if not chosen and not left_out:
        return probed
    return probe_systems(rows if probed is None else probed, chosen=chosen, left_out=left_out)


def _narrow_to_ids(rows: QuerySet, filters: MessageFilter) -> QuerySet:
    """Narrow rows to those with the filter's ids, which the primary key finds."""
    return rows if filters.msg_ids is None else rows.filter(msg_id__in=filters.msg_ids)


def _select_family(rows: QuerySet, family: str | None) -> QuerySet:
    """Narrow rows to those of the filter `family`: see message_filter.py."""
    if family == FAMILY_ROOTS:
        return rows.filter(parent_msg_id__isnull=True)
    if family == FAMILY_FAILED:
        children = rows.model.objects.filter(
            parent_msg_id=OuterRef("msg_id"), state__in=sorted(FAILURE_STATES)
        )
        return rows.filter(Exists(children))
    return rows


def _split_by_place(rows: QuerySet, filters: MessageFilter) -> list[QuerySet]:
    """
    Return the rows with a funnel value. An older hub keeps the value in the message.

    Source: docs/contributing/spec/cleverbus.md, "Table funnel".
    """
    value = filters.funnel_value
    if value is None:
        return [rows]
    if rows.model is ColdMessage:
        return [rows.filter(funnel_value=value)]  # other values are in a file
    funnels = ArchiveFunnel if rows.model is ArchiveMessage else Funnel
    holders = funnels.objects.filter(funnel_value=value).values("msg_id")
    return [rows.filter(funnel_value=value), rows.exclude(funnel_value=value).filter(msg_id__in=holders)]


def leave_out_wide_columns(rows: QuerySet) -> QuerySet:
    """Leave out the wide columns, and add `archived`: whether the rows are in the archive."""
    wide = _COLD_COLUMNS if rows.model is ColdMessage else WIDE_COLUMNS
    return rows.defer(*wide).annotate(archived=Value(rows.model is not Message))
