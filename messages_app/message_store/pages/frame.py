"""What the pages of the room share: the way between them."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from messages_app.message_store.queries import FENCE
from messages_app.web.sections import sections

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
