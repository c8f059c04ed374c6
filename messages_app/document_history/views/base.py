"""What the pages of the room share: the way between them, and the choice of a trigger."""

from collections.abc import Callable, Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from messages_app.core.charts.bars import Badge
from messages_app.core.lists import views
from messages_app.core.lists.filter_form import ListForm
from messages_app.core.lists.views import Asked
from messages_app.core.pages import sections
from messages_app.document_history import selectors
from messages_app.document_history.selectors import COUNTED
from messages_app.document_history.states import InDoubtState, Pair, Verdict

# What pages call verdicts, pairs of entries and doubts, and the colour and icon of each.


VERDICTS = {
    Verdict.NEW: Badge(Verdict.NEW, f"state-{Verdict.NEW}", "New", "It will be processed."),
    Verdict.DUPLICATE: Badge(
        Verdict.DUPLICATE, "copy", "Duplicate", "Already processed: acknowledged, not processed again."
    ),
    Verdict.IN_DOUBT: Badge(
        Verdict.IN_DOUBT,
        "state-unknown",
        "In doubt",
        "Unknown whether it was processed: acknowledged, not processed, kept for an operator.",
    ),
}
PAIRS = {
    Pair.BOTH: Badge("OK", "state-OK", "processed", "Processing started and ended, successfully or not."),
    Pair.PROCESSING_ONLY: Badge(
        "undetermined",
        "state-unknown",
        "undetermined",
        "Processing started and has not ended: it may still be running, or the process died.",
    ),
    Pair.COMPLETED_ONLY: Badge(
        "stopped",
        "state-OK",
        "completed only",
        "Processing ended after the sweeper had removed the entry of its start.",
    ),
}
DOUBTS = {
    InDoubtState.OPEN: Badge(Verdict.IN_DOUBT, "state-unknown", "open", "No decision yet."),
    InDoubtState.RESUBMITTED: Badge(Verdict.NEW, "restart", "resubmitted", "It will be processed."),
    InDoubtState.SETTLED: Badge("done", "check", "settled", "An operator marked it as processed."),
}


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
    choices = selectors.trigger_names()
    if chosen and chosen not in dict(choices):
        choices.append((chosen, chosen))
    return choices


# What the room's lists have in addition to what every list has: the choice of a trigger.


__all__ = ["Asked", "answer_list"]


def answer_list(
    request: HttpRequest,
    name: str,
    form: type[ListForm],
    shown: Callable[[Asked], Mapping[str, object]],
    *,
    section: str,
) -> HttpResponse:
    """
    Answer a list: its form, and what `shown` gives, or what is wrong in its place.

    Args:
        name: of the template.
    """

    def answer(context: dict[str, object], status: int) -> HttpResponse:
        trigger_id = context["form"].params.get("trigger_id", "")
        chosen = {"triggers": trigger_choices(trigger_id or None), "trigger_id": trigger_id}
        return page(request, name, context | chosen, section=section, status=status)

    return views.answer_list(request, form, shown, answer)
