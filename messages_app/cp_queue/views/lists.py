"""The messages, and the log of dispatches drawn over time, as lists with filters."""

from collections.abc import Mapping
from datetime import timedelta

from django.http import HttpRequest, HttpResponse

from messages_app.core.charts.bars import age_share
from messages_app.core.lists.filter_form import Link, ListForm, badge_links
from messages_app.core.lists.views import Chart, ListRequest
from messages_app.core.page_parameters import checks_parameters
from messages_app.cp_queue.selectors.log import DISPATCHES, MESSAGES, dispatch_page
from messages_app.cp_queue.selectors.messages import describe_messages, message_page
from messages_app.cp_queue.selectors.throughput import count_dispatches_over_time
from messages_app.cp_queue.states import OUTCOMES, STATES, Outcome
from messages_app.cp_queue.views import PAGES, VIEWS

_ORDER_WORDS = {"-created": "Newest first", "created": "Oldest first"}
_CHART = Chart(
    column="at",
    count=count_dispatches_over_time,
    usual=timedelta(hours=1),
    longest=timedelta(days=400),
    from_ground=[Outcome.DONE, Outcome.DEFERRED, Outcome.PARKED, Outcome.FAILED],
    cut_note="only the newest are shown",
)


class MessagesForm(ListForm):
    """The form of the messages."""

    filters = MESSAGES
    labels: Mapping[str, str] = {
        "queuename": "Queue",
        "lock_service": "Reserved by",
        "osid": "Object",
        "created_from": "Created from",
        "created_to": "Created to",
        "state": "State",
    }
    field_names = ("queuename", "lock_service", "osid", "created_from", "created_to")
    first_names = ("queuename", "lock_service", "osid")
    linked_names = ("state",)

    states = badge_links("state", STATES)

    @property
    def orders(self) -> list[Link]:
        return self.in_order(_ORDER_WORDS)


class DispatchesForm(ListForm):
    """The form of the log."""

    filters = DISPATCHES
    labels: Mapping[str, str] = {
        "queuename": "Queue",
        "service": "Service",
        "osid": "Object",
        "messageguid": "Message",
        "outcome": "Outcome",
        "at_from": "From",
        "at_to": "To",
    }
    field_names = ("queuename", "service", "osid", "messageguid", "at_from", "at_to")
    first_names = ("queuename", "service", "osid")
    linked_names = ("outcome",)

    outcomes = badge_links("outcome", OUTCOMES)

    @property
    def times(self) -> list[Link]:
        return self.recent_ranges("at")


@VIEWS.shows_page
@checks_parameters
def message_list(request: HttpRequest) -> HttpResponse:
    return PAGES.answer_list(request, "messages", MessagesForm, _make_message_context, section="cp-messages")


def _make_message_context(requested: ListRequest) -> Mapping[str, object]:
    ordering = requested.form.params.get("ordering")
    page = message_page(values=requested.values, ordering=ordering, **requested.paging)
    lines = [
        (one, age_share(max(requested.now - one.created, timedelta())))
        for one in describe_messages(page.rows)
    ]
    return {
        "lines": lines,
        **requested.describe_page(page, ordering or "-created"),
    }


@VIEWS.shows_page
@checks_parameters
def dispatch_list(request: HttpRequest) -> HttpResponse:
    return PAGES.answer_list(
        request, "dispatches", DispatchesForm, _make_log_context, section="cp-dispatches"
    )


def _make_log_context(requested: ListRequest) -> Mapping[str, object]:
    page = dispatch_page(values=requested.values, **requested.paging)
    return {
        "lines": page.rows,
        "picture": _CHART.draw_picture(requested),
        **requested.describe_page(page, "-at"),
    }
