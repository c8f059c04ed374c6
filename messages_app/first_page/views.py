"""The first page: what is wrong now, since when, and where to go."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.gate import requires
from messages_app.first_page.drawing import drawn
from messages_app.first_page.tiles import WINDOWS, tiles
from messages_app.messages.failing.states import PRESSING_STATES
from messages_app.messages.rollups.queries import freshness

_DEFAULT_WINDOW = "24h"
_FOLDER = "messages_app/first_page"


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def dashboard(request: HttpRequest) -> HttpResponse:
    return render(request, f"{_FOLDER}/dashboard.html", _context(request))


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def dashboard_part(request: HttpRequest) -> HttpResponse:
    """Answer the tiles alone, for the page that is open."""
    return render(request, f"{_FOLDER}/_tiles.html", _context(request))


def _context(request: HttpRequest) -> dict[str, object]:
    window = request.GET.get("window", _DEFAULT_WINDOW)
    window = window if window in WINDOWS else _DEFAULT_WINDOW
    found = {tile.name: tile for tile in tiles(window)}
    flow = found["flow"].content
    at, seconds = freshness()
    return {
        "tiles": found,
        "flow": flow and drawn(flow),
        "window": window,
        "windows": list(WINDOWS),
        "counted_at": at,
        "counted_seconds": seconds,
        "pressing_states": [str(state) for state in PRESSING_STATES],
    }
