"""Payloads, envelopes, requests and responses, each by its own address: shown in pieces, or as a download."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.gate import refuse, requires
from messages_app.audit import services as audit
from messages_app.contents.addresses import masked_address
from messages_app.contents.asking import wanted
from messages_app.contents.stored import pieces
from messages_app.contents.viewer import Viewer
from messages_app.messages.contents.opening import KINDS, REQUEST, address_of, find_content, open_content


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def content(request: HttpRequest, msg_id: int, kind: str, key: int | None = None) -> HttpResponse:
    """Show a piece of one content: laid out and coloured, as it is stored, or its bytes."""
    asked = wanted(request.GET)
    masked = not request.user.has_perm(roles.CAN_VIEW_PAYLOAD)
    opened = open_content(kind, msg_id if key is None else key, masked=masked, msg_id=msg_id)
    if not opened.view.masked:
        _record_reading(request, msg_id, kind)
    box = f"{kind}-{msg_id if key is None else key}"
    is_part = "HX-Request" in request.headers
    context = {
        "view": opened.view,
        "viewer": Viewer(opened.source, opened.view, asked, anchor=f"hit-{box}"),
        "title": KINDS[kind].title,
        "owner": {"title": f"Message {msg_id}", "address": reverse("message-detail", args=[msg_id])},
        "box": box,
        "address": request.path,
        "compare_address": _compare_address(msg_id, kind, key),
        "is_part": is_part,
        "sent_to": _sent_to(kind, key, msg_id, masked=masked),
    }
    part = "_content.html" if is_part else "content.html"
    return render(request, f"messages_app/contents/{part}", context)


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def download(request: HttpRequest, msg_id: int, kind: str, key: int | None = None) -> HttpResponse:
    """Send one content byte for byte, never as something that a browser would show."""
    if not request.user.has_perm(roles.CAN_VIEW_PAYLOAD):
        refuse(request, action=f"view_{kind}", is_reading=True, msg_id=msg_id)
    key = msg_id if key is None else key
    _, source = find_content(kind, key, msg_id=msg_id)
    _record_reading(request, msg_id, kind)
    return StreamingHttpResponse(
        pieces(source),
        content_type="application/octet-stream",
        headers={"Content-Disposition": f'attachment; filename="{kind}-{key}.txt"'},
    )


def _compare_address(msg_id: int, kind: str, key: int | None) -> str:
    values = {"kind": kind} if key is None else {"kind": kind, "key": key}
    return f"{reverse('message-compare', args=[msg_id])}?{urlencode(values)}"


def _sent_to(kind: str, key: int | None, msg_id: int, *, masked: bool) -> str:
    """Return the address of a request, as whole as the reader sees its text; empty for other contents."""
    if kind != REQUEST or key is None:
        return ""
    address = address_of(key, msg_id=msg_id)
    return masked_address(address) if masked else address


def _record_reading(request: HttpRequest, msg_id: int, kind: str) -> None:
    audit.record(actor=actor_of(request), action=f"view_{kind}", msg_id=msg_id)
