"""What a pickup would give now, and what it would delete. Nothing is reserved."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.gate import requires
from messages_app.cp_queue import queries, services
from messages_app.cp_queue.pages import frame
from messages_app.cp_queue.states import QUEUES

_MOST_CHARACTERS = 2_000


@require_safe
@requires(roles.CAN_VIEW_CP_QUEUE)
def preview(request: HttpRequest) -> HttpResponse:
    # A box for each known queue, and a field for any others.
    asked = [*request.GET.getlist("queue"), *request.GET.get("others", "").split(",")]
    context: dict[str, object] = {
        "known": [(name, about, name in asked) for name, about in QUEUES.items()],
        "others": request.GET.get("others", "")[:_MOST_CHARACTERS],
        "is_asked": bool(request.GET),
    }
    if not request.GET:
        return frame.page(request, "preview", context, section="cp-preview")
    try:
        found = queries.preview(queues=asked)
    except services.InvalidParameter as error:
        context["error"] = "Choose a queue." if error.code == "required" else str(error)
        return frame.page(request, "preview", context, section="cp-preview", status=400)
    context |= {"found": found, "asked": [name.strip() for name in asked if name.strip()]}
    return frame.page(request, "preview", context, section="cp-preview")
