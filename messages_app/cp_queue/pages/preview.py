"""
What a pickup would give now, and what it would delete: nothing is reserved. And the pickup itself, as a
worker of the operator's name would make it.
"""

from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.gate import requires
from messages_app.cp_queue import queries, services
from messages_app.cp_queue.pages import frame
from messages_app.cp_queue.states import QUEUES
from messages_app.web.reasons import ReasonForm

_MOST_CHARACTERS = 2_000


@require_safe
@requires(roles.CAN_VIEW_CP_QUEUE)
def preview(request: HttpRequest) -> HttpResponse:
    return _page(request, request.GET, ReasonForm())


@require_POST
@requires(roles.CAN_VIEW_CP_QUEUE)
def poll(request: HttpRequest) -> HttpResponse:
    """Reserve the next message for the operator, and lead to its page."""
    frame.check_right(request, "poll_cp_queue")
    why = ReasonForm(request.POST)
    if not why.is_valid():
        return _page(request, request.POST, why)
    try:
        picked = services.poll(
            queues=_asked(request.POST), actor=actor_of(request), reason=why.cleaned_data["reason"]
        )
    except services.InvalidParameter:
        return _page(request, request.POST, why)
    if picked is None:
        notices.info(request, "An empty answer: nothing is free there, or another was faster.")
        return redirect("cp-preview")
    notices.success(request, "It is yours until you dispatch or reset it.")
    return redirect("cp-message", picked.guid)


def _asked(values: QueryDict) -> list[str]:
    """Return the queues: a box for each known one, and a field for any others."""
    return [*values.getlist("queue"), *values.get("others", "").split(",")]


def _page(request: HttpRequest, values: QueryDict, why: ReasonForm) -> HttpResponse:
    asked = _asked(values)
    context: dict[str, object] = {
        "known": [(name, about, name in asked) for name, about in QUEUES.items()],
        "others": values.get("others", "")[:_MOST_CHARACTERS],
        "is_asked": bool(values),
        "why": why,
        "own_name": services.service_of(actor_of(request)),
    }
    if not values:
        return frame.page(request, "preview", context, section="cp-preview")
    try:
        found = queries.preview(queues=asked)
    except services.InvalidParameter as error:
        context["error"] = "Choose a queue." if error.code == "required" else str(error)
        return frame.page(request, "preview", context, section="cp-preview", status=400)
    context |= {"found": found, "asked": [name.strip() for name in asked if name.strip()]}
    status = 400 if why.errors else 200
    return frame.page(request, "preview", context, section="cp-preview", status=status)
