"""The way from any id to what it names."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.gate import requires
from messages_app.messages.finding.lookup import find


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def find_message(request: HttpRequest) -> HttpResponse:
    """Go to what an id of any kind names: one message, or the list of those that share it."""
    text = request.GET.get("id", "").strip()
    found = find(text[:100].replace("\0", ""))
    if found.msg_id is not None:
        return redirect("message-detail", msg_id=found.msg_id)
    return redirect(f"/messages/?{urlencode(found.filters)}" if found.filters else "/messages/")
