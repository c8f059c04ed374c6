"""The map: services, external systems, and the calls between them."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from messages_app.access import roles
from messages_app.access.actors import user_of
from messages_app.access.decorators import PageViews
from messages_app.core.clock import database_clock
from messages_app.core.lists.filter_form import Link
from messages_app.dashboard.tiles import read_store_tiles
from messages_app.incidents.listing import open_incidents
from messages_app.messages.call_counts.selectors import read_counting, read_flows
from messages_app.messages.metrics.counts import count_ends
from messages_app.service_map.drawing import draw_picture
from messages_app.service_map.flows import (
    DEFAULT_WINDOW,
    LATELY,
    WINDOWS,
    choose_nodes,
    choose_tone,
    find_causes,
    join_edges,
    mark_nodes,
)

VIEWS = PageViews(roles.CAN_VIEW_MESSAGES)

_MAX_ROWS = 100


@VIEWS.shows_page
def show_map(request: HttpRequest) -> HttpResponse:
    chosen = read_window(request)
    now = database_clock()
    since = WINDOWS[chosen].find_start(now)
    flows = read_flows(since=since, lately=now - LATELY)
    causes = find_causes(open_incidents())
    calling = [(flow.service_name, flow.calls) for flow in flows]
    services = choose_nodes([*calling, *((name, 0) for name in count_ends(since=since))])
    systems = choose_nodes((flow.external_system, flow.calls) for flow in flows)
    edges = join_edges(flows, services, systems, causes)
    picture = draw_picture(
        mark_nodes(services, ((edge.service, edge.tone) for edge in edges)),
        mark_nodes(systems, ((edge.system, edge.tone) for edge in edges)),
        edges,
    )
    context = {
        "picture": picture,
        "rows": [(flow, choose_tone(flow, causes)) for flow in flows[:_MAX_ROWS]],
        "all_rows": len(flows),
        "window": chosen,
        "window_words": WINDOWS[chosen].words,
        "windows": link_windows(reverse("map"), chosen),
        "counting": read_counting(),
        "since": since,
        "store_tiles": read_store_tiles(user_of(request)),
    }
    return render(request, "messages_app/service_map/map.html", context)


def read_window(request: HttpRequest) -> str:
    """Return the name of the chosen window."""
    window = request.GET.get("window", DEFAULT_WINDOW)
    return window if window in WINDOWS else DEFAULT_WINDOW


def link_windows(address: str, chosen: str) -> list[Link]:
    """Return the links that choose a window."""
    return [
        Link(text=window.words, query=f"{address}?window={name}", is_on=name == chosen)
        for name, window in WINDOWS.items()
    ]
