"""
Find the content to compare with: from the last similar message that succeeded, or from another attempt.

The attempts of a request are the requests of the same message to the same address. Each query reads a bounded
part of an index.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from messages_app.core.parameters import MAX_ID, MIN_ID
from messages_app.core.statements import Statements
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.selectors import get_message
from messages_app.messages.tables import ARCHIVE, LIVE, MessageNotFound, Tables, first_found
from messages_app.shared.message_states import MessageState

statements = Statements("messages_app.messages.detail")


# How many messages of one operation, and exchanges of one message, are checked.
NEAREST_MESSAGES = 5000
NEAREST_EXCHANGES = 1000


class Partner(StrEnum):
    """The content to compare with, as named in an address. The address may have an id instead."""

    LAST_OK = "last-ok"
    PREVIOUS = "previous"
    NEXT = "next"


@dataclass(frozen=True)
class Side:
    """
    One side of a comparison.

    Args:
        key: of the row with the content; for a payload or an envelope, the id of the message.
        message: without its contents; None if it does not exist.
    """

    kind: str
    key: int
    message: MessageColumns | None
    is_archived: bool = False

    @property
    def msg_id(self) -> int | None:
        return self.message.msg_id if self.message else None


@dataclass(frozen=True)
class _Exchange:
    """A request or response without its content, but with the address of the request."""

    key: int
    msg_id: int | None
    req_id: int | None
    uri: str


def side_of_message(kind: str, msg_id: int) -> Side | None:
    """Return the payload or envelope of a message; None if the message does not exist."""
    try:
        message, is_archived = get_message(msg_id)
    except MessageNotFound:
        return None
    return Side(kind, msg_id, message, is_archived)


def side_of_exchange(kind: str, key: int) -> Side | None:
    """Return a request or response; None if there is no such row."""
    exchange, _ = _read_exchange(kind, key)
    if exchange is None:
        return None
    side = side_of_message(kind, exchange.msg_id) if exchange.msg_id is not None else None
    return Side(kind, key, side.message, side.is_archived) if side else Side(kind, key, None)


def partner_of(side: Side, partner: Partner) -> Side | None:
    """Return the content that `side` is compared with; None if the checked rows have none."""
    if partner is Partner.LAST_OK:
        return _find_last_ok(side)
    key = _find_other_attempt(side, forwards=partner is Partner.NEXT)
    return None if key is None else Side(side.kind, key, side.message, side.is_archived)


def is_exchange(kind: str) -> bool:
    return kind in {"request", "response"}


def _find_last_ok(side: Side) -> Side | None:
    msg_id = _find_last_ok_message(side.message) if side.message else None
    other = None if msg_id is None else side_of_message(side.kind, msg_id)
    if other is None or not is_exchange(side.kind):
        return other
    own, _ = _read_exchange(side.kind, side.key)
    tables = ARCHIVE if other.is_archived else LIVE
    key = _find_last_with_address(side.kind, tables, other.key, own.uri) if own else None
    return None if key is None else Side(side.kind, key, other.message, other.is_archived)


def _find_last_ok_message(message: MessageColumns) -> int | None:
    """
    Return the last message of the same service and operation that ended OK.

    The newest one before `message` is preferred, then the newest after it, then one in the archive.
    """
    for name in ("last_ok_live", "last_ok_archived"):
        for above, below in ((MIN_ID, message.msg_id), (message.msg_id, MAX_ID)):
            nearest = _find_nearest(name, message, above=above, below=below)
            if nearest is not None:
                return nearest
    return None


def _find_nearest(name: str, message: MessageColumns, *, above: int, below: int) -> int | None:
    row = statements.fetch_row(
        name,
        {
            "operation_name": message.operation_name,
            "service_name": message.service_name,
            "state": MessageState.OK,
            "above": above,
            "below": below,
            "most": NEAREST_MESSAGES,
        },
    )
    return row[0] if row else None


def _read_exchange(kind: str, key: int) -> tuple[_Exchange | None, Tables]:
    """Return a request or response and its tables. Those in Parquet files are not compared."""
    read = _read_request if kind == "request" else _read_response
    exchange = first_found(lambda tables: _with_tables(read(tables, key), tables), lambda: None)
    return exchange or (None, LIVE)


def _with_tables(exchange: _Exchange | None, tables: Tables) -> tuple[_Exchange, Tables] | None:
    return (exchange, tables) if exchange else None


def _read_request(tables: Tables, key: int) -> _Exchange | None:
    row = tables["request"].objects.filter(pk=key).values_list("msg_id", "uri").first()
    return _Exchange(key, row[0], key, row[1]) if row else None


def _read_response(tables: Tables, key: int) -> _Exchange | None:
    """Return a response with the address of its request."""
    row = tables["response"].objects.filter(pk=key).values_list("msg_id", "req_id").first()
    if row is None:
        return None
    own_msg_id, req_id = row
    request = None if req_id is None else _read_request(tables, req_id)
    msg_id, uri = (request.msg_id, request.uri) if request else (None, "")
    return _Exchange(key, msg_id if own_msg_id is None else own_msg_id, req_id, uri)


def _find_other_attempt(side: Side, *, forwards: bool) -> int | None:
    own, tables = _read_exchange(side.kind, side.key)
    if own is None or own.req_id is None or own.msg_id is None:
        return None
    keys = _yield_keys(side.kind, tables, own.msg_id, own.uri, start=own.req_id, forwards=forwards)
    return next(keys, None)


def _find_last_with_address(kind: str, tables: Tables, msg_id: int, uri: str) -> int | None:
    return next(_yield_keys(kind, tables, msg_id, uri, start=MAX_ID, forwards=False), None)


def _yield_keys(
    kind: str, tables: Tables, msg_id: int, uri: str, *, start: int, forwards: bool
) -> Iterator[int]:
    """Yield the requests of a message to one address, or their last responses, nearest to `start` first."""
    rows = tables["request"].objects.filter(msg_id=msg_id)
    candidates = rows.filter(req_id__gt=start) if forwards else rows.filter(req_id__lt=start)
    ordered = candidates.order_by("req_id" if forwards else "-req_id").values_list("req_id", "uri")
    requests = [req_id for req_id, address in ordered[:NEAREST_EXCHANGES] if address == uri]
    if kind == "request":
        yield from requests
        return
    responses = tables["response"].objects.filter(req_id__in=requests).order_by("res_id")
    last = dict(responses.values_list("req_id", "res_id")[:NEAREST_EXCHANGES])
    yield from (last[req_id] for req_id in requests if req_id in last)
