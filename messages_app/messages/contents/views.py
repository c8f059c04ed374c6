"""Payloads, envelopes, requests and responses, each by its own address: shown, raw, or as a download."""

from dataclasses import dataclass

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.gate import requires
from messages_app.audit import services as audit
from messages_app.messages.contents.payloads import SHOWN_CHARS, payload_view
from messages_app.messages.contents.stored import Beginning, ContentNotFound, pieces, read_beginning
from messages_app.messages.inspecting.detail import ARCHIVE, LIVE


@dataclass(frozen=True)
class Kind:
    """One kind of content: the table that holds it, its column, and what a page calls it."""

    table: str
    column: str
    title: str


KINDS = {
    "payload": Kind("message", "payload", "Payload"),
    "envelope": Kind("message", "envelope", "Envelope"),
    "request": Kind("request", "req_envelope", "Request"),
    "response": Kind("response", "res_envelope", "Response"),
}


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def content(request: HttpRequest, msg_id: int, kind: str, key: int | None = None) -> HttpResponse:
    """Show one content: laid out and coloured, or with ?raw=true as it is stored."""
    masked = not request.user.has_perm(roles.CAN_VIEW_PAYLOAD)
    beginning, _ = _beginning(kind, msg_id if key is None else key)
    view = payload_view(beginning.text, masked=masked, stored_bytes=beginning.stored_bytes)
    if not view.masked:
        _record_reading(request, msg_id, kind)
    raw = request.GET.get("raw") == "true" and not masked
    context = {
        "view": view,
        "raw": (beginning.text or "")[:SHOWN_CHARS] if raw else None,
        "raw_is_cut": raw and len(beginning.text or "") > SHOWN_CHARS,
        "msg_id": msg_id,
        "kind": KINDS[kind],
        "address": request.path,
    }
    part = "_content.html" if "HX-Request" in request.headers else "content.html"
    return render(request, f"messages_app/messages/{part}", context)


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def download(request: HttpRequest, msg_id: int, kind: str, key: int | None = None) -> HttpResponse:
    """Send one content byte for byte, never as something that a browser would show."""
    if not request.user.has_perm(roles.CAN_VIEW_PAYLOAD):
        raise PermissionDenied
    key = msg_id if key is None else key
    _, rows = _beginning(kind, key)
    _record_reading(request, msg_id, kind)
    return StreamingHttpResponse(
        pieces(rows, KINDS[kind].column),
        content_type="application/octet-stream",
        headers={"Content-Disposition": f'attachment; filename="{kind}-{key}.txt"'},
    )


def _record_reading(request: HttpRequest, msg_id: int, kind: str) -> None:
    audit.record(actor=actor_of(request), action=f"view_{kind}", msg_id=msg_id)


def _beginning(kind: str, key: int) -> tuple[Beginning, QuerySet]:
    """Return the beginning of a content and the rows that hold it, live or archived."""
    one = KINDS[kind]
    for tables in (LIVE, ARCHIVE, LIVE):
        rows = tables[one.table].objects.filter(pk=key)
        try:
            return read_beginning(rows, one.column), rows
        except ContentNotFound:
            continue
    raise Http404(f"There is no {one.title.lower()} {key}.")
