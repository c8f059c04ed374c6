"""The map of services, external systems, and the calls between them."""

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse

from messages_app.access import roles
from messages_app.access.actors import user_of
from messages_app.access.decorators import PageViews
from messages_app.core.lists.filter_form import Link, ListForm
from messages_app.core.lists.views import ListRequest
from messages_app.core.page_parameters import checks_parameters
from messages_app.core.store_pages import StorePages
from messages_app.dashboard.tiles import read_store_tiles
from messages_app.service_map.drawing import Picture, draw_picture
from messages_app.service_map.flows import DEFAULT_WINDOW, WINDOWS, Edge, join_edges, mark_nodes
from messages_app.service_map.reading import MAP, ServiceMap, read_map

VIEWS = PageViews(roles.CAN_VIEW_MESSAGES)
PAGES = StorePages(folder="service_map")

_MAX_ROWS = 60


class MapForm(ListForm):
    """The filters of the map, each of which is links."""

    filters = MAP
    labels: Mapping[str, str] = {
        "window": "Time range",
        "service_name": "Service",
        "external_system": "System",
        "failing": "Only failing",
    }
    field_names = ()
    linked_names = tuple(MAP)

    @property
    def windows(self) -> list[Link]:
        chosen = self.params.get("window", DEFAULT_WINDOW)
        return [
            Link(text=window.words, query=self.query_with(window=name), is_on=name == chosen)
            for name, window in WINDOWS.items()
        ]

    @property
    def failing(self) -> list[Link]:
        return self.one_of("failing", [("All calls", None), ("Failing", "true")])


@VIEWS.shows_page
@checks_parameters
def show_map(request: HttpRequest) -> HttpResponse:
    return PAGES.answer_list(
        request,
        "map",
        MapForm,
        _make_context,
        section="map",
        make_more=lambda _: {"store_tiles": read_store_tiles(user_of(request))},
    )


def _make_context(requested: ListRequest) -> Mapping[str, object]:
    service_map, form = read_map(requested.values), requested.form
    picture = _draw_map(service_map)
    return {
        "map": service_map,
        "picture": picture,
        "window_words": WINDOWS[service_map.window].words,
        "rows": service_map.flows[:_MAX_ROWS],
        "menus": [
            _link_names(form, "service_name", [node.name for node in picture.services]),
            _link_names(form, "external_system", [node.name for node in picture.systems]),
        ],
        "curves": [(curve, _link_edge(form, curve.edge)) for curve in picture.curves],
    }


def _link_edge(form: ListForm, edge: Edge) -> str:
    """Return the address that shows only this edge; of joined ones that of the table."""
    if not (edge.service and edge.system):
        return "#flows"
    return form.query_with(service_name=edge.service, external_system=edge.system)


def _draw_map(service_map: ServiceMap) -> Picture:
    services, systems = service_map.choose_services(), service_map.choose_systems()
    edges = join_edges(service_map.flows, services, systems)
    is_narrowed = service_map.is_narrowed
    return draw_picture(
        mark_nodes(services, ((edge.service, edge.tone) for edge in edges), is_narrowed=is_narrowed),
        mark_nodes(systems, ((edge.system, edge.tone) for edge in edges), is_narrowed=is_narrowed),
        edges,
    )


def _link_names(form: ListForm, name: str, names: list[str]) -> tuple[str, list[Link]]:
    """Return the title of a menu, and the links that choose one of these names, or any."""
    links = form.one_of(name, [("All", None), *((one, one) for one in names if one)])
    title = form.params.get(name) or f"All {'services' if name == 'service_name' else 'systems'}"
    return title, links
