"""All messages of one object in all queues, the next pickup of some queues, and polling for an operator."""

from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect

from messages_app.access.actors import actor_of
from messages_app.access.decorators import check_right
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.parameters import read_id
from messages_app.core.reason_form import ReasonForm
from messages_app.cp_queue import parameters, registration, selectors
from messages_app.cp_queue.parameters import InvalidParameter
from messages_app.cp_queue.selectors import ObjectMessage
from messages_app.cp_queue.selectors.log import dispatch_page
from messages_app.cp_queue.services import pickup as pickup_services
from messages_app.cp_queue.services.pickup import service_of
from messages_app.cp_queue.states import CONTRADICTING, MAX_INT, MIN_INT, QUEUES
from messages_app.cp_queue.views import PAGES, VIEWS

_SECTION = "cp-objects"
_MAX_ROWS = 500


@dataclass(frozen=True, kw_only=True)
class InQueue:
    """
    The messages of an object in one queue, the newest first.

    Args:
        overlaps: services hold two messages, or one while others are free, so two services may work on the
            object at the same time.
    """

    queue: str
    is_known: bool
    messages: list[ObjectMessage]

    @property
    def has_overlaps(self) -> bool:
        return any(message.overlaps for message in self.messages)

    @property
    def holders(self) -> list[str]:
        return [message.service for message in self.messages if message.service is not None]

    @property
    def collapsible(self) -> int:
        return sum(message.is_collapsible for message in self.messages)


@VIEWS.shows_page
@takes_parameters("osid")
def find_object(request: HttpRequest) -> HttpResponse:
    """Ask for an object id, and redirect to its page."""
    text = request.GET.get("osid", "").strip()
    if not text:
        return PAGES.render_page(request, "objects", {"error": "", "osid": ""}, section=_SECTION)
    number = read_id(text)
    if number is None or not MIN_INT <= number <= MAX_INT:
        words = f"Enter an object id, a number from {MIN_INT} to {MAX_INT}."
        context = {"error": words, "osid": text[:100]}
        return PAGES.render_page(request, "objects", context, section=_SECTION, status=400)
    return redirect("cp-object", number)


@VIEWS.shows_page
def object_page(request: HttpRequest, osid: int) -> HttpResponse:
    is_possible = MIN_INT <= osid <= MAX_INT
    messages = selectors.object_messages(object_id=osid) if is_possible else []
    context = {
        "osid": osid,
        "queues": [
            InQueue(queue=queue, is_known=queue in QUEUES, messages=list(own))
            for queue, own in groupby(messages, key=attrgetter("queue"))
        ],
        "contradicts": {message.queue for message in messages} >= CONTRADICTING,
        "is_cut": len(messages) >= _MAX_ROWS,
        "log": dispatch_page(values={"osid": osid}, page_size=25).rows if is_possible else [],
    }
    return PAGES.render_page(request, "object", context, section=_SECTION)


_MAX_CHARACTERS = 2_000


@VIEWS.shows_page
@takes_parameters("queue", "others", repeatable=("queue",))
def preview_pickup(request: HttpRequest) -> HttpResponse:
    return _render_preview(request, request.GET, ReasonForm())


@VIEWS.takes_form
def poll_queues(request: HttpRequest) -> HttpResponse:
    """Reserve the next message for the operator, and redirect to its page."""
    check_right(request, registration.CAN_STEER_CP_QUEUE, action="poll_cp_queue")
    why = ReasonForm(request.POST)
    if not why.is_valid():
        return _render_preview(request, request.POST, why)
    try:
        picked = pickup_services.poll_queues(
            queues=_read_queues(request.POST), actor=actor_of(request), reason=why.cleaned_data["reason"]
        )
    except InvalidParameter:
        return _render_preview(request, request.POST, why)
    if picked is None:
        notices.info(request, "No message: no free messages, or another service was faster.")
        return redirect("cp-preview")
    notices.success(request, "The message is reserved for you until you dispatch or reset it.")
    return redirect("cp-message", picked.guid)


def _read_queues(values: QueryDict) -> list[str]:
    """Return the queues: a box for each known one, and a field for any others."""
    return [*values.getlist("queue"), *parameters.split_names(values.get("others", ""))]


def _render_preview(request: HttpRequest, values: QueryDict, why: ReasonForm) -> HttpResponse:
    queues = _read_queues(values)
    context: dict[str, object] = {
        "boxes": [(name, about, name in queues) for name, about in QUEUES.items()],
        "others": values.get("others", "")[:_MAX_CHARACTERS],
        "is_asked": bool(values),
        "why": why,
        "own_name": service_of(actor_of(request)),
    }
    if not values:
        return PAGES.render_page(request, "preview", context, section="cp-preview")
    try:
        preview = selectors.preview_pickup(queues=queues)
    except InvalidParameter as error:
        context["error"] = "Select a queue." if error.code == "required" else str(error)
        return PAGES.render_page(request, "preview", context, section="cp-preview", status=400)
    context |= {"preview": preview, "queues": queues}
    status = 400 if why.errors else 200
    return PAGES.render_page(request, "preview", context, section="cp-preview", status=status)
