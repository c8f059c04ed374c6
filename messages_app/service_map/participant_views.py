"""The pages of one service and of one external system."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from messages_app.access import roles
from messages_app.core.clock import database_clock
from messages_app.messages.metrics.failing import count_failing_by_service
from messages_app.service_map.flows import choose_tone, find_causes
from messages_app.service_map.participants import (
    Kind,
    Participant,
    read_figures,
    read_incidents,
)
from messages_app.service_map.targets.months import read_months
from messages_app.service_map.targets.services import read_profile
from messages_app.service_map.trend import draw_trend
from messages_app.service_map.views import VIEWS


@VIEWS.shows_page
def show_participant(request: HttpRequest, kind: Kind, name: str) -> HttpResponse:
    return render_participant(request, get_participant_or_404(kind, name))


def get_participant_or_404(kind: Kind, name: str) -> Participant:
    participant = Participant(kind, name)
    if participant.is_valid() and (participant.is_known() or any(read_incidents(participant))):
        return participant
    raise Http404(f"Nothing is known about the {kind} {name!r}.")


def render_participant(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Render the page of a service or system."""
    now = database_clock()
    profile = read_profile(participant)
    figures = read_figures(participant, now)
    opened, closed = read_incidents(participant)
    if participant.is_service:
        failing_now = count_failing_by_service()[participant.name]
    else:
        failing_now = sum(line.failing_now for line in opened)
    causes = find_causes(opened)
    context = {
        "participant": participant,
        "figures": figures,
        "trend": draw_trend(figures.hours),
        "failing_now": failing_now,
        "is_owned": bool(opened) and all(line.incident.owner for line in opened),
        "opened": opened,
        "closed": closed,
        "profile": profile,
        "months": read_months(participant, profile, now),
        "may_change": request.user.has_perm(roles.CAN_CHANGE_WATCH_RULES),
        "flows": [(flow, p95, choose_tone(flow, causes)) for flow, p95 in figures.flows],
    }
    return render(request, "messages_app/service_map/participant.html", context)
