"""
The lists of external calls, requests and responses: their filters, their orders, and where they are read.

Source: spec/interfaces.md 5; the columns: spec/cleverbus.md 1.2 to 1.4.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Model
from django.http import QueryDict

from messages_app.contents.addresses import is_masked
from messages_app.messages.models import (
    ArchiveExternalCall,
    ArchiveRequest,
    ArchiveResponse,
    ExternalCall,
    Request,
    Response,
)
from messages_app.messages.states import ExternalCallState
from messages_app.web.filters.table import Filter, Table, read, table, text_filter, time_range
from messages_app.web.filters.values import parse_choice, parse_flag, parse_id
from messages_app.web.keyset import Order
from messages_app.web.paging import PARAMETERS
from messages_app.web.problems import bad_input

ARCHIVED = "archived"
# Of requests and external calls: what may be an address.
_ADDRESSES = ("uri", "operation_name")


@dataclass(frozen=True, kw_only=True)
class RowList:
    """
    One list.

    Args:
        live, archive: the tables.
        filters: what it may be narrowed by.
        orders: those it offers, the default first; by a time only where the live table has an index for it.
        indexed: columns of the live table with an index (column, key), in which one value's rows stand in
            the key's order.
        sized: texts of any length, which no list reads; their sizes stand for them.
    """

    live: type[Model]
    archive: type[Model]
    filters: Table
    orders: tuple[Order, ...]
    indexed: tuple[str, ...]
    sized: tuple[str, ...] = ()


def _by_key(key: str) -> tuple[Order, Order]:
    return Order(column=key, key=key, descending=True), Order(column=key, key=key)


def _id(name: str) -> Filter:
    return Filter(name=name, lookup=name, parse=parse_id)


def _flag(name: str, lookup: str = "") -> Filter:
    return Filter(name=name, lookup=lookup, parse=parse_flag)


EXTERNAL_CALLS = RowList(
    live=ExternalCall,
    archive=ArchiveExternalCall,
    filters=table(
        Filter(
            name="state",
            lookup="",
            parse=parse_choice,
            choices=tuple(ExternalCallState),
            repeatable=True,
        ),
        text_filter("operation_name", 100),
        text_filter("entity_id", 150),
        _id("msg_id"),
        _flag(ARCHIVED),
    ),
    orders=_by_key("call_id"),
    indexed=("msg_id", "state"),
)

REQUESTS = RowList(
    live=Request,
    archive=ArchiveRequest,
    filters=table(
        _id("msg_id"),
        text_filter("uri", 400),
        text_filter("res_join_id", 100),
        *time_range("req_timestamp"),
        _flag(ARCHIVED),
    ),
    orders=(
        *_by_key("req_id"),
        Order(column="req_timestamp", key="req_id", descending=True),
        Order(column="req_timestamp", key="req_id"),
    ),
    indexed=("msg_id",),
    sized=("req_envelope",),
)

RESPONSES = RowList(
    live=Response,
    archive=ArchiveResponse,
    filters=table(
        Filter(name="msg_id", lookup="", parse=parse_id),
        _id("req_id"),
        _flag("failed", lookup="failed"),
        *time_range("res_timestamp"),
        _flag(ARCHIVED),
    ),
    orders=_by_key("res_id"),
    indexed=("req_id",),
    sized=("res_envelope", "failed_reason"),
)


def parse(rows: RowList, params: QueryDict) -> Mapping[str, object]:
    """
    Return the values that a query string gives to a list's filters.

    Raises:
        Problem: 400 with an entry for each parameter at fault.
    """
    values, errors = read(rows.filters, params, besides=PARAMETERS)
    if errors:
        raise bad_input(errors)
    return {name: value for name, value in values.items() if (name, value) != (ARCHIVED, False)}


def has_credentials(values: Mapping[str, object]) -> bool:
    """Whether a filter asks for a part of an address that lists mask, and so would tell it by its rows."""
    return not all(is_masked(values.get(name, "")) for name in _ADDRESSES)
