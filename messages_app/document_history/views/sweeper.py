"""The sweeper: when it ran, what it removed, when it runs next; and removing expired entries now."""

from dataclasses import dataclass

from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from messages_app.access.actors import actor_of
from messages_app.access.decorators import check_right, requires
from messages_app.core.charts.bars import Bar, bars
from messages_app.core.pages import ReasonForm
from messages_app.document_history import registration, selectors, services
from messages_app.document_history.models import DocumentSweep
from messages_app.document_history.views import PAGES

_SECTION = "document-sweeper"
# One request sweeps no longer than this; what is left, the next sweep takes.
_SECONDS = 10.0


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run, with the bar of the rows it removed and, by name, how many of each trigger."""

    sweep: DocumentSweep
    bar: Bar
    by_trigger: list[tuple[str, int]]


@require_http_methods(["GET", "HEAD", "POST"])
@requires(registration.CAN_VIEW_DOCUMENT_HISTORY)
def sweeper(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _page(request, ReasonForm())
    check_right(request, registration.CAN_SWEEP_DOCUMENTS, action="sweep_documents")
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=400)
    run = services.sweep(actor=actor_of(request), seconds=_SECONDS, reason=form.cleaned_data["reason"])
    notices.success(request, f"Removed {run.removed} expired {'entry' if run.removed == 1 else 'entries'}.")
    return redirect("document-sweeper")


def _page(request: HttpRequest, form: ReasonForm, status: int = 200) -> HttpResponse:
    page = selectors.sweep_page(cursor=request.GET.get("cursor"))
    context = {
        "page": page,
        "runs": _runs(page.rows),
        "sweeper": selectors.sweeper(),
        "waiting": selectors.waiting_for_sweep(),
        "form": form,
    }
    return PAGES.answer(request, "sweeper", context, section=_SECTION, status=status)


def _runs(sweeps: list[DocumentSweep]) -> list[Run]:
    names = selectors.names_of([trigger_id for sweep in sweeps for trigger_id in sweep.removed_by_trigger])
    drawn = bars([(str(sweep.pk), sweep.removed, "") for sweep in sweeps])
    return [
        Run(
            sweep=sweep,
            bar=bar,
            by_trigger=[(names.get(key, key), rows) for key, rows in sweep.removed_by_trigger.items()],
        )
        for sweep, bar in zip(sweeps, drawn, strict=True)
    ]
