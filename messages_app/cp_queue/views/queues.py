"""
The first page of the CP queue, with the figures of its queues; and the page of one queue, where it is
paused.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode

from messages_app.access.actors import actor_of
from messages_app.access.decorators import check_right
from messages_app.core.charts.bars import Bar, Share, make_bars, make_shares
from messages_app.core.charts.sparklines import Spark, make_sparkline
from messages_app.core.formatting import format_number
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.reason_form import ReasonForm
from messages_app.core.undo import UNDONE, Undo, offer_undo
from messages_app.cp_queue import parameters, registration, selectors
from messages_app.cp_queue.models import CpPause
from messages_app.cp_queue.parameters import InvalidParameter
from messages_app.cp_queue.selectors import QueueCounts
from messages_app.cp_queue.selectors.throughput import OfType, Pace, measure_paces, object_types
from messages_app.cp_queue.services import operators
from messages_app.cp_queue.states import QUEUES, Queue
from messages_app.cp_queue.views import PAGES, VIEWS

_SECTION = "cp-queues"
# Limited, because each line counts up to some thousand rows.
_LINES = 25


@dataclass(frozen=True, kw_only=True)
class Line:
    """
    One queue as pages draw it.

    Args:
        about: the vendor's description; None for a queue with any other name.
        shares: distinct objects, what pickups will collapse, and reserved messages; none of an empty queue.
        pace: dispatches by five minutes; lost: lost pickups by hour.
    """

    counts: QueueCounts
    about: Queue | None
    shares: list[Share]
    pace: Pace
    spark: Spark
    lost: Spark


@VIEWS.shows_page
@takes_parameters("after")
def queue_list(request: HttpRequest) -> HttpResponse:
    names = selectors.queue_names()
    after = request.GET.get("after", "")
    page = [name for name in names if name > after][:_LINES]
    lines = _list_lines(page)
    is_empty = not any(line.counts.total for line in lines)
    has_history = any(line.pace.total or line.counts.paused_at or line.about is None for line in lines)
    context = {
        "lines": lines,
        "hint_of_counts": f"Counts are capped at {format_number(selectors.COUNTED)}",
        "dead": [each for each in selectors.service_states() if each.is_probably_dead],
        "is_empty": is_empty,
        "is_unused": is_empty and not has_history and not after,
        "next": urlencode({"after": page[-1]}) if page and page[-1] != names[-1] else "",
        "is_first": not after,
    }
    return PAGES.render_page(request, "queues", context, section=_SECTION)


@VIEWS.shows_page
@takes_parameters("queuename")
def queue_page(request: HttpRequest) -> HttpResponse:
    return _queue_page(request, _read_queue(request.GET.get("queuename", "")), ReasonForm())


@VIEWS.takes_form
def switch_queue(request: HttpRequest, how: str) -> HttpResponse:
    """Pause or resume a queue; `how` is pause or resume."""
    check_right(request, registration.CAN_STEER_CP_QUEUE, action=f"{how}_cp_queue")
    name = _read_queue(request.POST.get("queuename", ""))
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return _queue_page(request, name, form, status=400)
    reason = form.cleaned_data["reason"]
    if operators.switch_queue(queue=name, how=how, actor=actor_of(request), reason=reason):
        done = "Queue paused. Services get no messages from it." if how == "pause" else "Queue resumed."
        back = "cp-queue-resume" if how == "pause" else "cp-queue-pause"
        undo = Undo(address=reverse(back), fields={"queuename": name, "reason": UNDONE})
        offer_undo(request, done, undo)
    else:
        notices.warning(request, f"Nothing was changed: the queue is already {how}d.")
    return redirect(address_of(name))


def address_of(queue: str) -> str:
    """Return the address of a queue's page. Names may have any character, so the name is in the query."""
    return f"{reverse('cp-queue')}?{urlencode({'queuename': queue})}"


def _read_queue(text: str) -> str:
    """Return the queue of an address. Raises Problem: 400, it is not a name."""
    try:
        return parameters.stored_queue_name(text, field="queuename")
    except InvalidParameter as error:
        raise error.as_problem() from None


def _queue_page(request: HttpRequest, name: str, form: ReasonForm, status: int = 200) -> HttpResponse:
    (line,) = _list_lines([name])
    context = {
        "line": line,
        "pause": CpPause.objects.filter(pk=name).first(),
        "services": [each for each in selectors.service_states() if name in each.queues.split(",")],
        "next_pickup": selectors.preview_pickup(queues=[name]),
        "types": _list_types(name),
        "form": form,
    }
    return PAGES.render_page(request, "queue", context, section=_SECTION, status=status)


def _list_types(name: str) -> list[tuple[OfType, Bar]]:
    types = object_types(name)
    drawn = make_bars([(str(each.object_type), each.messages, "") for each in types])
    return list(zip(types, drawn, strict=True))


def _list_lines(names: Sequence[str]) -> list[Line]:
    if not names:
        return []
    paces = measure_paces(names)
    return [_make_line(counts, paces[counts.name]) for counts in selectors.queue_counts(queues=names)]


def _make_line(counts: QueueCounts, pace: Pace) -> Line:
    parts = [("free", counts.objects), ("skipped", counts.surplus), ("reserved", counts.reserved)]
    return Line(
        counts=counts,
        about=QUEUES.get(counts.name),
        shares=make_shares(parts, whole=counts.total) if counts.total else [],
        pace=pace,
        spark=make_sparkline(
            pace.dispatched, marked=pace.failed, unknown=len(pace.dispatched) - pace.read_slices
        ),
        lost=make_sparkline(pace.lost),
    )
