"""The pages and downloads of payloads, envelopes, requests and responses."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import urlencode

from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.decorators import refuse_request, requires_permission
from messages_app.audit import services as audit
from messages_app.core.page_parameters import takes_parameters
from messages_app.messages.parquet_archive.reader import ColdRows, cold_message, cold_rows
from messages_app.messages.tables import Tables, first_found
from messages_app.payloads.loader import (
    Beginning,
    ContentNotFound,
    Opened,
    Source,
    StoredText,
    content_in_memory,
    read_beginning,
    read_pieces,
    visible_content,
)
from messages_app.payloads.view_params import VIEW_PARAMETERS, parse_view_params
from messages_app.payloads.views import render_content
from messages_app.shared.text_safety import masked_address


@dataclass(frozen=True)
class Kind:
    """One kind of content: its table, its column, and its title on pages."""

    table: Literal["message", "request", "response"]
    column: str
    title: str


MESSAGE: Final = "message"
REQUEST: Final = "request"
RESPONSE: Final = "response"
KINDS = {
    "payload": Kind(MESSAGE, "payload", "Payload"),
    "envelope": Kind(MESSAGE, "envelope", "Envelope"),
    "request": Kind(REQUEST, "req_envelope", "Request"),
    "response": Kind(RESPONSE, "res_envelope", "Response"),
}


def open_content(kind: str, key: int, *, masked: bool, msg_id: int | None = None) -> Opened:
    """
    Return a content, with all its values or, when `masked`, only its structure.

    Args:
        msg_id: the message of the content; an archive file is only searched by this id.

    Raises:
        Http404: no row has this key.
        ArchiveUnreadable: the content is in a file that is missing or damaged.
    """
    beginning, source = find_content(kind, key, msg_id=msg_id)
    return visible_content(beginning, source, masked=masked)


def find_content(kind: str, key: int, *, msg_id: int | None = None) -> tuple[Beginning, Source]:
    """
    Return the beginning and the source of a content, live or archived.

    Raises: the same as open_content.
    """
    content_kind = KINDS[kind]
    owner = key if content_kind.table == MESSAGE else msg_id
    content = first_found(
        lambda tables: _find_in_tables(content_kind, key, tables),
        lambda: _find_in_file(content_kind, key, owner),
    )
    if content is None:
        raise Http404(f"There is no {content_kind.title.lower()} {key}.")
    return content


def address_of(req_id: int, *, msg_id: int) -> str:
    """Return the target address of a request, with its credentials; empty if the request does not exist."""

    def in_tables(tables: Tables) -> str | None:
        return tables["request"].objects.filter(pk=req_id).values_list("uri", flat=True).first()

    def in_file() -> str | None:
        cold = _cold_rows_of(msg_id)
        return next((row.uri for row in (cold.requests if cold else ()) if row.pk == req_id), None)

    return first_found(in_tables, in_file) or ""


def _find_in_tables(kind: Kind, key: int, tables: Tables) -> tuple[Beginning, Source] | None:
    rows = tables[kind.table].objects.filter(pk=key)
    try:
        beginning = read_beginning(rows, kind.column)
    except ContentNotFound:
        return None
    return beginning, StoredText(rows, kind.column, beginning.stored_bytes or 0)


def _find_in_file(kind: Kind, key: int, msg_id: int | None) -> tuple[Beginning, Source] | None:
    """Return a content from an archive file, from which a text can only be read as a whole."""
    cold = None if msg_id is None else _cold_rows_of(msg_id)
    if cold is None:
        return None
    if kind.table == MESSAGE:
        text = cold.read_columns([kind.column])[kind.column]
        return content_in_memory(None if text is None else str(text))
    rows: Sequence[Model] = cold.requests if kind.table == REQUEST else cold.responses
    row = next((row for row in rows if row.pk == key), None)
    return None if row is None else content_in_memory(getattr(row, kind.column))


def _cold_rows_of(msg_id: int) -> ColdRows | None:
    message = cold_message(msg_id)
    return cold_rows(message) if message else None


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
@takes_parameters(*VIEW_PARAMETERS)
def show_content(request: HttpRequest, msg_id: int, kind: str, key: int | None = None) -> HttpResponse:
    """Show a part of one content: formatted and coloured, as stored, or as bytes."""
    params = parse_view_params(request.GET)
    masked = not request.user.has_perm(roles.CAN_VIEW_PAYLOAD)
    opened = open_content(kind, msg_id if key is None else key, masked=masked, msg_id=msg_id)
    if not opened.view.masked:
        _record_reading(request, msg_id, kind)
    return render_content(
        request,
        opened,
        title=KINDS[kind].title,
        owner=(f"Message {msg_id}", reverse("message-detail", args=[msg_id])),
        box=f"{kind}-{msg_id if key is None else key}",
        params=params,
        compare_address=_compare_address(msg_id, kind, key),
        sent_to=_target_address(kind, key, msg_id, masked=masked),
    )


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
def download_content(
    request: HttpRequest, msg_id: int, kind: str, key: int | None = None
) -> StreamingHttpResponse:
    """Send one content byte for byte, with a type that no browser displays."""
    if not request.user.has_perm(roles.CAN_VIEW_PAYLOAD):
        refuse_request(request, action=f"view_{kind}", is_reading=True, msg_id=msg_id)
    key = msg_id if key is None else key
    _, source = find_content(kind, key, msg_id=msg_id)
    _record_reading(request, msg_id, kind)
    return StreamingHttpResponse(
        read_pieces(source),
        content_type="application/octet-stream",
        headers={"Content-Disposition": f'attachment; filename="{kind}-{key}.txt"'},
    )


def _compare_address(msg_id: int, kind: str, key: int | None) -> str:
    values = {"kind": kind} if key is None else {"kind": kind, "key": str(key)}
    return f"{reverse('message-compare', args=[msg_id])}?{urlencode(values)}"


def _target_address(kind: str, key: int | None, msg_id: int, *, masked: bool) -> str:
    """Return the target address of a request, masked like its text; empty for other contents."""
    if kind != REQUEST or key is None:
        return ""
    address = address_of(key, msg_id=msg_id)
    return masked_address(address) if masked else address


def _record_reading(request: HttpRequest, msg_id: int, kind: str) -> None:
    audit.record_entry(actor=actor_of(request), action=f"view_{kind}", msg_id=msg_id)
