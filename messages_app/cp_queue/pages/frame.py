"""What the pages of the room share: the way between them, and who may do what."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from messages_app.access import roles
from messages_app.access.gate import refuse
from messages_app.cp_queue.pages.words import OUTCOMES, STATES
from messages_app.cp_queue.queries import COUNTED
from messages_app.web.sections import sections

_FOLDER = "messages_app/cp_queue"
# By the name of the page's route.
_SECTIONS = {
    "cp-queues": "Queues",
    "cp-services": "Services",
    "cp-messages": "Messages",
    "cp-objects": "Objects",
    "cp-dispatches": "Dispatch log",
    "cp-preview": "Next pickup",
}
# What only those see who may do it.
_OF_OPERATORS = {"cp-create": "Create", "cp-reset": "Reset"}


def page(
    request: HttpRequest, name: str, context: dict[str, object], *, section: str, status: int = 200
) -> HttpResponse:
    """
    Answer a page of the room.

    Args:
        name: the template's.
        section: the name of the route of the section that it belongs to.
    """
    may_steer = request.user.has_perm(roles.CAN_STEER_CP_QUEUE)
    titles = _SECTIONS | (_OF_OPERATORS if may_steer else {})
    shared = {
        "sections": sections(titles, current=section, beginnings={}),
        "states": STATES,
        "outcomes": OUTCOMES,
        "counted": COUNTED,
        "may_steer": may_steer,
        "home": reverse("cp-queues"),
    }
    return render(request, f"{_FOLDER}/{name}.html", shared | context, status=status)


def check_right(request: HttpRequest, action: str, **target: str) -> None:
    """Answer 403 to who may not steer the queue, and remember it. `target`: as the audit names it."""
    if not request.user.has_perm(roles.CAN_STEER_CP_QUEUE):
        refuse(request, action=action, **target)
