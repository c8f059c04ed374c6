"""
The search for an id of any kind, in the live tables and in the archive.

Only complete ids match. Each kind is found by an index, and at most five rows of a kind are shown.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

from django.db import OperationalError
from django.db.models import Field, Model, QuerySet
from django.urls import reverse

from messages_app.core.clock import TooSlow, time_limit
from messages_app.core.parameters import MIN_ID, read_id
from messages_app.core.search_results import Hit, Kind
from messages_app.core.statements import Statements
from messages_app.messages.attachment import has_indexes, missing_indexes
from messages_app.messages.filters.message_filter import ANYWHERE
from messages_app.messages.hub_columns import (
    ExternalCallColumns,
    MessageColumns,
    RequestColumns,
    ResponseColumns,
)
from messages_app.messages.models import (
    ArchiveExternalCall,
    ArchiveMessage,
    ArchiveRequest,
    ArchiveResponse,
    ExternalCall,
    Message,
    Request,
    Response,
)
from messages_app.messages.tables import MESSAGES

statements = Statements("messages_app.messages")


Row = TypeVar("Row", bound=Model)


# There are usually few target addresses. If each call has its own, only this many are checked.
_MAX_OPERATIONS = 500


_MS = 300


def calls_of_entity(entity_id: str, *, limit: int) -> list[int]:
    """Return the ids of live calls with this entity id, newest first; empty if this takes too long."""
    values = {"entity_id": entity_id, "limit": limit, "most_operations": _MAX_OPERATIONS}
    try:
        with time_limit(_MS):
            return statements.fetch_column("calls_of_entity", values)
    except OperationalError:
        return []


MAX_HITS = 5


# The longest id of a hub: an external call's entity id. Source: docs/contributing/spec/cleverbus.md,
# "Table external_call".
MAX_LENGTH = 150


@dataclass(frozen=True, kw_only=True)
class _IdKind(Generic[Row]):
    """How ids of one kind are found: `tables` are the live one and the archive's."""

    title: str
    tables: tuple[type[Row], ...]
    column: str
    hit: Callable[[Row, str, bool], Hit]
    is_number: bool = False

    @property
    def filter(self) -> str:
        return self.column if self.tables[0] is Message and not self.is_number else ""


def _make_message_hit(row: MessageColumns, column: str, archived: bool) -> Hit:
    other = row.correlation_id if column == "msg_id" else row.msg_id
    return Hit(
        url=_page_of(row.msg_id),
        name=str(getattr(row, column)),
        about=f"{row.service_name} · {row.operation_name} · {other}",
        state=row.state,
        archived=archived,
    )


def _make_call_hit(row: ExternalCallColumns, column: str, archived: bool) -> Hit:
    return Hit(
        url=_page_of(row.msg_id),
        name=str(getattr(row, column)),
        about=f"{row.shown_operation} · message {row.msg_id}",
        state=row.state,
        archived=archived,
    )


def _make_exchange_hit(row: RequestColumns | ResponseColumns, column: str, archived: bool) -> Hit:
    owner = "without a message" if row.msg_id is None else f"message {row.msg_id}"
    uri = row.shown_uri if isinstance(row, RequestColumns) else ""
    return Hit(
        url="" if row.msg_id is None else _page_of(row.msg_id),
        name=str(getattr(row, column)),
        about=" · ".join(filter(None, (uri, owner))),
        state="",
        archived=archived,
    )


def _page_of(msg_id: int) -> str:
    return reverse("message-detail", args=[msg_id])


# In Parquet files, messages are found by their own id and their correlation id.
_MESSAGES, _CALLS = (Message, ArchiveMessage), (ExternalCall, ArchiveExternalCall)


_LOOKS: tuple[_IdKind[Any], ...] = (
    _IdKind(title="Message id", tables=MESSAGES, column="msg_id", hit=_make_message_hit, is_number=True),
    _IdKind(title="Correlation id", tables=MESSAGES, column="correlation_id", hit=_make_message_hit),
    _IdKind(title="Process id", tables=_MESSAGES, column="process_id", hit=_make_message_hit),
    _IdKind(title="Object id", tables=_MESSAGES, column="object_id", hit=_make_message_hit),
    _IdKind(title="External call id", tables=_CALLS, column="call_id", hit=_make_call_hit, is_number=True),
    _IdKind(title="Entity id of an external call", tables=_CALLS, column="entity_id", hit=_make_call_hit),
    _IdKind(
        title="Request id",
        tables=(Request, ArchiveRequest),
        column="req_id",
        hit=_make_exchange_hit,
        is_number=True,
    ),
    _IdKind(
        title="Response id",
        tables=(Response, ArchiveResponse),
        column="res_id",
        hit=_make_exchange_hit,
        is_number=True,
    ),
)


_COLUMNS: dict[type[Model], tuple[str, ...]] = {
    Message: (
        "msg_id",
        "correlation_id",
        "process_id",
        "object_id",
        "state",
        "service_name",
        "operation_name",
    ),
    ExternalCall: ("call_id", "msg_id", "entity_id", "state", "operation_name"),
    Request: ("req_id", "msg_id", "uri"),
    Response: ("res_id", "msg_id"),
}


def is_possible(text: str) -> bool:
    """Whether an id may be this text. It is compared exactly, so it is not cut to make it one."""
    return 0 < len(text) <= MAX_LENGTH and "\0" not in text


def look_up(text: str) -> Iterator[Kind]:
    """Yield the rows that have the id, for each kind of id; messages first."""
    if not is_possible(text):
        return
    number, unread = read_id(text), list[str]()
    for look in _LOOKS:
        value = number if look.is_number else text
        if value is None or len(text) > _longest_id(look):
            continue
        hits = []
        for place in range(len(look.tables)):
            matches = _find_hits(look, value, place)
            hits += matches or []
            if matches is None:
                unread.append(f"{look.title} in the archive" if place else look.title)
        if hits:
            first_hits = hits[:MAX_HITS]
            address = _list_of(look.filter, first_hits)
            yield Kind(
                title=look.title,
                name=look.column,
                hits=first_hits,
                more=len(hits) > MAX_HITS,
                list_url=address,
            )
    if unread:
        yield Kind(title=f"Not searched: {', '.join(unread)}", name="unread", hits=[], note=missing_indexes())


def _list_of(column: str, hits: Sequence[Hit]) -> str:
    """Return the address of the list of all rows with the id; empty if it has no filter for the column."""
    if not column:
        return ""
    archived = {hit.archived for hit in hits}
    place = {"archived": ANYWHERE if len(archived) == 2 else "true"} if True in archived else {}
    return f"{reverse('message-list')}?{urlencode({column: hits[0].name} | place)}"


def _longest_id(look: _IdKind[Any]) -> int:
    field = look.tables[0]._meta.get_field(look.column)
    return (field.max_length if isinstance(field, Field) else None) or len(str(MIN_ID))


def _find_hits(look: _IdKind[Row], value: int | str, place: int) -> list[Hit] | None:
    """Return the matches; None if this takes too long, as on a hub without the console's indexes."""
    try:
        with nullcontext() if has_indexes() else time_limit(_MS):
            return [look.hit(row, look.column, place > 0) for row in _newest_rows(look, value, place)]
    except TooSlow:
        return None


def _newest_rows(look: _IdKind[Row], value: int | str, place: int) -> QuerySet[Row]:
    """Return the newest rows with the id; an index on (column, key), if there is one, sorts them."""
    table = look.tables[place]
    rows = table._default_manager.only(*_COLUMNS[look.tables[0]]).order_by("-pk")
    if table is ExternalCall and look.column == "entity_id":
        rows = rows.filter(pk__in=calls_of_entity(str(value), limit=MAX_HITS + 1))
    else:
        rows = rows.filter(**{look.column: value})
    return rows[: MAX_HITS + 1]
