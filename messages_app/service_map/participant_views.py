"""The pages of one service and of one external system."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode

from messages_app.access import roles
from messages_app.service_map.overviews import read_overview
from messages_app.service_map.participants import Kind, Participant, find_participant
from messages_app.service_map.trend import draw_trend
from messages_app.service_map.views import VIEWS


@VIEWS.shows_page
def show_participant(request: HttpRequest, kind: Kind, name: str) -> HttpResponse:
    return render_participant(request, get_participant_or_404(kind, name))


def get_participant_or_404(kind: Kind, name: str) -> Participant:
    participant = find_participant(kind, name)
    if participant is None:
        raise Http404(f"Nothing is known about the {kind} {name!r}.")
    return participant


def render_participant(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Render the page of a service or system."""
    overview = read_overview(participant)
    context = {
        "overview": overview,
        "participant": participant,
        "figures": overview.figures,
        "failing": _link_failing(participant),
        "trend": draw_trend(overview.figures.hours),
        "may_change": request.user.has_perm(roles.CAN_CHANGE_WATCH_RULES),
    }
    return render(request, "messages_app/service_map/participant.html", context)


def _link_failing(participant: Participant) -> str:
    """Return the address of the failing messages of a service, or of the open incidents of a system."""
    if participant.is_service:
        query = {"service_name": participant.name, "state": "FAILED"}
        return f"{reverse('message-list')}?{urlencode(query)}"
    query = {"state": "open", "external_system": participant.name}
    return f"{reverse('incident-list')}?{urlencode(query)}"
