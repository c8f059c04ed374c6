"""
The messages beside one message in the list that it was opened from.

The address of a message's page carries the query of that list. The neighbours are read from the message's
own position in the list's order, one row each way, so they are there even when the message itself has left
the list since.
"""

from dataclasses import dataclass

from django.db import OperationalError
from django.http import QueryDict
from django.utils import timezone

from messages_app.messages.filtering.branches import branches
from messages_app.messages.filtering.filters import CONTENT, FILTERS, MessageFilter
from messages_app.messages.filtering.natural_order import natural_order
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.queries import ORDERS
from messages_app.messages.query_line import addresses
from messages_app.web.keyset import Order
from messages_app.web.paging import parse_ordering
from messages_app.web.problems import Problem
from messages_app.web.time_limits import time_limit
from messages_app.web.walking import look

# A message's page waits no longer for them: for one statement, and for rows that no index finds.
MAX_MILLISECONDS = 300
_PATIENCE = 0.1


@dataclass(frozen=True, kw_only=True)
class Neighbours:
    """
    Where a message stands in its list.

    Args:
        newer, older: the ids of the messages before and after it by the list's sort column, None at an end.
        query: the list's query string with its "?", empty for the list of all messages.
    """

    newer: int | None = None
    older: int | None = None
    query: str = ""


def neighbours(params: QueryDict, *, user: object, message: MessageColumns) -> Neighbours:
    """
    Return the neighbours of `message` in the list that an address means.

    Nobody, where the address means no list, where payloads would have to be searched, and where the
    neighbours are not found in time: the page of a message does without.
    """
    asked = _of_list(params)
    query = list_query(params)
    try:
        filters = addresses.read(asked, user=user, now=addresses.moment_of(asked))
        order = parse_ordering(asked.get("ordering") or natural_order(filters), ORDERS)
    except Problem:
        return Neighbours()
    if CONTENT in filters.values:
        return Neighbours(query=query)
    try:
        with time_limit(MAX_MILLISECONDS):
            newer, older = (_next(message, filters, order, descending=way) for way in (False, True))
    except OperationalError:
        return Neighbours(query=query)
    return Neighbours(newer=newer, older=older, query=query)


def list_query(params: QueryDict) -> str:
    """Return the query string of the list that an address carries, with its "?"; empty where it has none."""
    asked = _of_list(params)
    return addresses.query_of(asked) if asked else ""


def _of_list(params: QueryDict) -> QueryDict:
    """Return what of an address belongs to the list; the rest is the message page's own."""
    asked = QueryDict(mutable=True)
    for name, values in addresses.tidied(params, now=timezone.now()).lists():
        if name in FILTERS or name in {"ordering", addresses.AT}:
            asked.setlist(name, values)
    return asked


def _next(message: MessageColumns, filters: MessageFilter, order: Order, *, descending: bool) -> int | None:
    found = look(
        branches(filters, order),
        order,
        start=order.position(message),
        descending=descending,
        limit=1,
        patience=_PATIENCE,
    )
    return found.rows[0].msg_id if found.rows else None
