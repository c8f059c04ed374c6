"""The marks of a row of the list (children, funnel values), and the neighbours of a message in the list."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db import OperationalError
from django.db.models import Exists, OuterRef
from django.http import QueryDict
from django.utils import timezone

from messages_app.access.actors import Caller
from messages_app.core.clock import time_limit
from messages_app.core.pagination.incremental_scan import read_with_patience
from messages_app.core.pagination.keyset import Order
from messages_app.core.pagination.paginator import parse_ordering
from messages_app.core.problems import Problem
from messages_app.messages.filters import vocabulary
from messages_app.messages.filters.branches import split_into_branches
from messages_app.messages.filters.filters import CONTENT, FILTERS, MessageFilter, natural_order
from messages_app.messages.hub_columns import FunnelColumns, MessageColumns
from messages_app.messages.models import ArchiveFunnel, ArchiveMessage, Funnel, Message
from messages_app.messages.parquet_archive.models import ColdMessage
from messages_app.messages.selectors import ORDERS

# A message may have any number of funnel values; a page reads at most this many.
_MAX_VALUES = 500


@dataclass(frozen=True, kw_only=True)
class _Place:
    messages: type[MessageColumns]
    # None: the values are in a file.
    funnels: type[FunnelColumns] | None
    ids: Sequence[int]


def mark_rows(rows: Sequence[MessageColumns]) -> None:
    """
    Give each row of a page `is_parent` and `funnel_values`.

    Source of the values: docs/contributing/spec/cleverbus.md, "Table funnel".
    """
    parents: set[int] = set()
    values: dict[int, list[str]] = {}
    for place in _rows_by_place(rows):
        parents |= _find_parents(place)
        values |= _funnel_values(place)
    for row in rows:
        row.is_parent = row.pk in parents
        row.funnel_values = values.get(row.pk) or ([row.funnel_value] if row.funnel_value else [])


def _rows_by_place(rows: Sequence[MessageColumns]) -> Iterator[_Place]:
    tables = (
        (False, Message, Funnel),
        (True, ArchiveMessage, ArchiveFunnel),
        (True, ColdMessage, None),
    )
    for archived, messages, funnels in tables:
        ids = [row.pk for row in rows if row.archived == archived]
        if ids:
            yield _Place(messages=messages, funnels=funnels, ids=ids)


def _find_parents(place: _Place) -> set[int]:
    children = place.messages._default_manager.filter(parent_msg_id=OuterRef("pk"))
    found = place.messages._default_manager.filter(Exists(children), pk__in=place.ids)
    return set(found.values_list("pk", flat=True))


def _funnel_values(place: _Place) -> dict[int, list[str]]:
    if place.funnels is None:
        return {}
    found = place.funnels._default_manager.filter(msg_id__in=place.ids).order_by("msg_id", "funnel_id")
    values = defaultdict(list)
    for msg_id, value in found.values_list("msg_id", "funnel_value")[:_MAX_VALUES]:
        values[msg_id].append(value)
    return values


# The messages next to one message in the list that it was opened from.
#
# The address of a message's page carries the query of that list. The neighbours are read from the message's
# own position in the list's order, one row each way, so they exist even after the message itself has
# left the list.


# The time limits of a message's page: for one statement, and for a search without an index.
MAX_MILLISECONDS = 300
_PATIENCE = 0.1


@dataclass(frozen=True, kw_only=True)
class Neighbours:
    """
    Where a message is in its list.

    Args:
        newer, older: the ids of the messages before and after it by the list's sort column, None at an end.
        query: the list's query string with its "?", empty for the list of all messages.
    """

    newer: int | None = None
    older: int | None = None
    query: str = ""


def find_neighbours(params: QueryDict, *, user: Caller, message: MessageColumns) -> Neighbours:
    """
    Return the neighbours of `message` in the list of an address.

    There are no neighbours if the address is not that of a list, if payloads would have to be searched, or if
    the search takes too long.
    """
    asked = _of_list(params)
    query = list_query(params)
    try:
        filters = vocabulary.read_filter(asked, user=user, now=vocabulary.moment_of(asked))
        order = parse_ordering(asked.get("ordering") or natural_order(filters), ORDERS)
    except Problem:
        return Neighbours()
    if CONTENT in filters.values:
        return Neighbours(query=query)
    try:
        with time_limit(MAX_MILLISECONDS):
            newer, older = (_find_next(message, filters, order, descending=way) for way in (False, True))
    except OperationalError:
        return Neighbours(query=query)
    return Neighbours(newer=newer, older=older, query=query)


def list_query(params: QueryDict) -> str:
    """Return the query string of the list in an address, with its "?", or an empty text."""
    asked = _of_list(params)
    return vocabulary.query_of(asked) if asked else ""


def _of_list(params: QueryDict) -> QueryDict:
    """Return the parameters of the list; the other ones belong to the message page."""
    asked = QueryDict(mutable=True)
    for name, values in vocabulary.tidy_params(params, now=timezone.now()).lists():
        if name in FILTERS or name in {"ordering", vocabulary.AT}:
            asked.setlist(name, values)
    return asked


def _find_next(
    message: MessageColumns, filters: MessageFilter, order: Order, *, descending: bool
) -> int | None:
    found = read_with_patience(
        split_into_branches(filters, order, places_only=True),
        order,
        start=order.position(message),
        descending=descending,
        limit=1,
        patience=_PATIENCE,
    )
    return found.rows[0].msg_id if found.rows else None
