"""What the pages of the room share: the way between them, and who may do what."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from messages_app.access.decorators import refuse
from messages_app.core.charts.bars import Badge
from messages_app.core.pages import sections
from messages_app.cp_queue import registration
from messages_app.cp_queue.selectors import COUNTED, ServiceState
from messages_app.cp_queue.states import Outcome, State

# What pages call states, outcomes and services, and the colour and icon of each.


STATES = {
    State.FREE: Badge("free", "inbox", "free", "Waiting for a service to pick it up."),
    State.RESERVED: Badge(
        "reserved", "user", "reserved", "Held by a service until it is dispatched or reset."
    ),
    State.DEFERRED: Badge("deferred", "clock", "deferred", "Waiting after a retry."),
    State.PARKED: Badge("parked", "pause", "parked", "No attempts left: an operator must send it on."),
}
OUTCOMES = {
    Outcome.DONE: Badge("done", "check", "done", "Dispatched with OK and removed."),
    Outcome.FAILED: Badge("failed", "warning", "failed", "Dispatched with another reason and removed."),
    Outcome.DEFERRED: Badge(
        "deferred", "clock", "retry", "Dispatched with RETRY: it waits and can be picked up again."
    ),
    Outcome.PARKED: Badge("parked", "pause", "parked", "Dispatched with RETRY on its last attempt."),
}
_DEAD = Badge(
    "failed",
    "warning",
    "probably dead",
    "It holds messages and has not polled for a while. Other services cannot get them.",
)
_AT_WORK = Badge("running", "play", "working", "It holds messages and has polled recently.")
_POLLING = Badge("done", "check", "polling", "It has polled recently and holds no messages.")
_AWAY = Badge("stopped", "state-stopped", "away", "It has not polled for a while and holds no messages.")


def standing(service: ServiceState, *, is_silent: bool) -> Badge:
    """Return how a service is doing."""
    if service.is_probably_dead:
        return _DEAD
    if service.reserved:
        return _AT_WORK
    return _AWAY if is_silent else _POLLING


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
    may_steer = request.user.has_perm(registration.CAN_STEER_CP_QUEUE)
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
    if not request.user.has_perm(registration.CAN_STEER_CP_QUEUE):
        refuse(request, action=action, **target)
