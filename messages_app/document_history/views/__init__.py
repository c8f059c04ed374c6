"""The pages of the document history."""

from collections.abc import Callable, Mapping

from django.http import HttpRequest, HttpResponse

from messages_app.access.decorators import PageViews
from messages_app.core.lists.filter_form import ListForm
from messages_app.core.lists.views import ListRequest
from messages_app.core.store_pages import StorePages
from messages_app.document_history import registration, selectors
from messages_app.document_history.selectors import COUNTED
from messages_app.document_history.states import DOUBTS, PAIRS, VERDICTS

VIEWS = PageViews(registration.CAN_VIEW_DOCUMENT_HISTORY)
PAGES = StorePages(
    folder="document_history",
    sections={
        "document-triggers": "Triggers",
        "document-entries": "History",
        "document-undetermined": "Undetermined",
        "in-doubt-list": "In doubt",
        "document-statistics": "Statistics",
        "document-sweeper": "Sweeper",
        "document-dry-run": "Dry run",
    },
    # The inbox begins with the documents that wait for a decision.
    queries={"in-doubt-list": "?state=open"},
    rights={
        "may_change": registration.CAN_CHANGE_TRIGGERS,
        "may_resolve": registration.CAN_RESOLVE_DOCUMENTS,
        "may_sweep": registration.CAN_SWEEP_DOCUMENTS,
    },
    shared={"counted": COUNTED, "verdicts": VERDICTS, "pairs": PAIRS, "doubts": DOUBTS},
)


def trigger_choices(chosen: str) -> dict[str, object]:
    """Return the trigger choices of a page, including the chosen one if it is unknown."""
    choices = selectors.trigger_names()
    if chosen and chosen not in dict(choices):
        choices.append((chosen, chosen))
    return {"triggers": choices, "trigger_id": chosen}


def answer_list(
    request: HttpRequest,
    name: str,
    form: type[ListForm],
    make_context: Callable[[ListRequest], Mapping[str, object]],
    *,
    section: str,
) -> HttpResponse:
    """Render a list as StorePages does, with the choice of a trigger."""
    return PAGES.answer_list(
        request,
        name,
        form,
        make_context,
        section=section,
        make_more=lambda form: trigger_choices(form.params.get("trigger_id", "")),
    )
