"""What the pages of the room share: the way between them."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from messages_app.core.charts.bars import Badge
from messages_app.core.pages import sections
from messages_app.message_store.selectors import FENCE
from messages_app.shared.store_states import MEANINGS, Status, StatusClass, class_of, name_of

_FOLDER = "messages_app/message_store"
# The name of a page's route, and what its section is called.
_SECTIONS = {
    "message-store": "Overview",
    "store-messages": "Messages",
    "store-errors": "Errors",
    "store-missing": "Missing records",
    "source-definitions": "Definitions",
    "store-monitor": "Monitor",
}


def page(
    request: HttpRequest, name: str, context: dict[str, object], *, section: str, status: int = 200
) -> HttpResponse:
    """
    Answer a page of the room.

    Args:
        name: the template's.
        section: the name of the route of the section that it belongs to.
    """
    shared = {"sections": sections(_SECTIONS, current=section, beginnings={}), "most": FENCE}
    return render(request, f"{_FOLDER}/{name}.html", shared | context, status=status)


# What pages call statuses and classes of them, with the colour and icon of each.


# (colour of tokens.css, icon) by status; else by its class.
_OF_STATUS = {
    Status.NOT_PROCESSED: ("NEW", "state-NEW"),
    Status.QUEUED: ("IN_QUEUE", "state-IN_QUEUE"),
    Status.PROCESSING: ("PROCESSING", "state-PROCESSING"),
    Status.REQUIRES_REPROCESSING: ("WAITING", "clock"),
    Status.REPROCESS_TIMEOUT: ("POSTPONED", "state-POSTPONED"),
}
_OF_CLASS = {
    StatusClass.WAITING: ("WAITING", "clock"),
    StatusClass.IN_WORK: ("PROCESSING", "state-PROCESSING"),
    StatusClass.DONE: ("OK", "state-OK"),
    StatusClass.ERROR: ("FAILED", "state-FAILED"),
    StatusClass.UNKNOWN: ("", "state-unknown"),
}
CLASS_NAMES = {
    StatusClass.WAITING: "waiting",
    StatusClass.IN_WORK: "in progress",
    StatusClass.DONE: "processed",
    StatusClass.ERROR: "in error",
    StatusClass.UNKNOWN: "unknown",
}
_NO_STATUS = Badge("", "state-unknown", "history only", "It has neither a message nor a process row.")


def badge_of(status: int | None) -> Badge:
    """Return a status of message_line as a badge; its code is before its name. None: history alone."""
    if status is None:
        return _NO_STATUS
    tone, icon = _OF_STATUS.get(status, _OF_CLASS[class_of(status)])
    title = MEANINGS[Status(status)] if status in MEANINGS else "A code that the console does not know."
    return Badge(tone, icon, f"{status} {name_of(status)}", title)


def tone_of(what: StatusClass) -> str:
    """Return the colour of a class."""
    return _OF_CLASS[what][0]
