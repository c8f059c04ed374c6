"""What the pages of the room share: the way between them, and the choice of a trigger."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from messages_app.document_history import queries
from messages_app.document_history.pages.words import DOUBTS, PAIRS, VERDICTS
from messages_app.document_history.queries import COUNTED
from messages_app.web.sections import sections

_FOLDER = "messages_app/document_history"
# By the name of the page's route.
_SECTIONS = {
    "document-triggers": "Triggers",
    "document-entries": "History",
    "document-undetermined": "Undetermined",
    "in-doubt-list": "In doubt",
    "document-statistics": "Statistics",
    "document-sweeper": "Sweeper",
    "document-dry-run": "Dry run",
}
# What a section begins with: the inbox has what is still to be decided.
_BEGINNINGS = {"in-doubt-list": "?state=open"}


def page(
    request: HttpRequest, name: str, context: dict[str, object], *, section: str, status: int = 200
) -> HttpResponse:
    """
    Answer a page of the room.

    Args:
        name: the template's.
        section: the name of the route of the section that it belongs to.
    """
    shared = {
        "sections": sections(_SECTIONS, current=section, beginnings=_BEGINNINGS),
        "counted": COUNTED,
        "verdicts": VERDICTS,
        "pairs": PAIRS,
        "doubts": DOUBTS,
        "home": reverse("document-triggers"),
    }
    return render(request, f"{_FOLDER}/{name}.html", shared | context, status=status)


def trigger_choices(chosen: str | None) -> list[tuple[str, str]]:
    """Return (id, name) of the triggers to choose from; the chosen one is among them whatever it is."""
    choices = queries.trigger_names()
    if chosen and chosen not in dict(choices):
        choices.append((chosen, chosen))
    return choices
