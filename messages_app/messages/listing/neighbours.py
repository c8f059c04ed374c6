"""
The messages next to one message in the list that it was opened from.

The address of a message's page carries the query of that list. The neighbours are read from the message's
own position in the list's order, one row each way, so they exist even after the message itself has left the
list.
"""

from dataclasses import dataclass

from django.http import QueryDict
from django.utils import timezone

from messages_app.access.actors import Caller
from messages_app.core.clock import TooSlow, time_limit
from messages_app.core.filters import address
from messages_app.core.pagination.incremental_scan import read_with_patience
from messages_app.core.pagination.keyset import Order
from messages_app.core.pagination.paginator import parse_ordering
from messages_app.core.problems import Problem
from messages_app.messages.filters.branches import split_into_branches
from messages_app.messages.filters.message_filter import (
    CONTENT,
    FILTERS,
    MessageFilter,
    natural_order,
    read_list_filter,
)
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.selectors import ORDERS

# The parameters of the list. Addresses that lead back to a list have the same ones.
LIST_PARAMETERS = frozenset(FILTERS) | address.PARAMETERS


@dataclass(frozen=True, kw_only=True)
class Patience:
    """The time limits of each of the two searches: for one statement, and for steps without an index."""

    milliseconds: int
    seconds: float


# Of the page, which is not to wait, and of its part that follows then.
FIRST, LATE = Patience(milliseconds=50, seconds=0.04), Patience(milliseconds=1000, seconds=0.6)


@dataclass(frozen=True, kw_only=True)
class Neighbours:
    """
    Where a message is in its list.

    Args:
        newer, older: the ids of the messages before and after it by the list's sort column, None at an end.
        query: the list's query string with its "?", empty for the list of all messages.
        are_late: whether the time was too short to find them.
    """

    newer: int | None = None
    older: int | None = None
    query: str = ""
    are_late: bool = False


def find_neighbours(
    params: QueryDict, *, user: Caller, message: MessageColumns, patience: Patience
) -> Neighbours:
    """
    Return the neighbours of `message` in the list of an address.

    There are no neighbours if the address is not that of a list, or if payloads would have to be searched.
    """
    list_params = _keep_list_params(params)
    query = list_query(params)
    try:
        filters = read_list_filter(list_params, user=user, now=address.moment_of(list_params))
        order = parse_ordering(list_params.get("ordering") or natural_order(filters), ORDERS)
    except Problem:
        return Neighbours()
    if CONTENT in filters.values:
        return Neighbours(query=query)
    try:
        with time_limit(patience.milliseconds):
            newer, older = (
                _find_next(message, filters, order, descending=way, seconds=patience.seconds)
                for way in (False, True)
            )
    except _SearchUnfinished:
        return Neighbours(query=query, are_late=True)
    except TooSlow:
        return Neighbours(query=query, are_late=True)
    return Neighbours(newer=newer, older=older, query=query)


def list_query(params: QueryDict) -> str:
    """Return the query string of the list in an address, with its "?", or an empty text."""
    list_params = _keep_list_params(params)
    return address.query_of(list_params) if list_params else ""


def _keep_list_params(params: QueryDict) -> QueryDict:
    """Return the parameters of the list; the other ones belong to the message page."""
    list_params = QueryDict(mutable=True)
    for name, values in address.tidy_params(params, FILTERS, now=timezone.now()).lists():
        if name in FILTERS or name in {"ordering", address.AT}:
            list_params.setlist(name, values)
    return list_params


class _SearchUnfinished(Exception):
    """A search without an index has found no message in its time."""


def _find_next(
    message: MessageColumns, filters: MessageFilter, order: Order, *, descending: bool, seconds: float
) -> int | None:
    stretch = read_with_patience(
        split_into_branches(filters, order, columns=()),
        order,
        start=order.position_of(message),
        descending=descending,
        limit=1,
        patience=seconds,
    )
    if stretch.rows:
        return stretch.rows[0].msg_id
    if stretch.looked_until is not None:
        raise _SearchUnfinished
    return None
