"""The services: their last polls, the messages that they hold, and which are probably dead."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django import forms
from django.conf import settings
from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from messages_app.access.actors import actor_of
from messages_app.access.decorators import check_right
from messages_app.core.badges import Badge
from messages_app.core.charts.bars import Bar, age_share, make_bars
from messages_app.core.clock import database_clock
from messages_app.core.formatting import count_of, format_duration
from messages_app.core.page_parameters import takes_parameters
from messages_app.cp_queue import parameters, registration, selectors
from messages_app.cp_queue.parameters import InvalidParameter
from messages_app.cp_queue.selectors import ServiceState
from messages_app.cp_queue.services.operators import MAX_AT_ONCE, dispatch_all_for_service
from messages_app.cp_queue.services.reset import Selection
from messages_app.cp_queue.states import STANDINGS, ServiceStanding
from messages_app.cp_queue.views import PAGES, VIEWS
from messages_app.cp_queue.views.messages import DispatchForm

# The order of the query.
MAX_SERVICES, MAX_HELD = 200, 250


@dataclass(frozen=True, kw_only=True)
class Line:
    """
    One service as the page draws it.

    Args:
        held: the bar of what it holds.
        age: how long the bar of its longest reservation is, in percent.
        queues: of its last poll.
    """

    service: ServiceState
    standing: Badge
    held: Bar
    age: int
    queues: list[str]


@VIEWS.shows_page
def service_list(request: HttpRequest) -> HttpResponse:
    states = selectors.service_states()
    context = {
        "lines": _list_lines(states, database_clock()),
        "is_cut": len(states) >= MAX_SERVICES,
        "most_held": MAX_HELD - 1,
        "hint_of_states": "Probably dead: it holds messages and has not polled for "
        + format_duration(timedelta(seconds=settings.CP_SILENT_SECONDS)),
    }
    return PAGES.render_page(request, "services", context, section="cp-services")


def _list_lines(states: Sequence[ServiceState], now: datetime) -> list[Line]:
    drawn = make_bars([(each.service, each.reserved, "") for each in states])
    return [_make_line(each, bar, now) for each, bar in zip(states, drawn, strict=True)]


def _make_line(service: ServiceState, bar: Bar, now: datetime) -> Line:
    silence = now - service.last_poll if service.last_poll else timedelta.max
    return Line(
        service=service,
        standing=STANDINGS[_judge_standing(service, silence)],
        held=bar,
        age=age_share(timedelta(seconds=service.longest_seconds or 0)),
        queues=[name for name in service.queues.split(",") if name],
    )


def _judge_standing(service: ServiceState, silence: timedelta) -> ServiceStanding:
    if service.is_probably_dead:
        return ServiceStanding.DEAD
    if service.reserved:
        return ServiceStanding.WORKING
    is_silent = silence.total_seconds() > settings.CP_SILENT_SECONDS
    return ServiceStanding.AWAY if is_silent else ServiceStanding.POLLING


class DispatchAllForm(DispatchForm):
    """The dispatch of everything, with the time of its count: a later reservation is by a living service."""

    counted_at = forms.DateTimeField(widget=forms.HiddenInput)


@VIEWS.shows_and_takes_form
@takes_parameters("service")
def dispatch_service(request: HttpRequest) -> HttpResponse:
    check_right(request, registration.CAN_STEER_CP_QUEUE, action="dispatch_cp_service")
    if request.method == "POST":
        return _dispatch_all(request)
    name = request.GET.get("service", "")
    initial = {"service": name, "counted_at": database_clock().isoformat()}
    return _render_service(request, name, DispatchAllForm(initial=initial))


def _dispatch_all(request: HttpRequest) -> HttpResponse:
    form = DispatchAllForm(request.POST)
    if not form.is_valid():
        return _render_service(request, request.POST.get("service", ""), form)
    values = form.cleaned_data
    try:
        outcomes = dispatch_all_for_service(
            service=values["service"],
            reason=values["result"],
            actor=actor_of(request),
            why=values["reason"],
            before=values["counted_at"],
        )
    except InvalidParameter as error:
        form.add_error("result" if error.field == "Reason" else None, str(error))
        return _render_service(request, values["service"], form)
    counts = ", ".join(f"{number} {outcome}" for outcome, number in sorted(outcomes.items()))
    done = count_of(sum(outcomes.values()), "message")
    notices.success(request, f"Dispatched {done}{f': {counts}' if counts else ''}.")
    return redirect("cp-services")


def _render_service(request: HttpRequest, name: str, form: DispatchAllForm) -> HttpResponse:
    try:
        held = selectors.count_selected(Selection(service=parameters.stored_service_name(name)))
    except InvalidParameter as error:
        raise Http404(str(error)) from error
    states = [each for each in selectors.service_states() if each.service == name]
    context = {
        "form": form,
        "name": name,
        "held": held,
        "most": MAX_AT_ONCE,
        "is_alive": any(not each.is_probably_dead for each in states),
    }
    status = 400 if form.errors else 200
    return PAGES.render_page(request, "dispatch_service", context, section="cp-services", status=status)
