"""
What the page of one message shows: its columns, and all that hangs on it, live or archived.

Each query is served by an index and bounded, so a message with a million children opens like any other.
Source: spec/cleverbus.md 1.5 (funnel values) and 7, last line (requests and responses).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from django.db.models import Exists, OuterRef, Q, QuerySet

from messages_app.audit.models import AuditEntry
from messages_app.messages.contents.stored import size_of
from messages_app.messages.inspecting.columns import Group, groups
from messages_app.messages.inspecting.timeline import Moment, moments
from messages_app.messages.models import (
    ArchiveExternalCall,
    ArchiveFunnel,
    ArchiveMessage,
    ArchiveRequest,
    ArchiveResponse,
    ExternalCall,
    Funnel,
    Message,
    MessageColumns,
    MessageEvent,
    Request,
    RequestColumns,
    Response,
    ResponseColumns,
)
from messages_app.messages.queries import CONTENT_COLUMNS
from messages_app.messages.services import MessageNotFound

MAX_ROWS = 200

# The tables that hold a message's rows: the live ones, or the archive's.
LIVE = {
    "message": Message,
    "call": ExternalCall,
    "request": Request,
    "response": Response,
    "funnel": Funnel,
}
ARCHIVE = {
    "message": ArchiveMessage,
    "call": ArchiveExternalCall,
    "request": ArchiveRequest,
    "response": ArchiveResponse,
    "funnel": ArchiveFunnel,
}


@dataclass(frozen=True)
class First:
    """The first MAX_ROWS rows of what may be many; `more` says that there are others."""

    rows: list
    more: bool

    def __iter__(self) -> Iterator:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True)
class Exchange:
    """A request with its 0..n responses; a response that could not be paired stands without a request."""

    request: RequestColumns | None
    responses: list[ResponseColumns]


@dataclass(frozen=True, kw_only=True)
class MessageDetail:
    """
    One message and what hangs on it.

    Args:
        message: without payload and envelope; has their sizes as payload_bytes and envelope_bytes.
        archived: whether it stands in the archive.
        calls: external calls, oldest first.
        exchanges: its requests, oldest first, then responses without a request.
        funnel_values: the values it is held by; from an older hub the one in the message itself.
        parent, children: narrow rows, each with `archived`.
        events: state changes, oldest first.
        audit_entries: what operators did to it, oldest first.
    """

    message: MessageColumns
    archived: bool
    calls: First
    exchanges: First
    funnel_values: list[str]
    parent: MessageColumns | None
    children: First
    events: First
    audit_entries: First

    @cached_property
    def child_states(self) -> list[tuple[str, int]]:
        """(state, number) of the children that are listed, the most frequent first."""
        counts: dict[str, int] = defaultdict(int)
        for child in self.children:
            counts[child.state] += 1
        return sorted(counts.items(), key=lambda pair: -pair[1])

    @cached_property
    def history(self) -> list[Moment]:
        """Receipt, state changes and operators' actions in time order."""
        return moments(self.message, events=self.events, audit_entries=self.audit_entries)

    @cached_property
    def groups(self) -> list[Group]:
        """Every column of the message, grouped."""
        return list(groups(self.message))


def message_detail(msg_id: int) -> MessageDetail:
    """
    Return a message with all that hangs on it.

    Raises:
        MessageNotFound: neither the live table nor the archive has it.
    """
    message, archived = _find(msg_id)
    tables = ARCHIVE if archived else LIVE
    return MessageDetail(
        message=message,
        archived=archived,
        calls=_first(tables["call"].objects.filter(msg_id=msg_id), "call_id"),
        exchanges=_exchanges(tables, msg_id),
        funnel_values=_funnel_values(tables, message),
        parent=_parent(message),
        children=_children(msg_id),
        events=_first(MessageEvent.objects.filter(msg_id=msg_id), "event_id"),
        audit_entries=_first(_actions_on(msg_id), "entry_id"),
    )


def _actions_on(msg_id: int) -> QuerySet:
    # Who read a payload stands in the audit, not among what became of the message.
    return AuditEntry.objects.filter(msg_id=msg_id).exclude(action__startswith="view_")


def parents_among(rows: Iterable[MessageColumns]) -> set[int]:
    """Return the ids of those `rows` of one table that have a child in it."""
    rows = list(rows)
    if not rows:
        return set()
    table = type(rows[0])
    children = table.objects.filter(parent_msg_id=OuterRef("pk"))
    found = table.objects.filter(Exists(children), pk__in=[row.pk for row in rows])
    return set(found.values_list("pk", flat=True))


def _find(msg_id: int) -> tuple[MessageColumns, bool]:
    # The live table once more at the end: a restore may move the message between the two looks.
    for table in (Message, ArchiveMessage, Message):
        sizes = {f"{column}_bytes": size_of(column) for column in CONTENT_COLUMNS}
        row = table.objects.filter(pk=msg_id).defer(*CONTENT_COLUMNS).annotate(**sizes).first()
        if row is not None:
            return row, table is ArchiveMessage
    raise MessageNotFound(f"No message has the id {msg_id}.")


def _first(rows: QuerySet, key: str) -> First:
    found = list(rows.order_by(key)[: MAX_ROWS + 1])
    return First(found[:MAX_ROWS], len(found) > MAX_ROWS)


def _exchanges(tables: dict, msg_id: int) -> First:
    requests = _first(_sized(tables["request"], "req_envelope").filter(msg_id=msg_id), "req_id")
    all_responses = _sized(tables["response"], "res_envelope")
    paired = _first(all_responses.filter(req_id__in=[request.pk for request in requests]), "res_id")
    unpaired = _first(all_responses.filter(msg_id=msg_id, req_id__isnull=True), "res_id")
    by_request = defaultdict(list)
    for response in paired:
        by_request[response.req_id].append(response)
    rows = [Exchange(request, by_request[request.pk]) for request in requests]
    rows += [Exchange(None, [response]) for response in unpaired]
    return First(rows, requests.more or paired.more or unpaired.more)


def _sized(table: type, column: str) -> QuerySet:
    return table.objects.defer(column).annotate(content_bytes=size_of(column))


def _funnel_values(tables: dict, message: MessageColumns) -> list[str]:
    rows = tables["funnel"].objects.filter(msg_id=message.pk).order_by("funnel_id")
    values = list(rows.values_list("funnel_value", flat=True)[:MAX_ROWS])
    return values or ([message.funnel_value] if message.funnel_value else [])


def _parent(message: MessageColumns) -> MessageColumns | None:
    if message.parent_msg_id is None:
        return None
    relatives = _relatives(Q(pk=message.parent_msg_id))
    return relatives.rows[0] if len(relatives) else None


def _children(msg_id: int) -> First:
    return _relatives(Q(parent_msg_id=msg_id))


def _relatives(condition: Q) -> First:
    """Return the messages of a family that meet `condition`: live ones, then archived ones."""
    found = []
    for table in (Message, ArchiveMessage):
        columns = ("msg_id", "state", "service_name", "operation_name", "parent_binding_type")
        for row in table.objects.filter(condition).only(*columns).order_by("pk")[: MAX_ROWS + 1]:
            row.archived = table is ArchiveMessage
            found.append(row)
    return First(found[:MAX_ROWS], len(found) > MAX_ROWS)
