"""
The lists of external calls, requests, responses and funnel values: their filters and orders.

Source: docs/contributing/spec/interfaces.md, "Messages"; docs/contributing/spec/cleverbus.md, "Table
external_call", "Table request", "Table response", "Table funnel".
"""

from collections.abc import Mapping
from dataclasses import dataclass

from messages_app.core.filters.table import (
    Filter,
    Table,
    filters_by_name,
    text_filter,
    time_range,
)
from messages_app.core.filters.values import parse_choice, parse_flag, parse_id
from messages_app.core.pagination.keyset import Order
from messages_app.core.statements import Statements
from messages_app.messages.hub_columns import (
    ExternalCallColumns,
    FunnelColumns,
    RequestColumns,
    ResponseColumns,
)
from messages_app.messages.models import (
    ArchiveExternalCall,
    ArchiveFunnel,
    ArchiveRequest,
    ArchiveResponse,
    ExternalCall,
    Funnel,
    Request,
    Response,
)
from messages_app.shared.message_states import ExternalCallState
from messages_app.shared.text_safety import is_masked

statements = Statements("messages_app.messages.traffic")


ListRow = ExternalCallColumns | RequestColumns | ResponseColumns | FunnelColumns


ARCHIVED = "archived"


# The columns of requests and external calls that may be addresses.
_ADDRESSES = ("uri", "operation_name")


@dataclass(frozen=True, kw_only=True)
class RowList:
    """
    One list.

    Args:
        live, archive: the tables.
        filters: its filters.
        orders: its orders, the default first; by a time only if the live table has an index for it.
        indexed: columns of the live table with an index (column, key), in which the rows of one value are in
            the order of the key.
        sized: texts of any length. The list does not read them, only their sizes.
    """

    live: type[ExternalCall] | type[Request] | type[Response] | type[Funnel]
    archive: type[ArchiveExternalCall] | type[ArchiveRequest] | type[ArchiveResponse] | type[ArchiveFunnel]
    filters: Table
    orders: tuple[Order, ...]
    indexed: tuple[str, ...]
    sized: tuple[str, ...] = ()


def _make_key_orders(key: str) -> tuple[Order, Order]:
    return Order(column=key, key=key, descending=True), Order(column=key, key=key)


def _id_filter(name: str) -> Filter:
    return Filter(name=name, lookup=name, parse=parse_id)


def _flag_filter(name: str, lookup: str = "") -> Filter:
    return Filter(name=name, lookup=lookup, parse=parse_flag)


EXTERNAL_CALLS = RowList(
    live=ExternalCall,
    archive=ArchiveExternalCall,
    filters=filters_by_name(
        Filter(
            name="state",
            lookup="",
            parse=parse_choice,
            choices=tuple(ExternalCallState),
            repeatable=True,
        ),
        text_filter("operation_name", 100),
        text_filter("entity_id", 150),
        _id_filter("msg_id"),
        _flag_filter(ARCHIVED),
    ),
    orders=_make_key_orders("call_id"),
    indexed=("msg_id", "state"),
)


REQUESTS = RowList(
    live=Request,
    archive=ArchiveRequest,
    filters=filters_by_name(
        _id_filter("msg_id"),
        text_filter("uri", 400),
        text_filter("res_join_id", 100),
        *time_range("req_timestamp"),
        _flag_filter(ARCHIVED),
    ),
    orders=(
        *_make_key_orders("req_id"),
        Order(column="req_timestamp", key="req_id", descending=True),
        Order(column="req_timestamp", key="req_id"),
    ),
    indexed=("msg_id",),
    sized=("req_envelope",),
)


RESPONSES = RowList(
    live=Response,
    archive=ArchiveResponse,
    filters=filters_by_name(
        Filter(name="msg_id", lookup="", parse=parse_id),
        _id_filter("req_id"),
        _flag_filter("failed", lookup="failed"),
        *time_range("res_timestamp"),
        _flag_filter(ARCHIVED),
    ),
    orders=_make_key_orders("res_id"),
    indexed=("req_id",),
    sized=("res_envelope", "failed_reason"),
)


FUNNELS = RowList(
    live=Funnel,
    archive=ArchiveFunnel,
    filters=filters_by_name(_id_filter("msg_id"), text_filter("funnel_value", 50), _flag_filter(ARCHIVED)),
    orders=_make_key_orders("funnel_id"),
    indexed=("msg_id",),
)


def leave_out_default(values: Mapping[str, object]) -> Mapping[str, object]:
    """Leave out `archived=false`, so that its cursors are those of the list without this filter."""
    return {name: value for name, value in values.items() if (name, value) != (ARCHIVED, False)}


def has_credentials(values: Mapping[str, object]) -> bool:
    """Whether a filter has a part of an address that lists mask. Its result would reveal this part."""
    return not all(is_masked(str(values.get(name, ""))) for name in _ADDRESSES)
