"""The exactly-once statistics, over time and as a list; and the sweeper of expired entries."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus

from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from messages_app.access.actors import actor_of
from messages_app.access.decorators import check_right
from messages_app.core.charts.bars import Bar, make_bars
from messages_app.core.charts.histogram import Picture
from messages_app.core.clock import TooSlow, time_limit
from messages_app.core.lists.filter_form import Link, ListForm, badge_links
from messages_app.core.lists.views import Chart, ListRequest
from messages_app.core.page_parameters import checks_parameters, takes_parameters
from messages_app.core.reason_form import ReasonForm
from messages_app.document_history import registration, selectors
from messages_app.document_history.models import DocumentSweep
from messages_app.document_history.selectors.entries import STATISTICS
from messages_app.document_history.selectors.outcomes import count_outcomes_over_time, outcome_page
from messages_app.document_history.services import triggers as triggers_services
from messages_app.document_history.services.errors import TriggerNotFound
from messages_app.document_history.services.sweep import OUTCOME_DAYS, sweep_entries
from messages_app.document_history.states import MAX_UUID, VERDICTS, Verdict, words_of
from messages_app.document_history.views import PAGES, VIEWS, answer_list

_MS = 1_000
_FROM_GROUND = [Verdict.DUPLICATE, Verdict.IN_DOUBT]
_CHART = Chart(
    column="at",
    count=count_outcomes_over_time,
    usual=timedelta(days=1),
    longest=timedelta(days=OUTCOME_DAYS),
    from_ground=_FROM_GROUND,
    cut_note="only the newest of each trigger are shown",
)


_CLEAR = "clear_%s"


class StatisticsForm(ListForm):
    """The form of the statistics."""

    filters = STATISTICS
    labels: Mapping[str, str] = {
        "trigger_id": "Trigger",
        "status": "Status",
        "at_from": "From",
        "at_to": "To",
    }
    field_names = ("at_from", "at_to")
    linked_names = ("status",)

    statuses = badge_links("status", {each: VERDICTS[each] for each in _FROM_GROUND}, anything="Both")

    @property
    def times(self) -> list[Link]:
        return self.recent_ranges("at")


@VIEWS.shows_page
@checks_parameters
def show_statistics(request: HttpRequest) -> HttpResponse:
    return _render_statistics(request, ReasonForm(auto_id=_CLEAR))


def _render_statistics(request: HttpRequest, reason: ReasonForm) -> HttpResponse:
    may_clear = request.user.has_perm(registration.CAN_CHANGE_TRIGGERS)

    def make_context(requested: ListRequest) -> Mapping[str, object]:
        return _make_context(requested) | {"may_clear": may_clear, "reason": reason}

    return answer_list(request, "statistics", StatisticsForm, make_context, section="document-statistics")


def _make_context(requested: ListRequest) -> dict[str, object]:
    page = outcome_page(values=requested.values, **requested.paging)
    names = selectors.names_of([row.trigger_id for row in page.rows])
    return {
        # The history has no longer identifiers.
        "longest_uuid": MAX_UUID,
        "lines": [(row, names.get(row.trigger_id, row.trigger_id), words_of(row.rule)) for row in page.rows],
        "picture": _draw_picture(requested),
        **requested.describe_page(page, "-at"),
    }


def _draw_picture(requested: ListRequest) -> Picture | None:
    """Return the data of the chart; None if counting takes too long."""
    try:
        with time_limit(_MS):
            return _CHART.draw_picture(requested, is_usual="at_from" not in requested.values)
    except TooSlow:
        return None


@VIEWS.takes_form
def clear_statistics(request: HttpRequest) -> HttpResponse:
    check_right(request, registration.CAN_CHANGE_TRIGGERS, action="clear_statistics")
    form = ReasonForm(request.POST, auto_id=_CLEAR)
    if not form.is_valid():
        request.path = reverse("document-statistics")  # the links of the list lead to the list
        response = _render_statistics(request, form)
        response.status_code = HTTPStatus.BAD_REQUEST
        return response
    trigger_id = request.POST.get("trigger_id") or None
    try:
        triggers_services.clear_statistics(
            actor=actor_of(request), reason=form.cleaned_data["reason"], trigger_id=trigger_id
        )
    except TriggerNotFound as refusal:
        notices.error(request, str(refusal))
    else:
        notices.success(request, "Statistics cleared. The history and its decisions did not change.")
    return redirect("document-statistics")


_SWEEPER = "document-sweeper"
# Time limit of a sweep in one request; the next sweep removes the rest.
_SWEEP_SECONDS = 10.0


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run, with a bar for the number of removed rows, and their number by trigger name."""

    sweep: DocumentSweep
    bar: Bar
    by_trigger: list[tuple[str, int]]


@VIEWS.shows_and_takes_form
@takes_parameters("cursor")
def show_sweeper(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _sweeper_page(request, ReasonForm())
    check_right(request, registration.CAN_SWEEP_DOCUMENTS, action="sweep_documents")
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return _sweeper_page(request, form, status=400)
    run = sweep_entries(actor=actor_of(request), seconds=_SWEEP_SECONDS, reason=form.cleaned_data["reason"])
    notices.success(request, f"Removed {run.removed} expired {'entry' if run.removed == 1 else 'entries'}.")
    return redirect("document-sweeper")


def _sweeper_page(request: HttpRequest, form: ReasonForm, status: int = 200) -> HttpResponse:
    page = selectors.sweep_page(cursor=request.GET.get("cursor"))
    context = {
        "runs": _list_runs(page.rows),
        "sweeper": selectors.sweeper_state(),
        "waiting": selectors.waiting_for_sweep(),
        "form": form,
    }
    return PAGES.render_page(request, "sweeper", context, section=_SWEEPER, status=status)


def _list_runs(sweeps: list[DocumentSweep]) -> list[Run]:
    names = selectors.names_of([trigger_id for sweep in sweeps for trigger_id in sweep.removed_by_trigger])
    drawn = make_bars([(str(sweep.pk), sweep.removed, "") for sweep in sweeps])
    return [
        Run(
            sweep=sweep,
            bar=bar,
            by_trigger=[(names.get(key, key), rows) for key, rows in sweep.removed_by_trigger.items()],
        )
        for sweep, bar in zip(sweeps, drawn, strict=True)
    ]
