"""The page of all failure groups, with its filter and its orders."""

from collections.abc import Callable, Mapping

from django.http import HttpRequest, HttpResponse

from messages_app.access import roles
from messages_app.access.decorators import PageViews
from messages_app.core.filters.table import Filter, filters_by_name, text_filter
from messages_app.core.filters.values import parse_choice
from messages_app.core.lists.filter_form import Link, ListForm
from messages_app.core.lists.table import Sorting, make_sortings
from messages_app.core.lists.views import ListRequest
from messages_app.core.page_parameters import checks_parameters
from messages_app.core.problems import bad_field
from messages_app.core.store_pages import StorePages
from messages_app.messages.failures.listing import (
    MAX_SERVICE,
    MAX_TEXT,
    ORDERS,
    URGENCY,
    GroupQuery,
    find_groups,
)
from messages_app.messages.failures.selectors import MAX_GROUPS
from messages_app.messages.first_steps import first_steps
from messages_app.messages.metrics.failing import failing_now
from messages_app.messages.metrics.polling import polling_state
from messages_app.shared.system_names import MAX_SYSTEM

PAGES = StorePages(folder="failures", rights={"may_change": roles.CAN_CHANGE_GROUPS})
VIEWS = PageViews(roles.CAN_VIEW_MESSAGES)

# By the values in the address: the label, and what they show of all groups. `mine` is by user.
_SHOWS: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "open": ("Failing", {"is_failing": True}),
    "mine": ("Mine", {}),
    "unowned": ("Unowned", {"is_failing": True, "owner": ""}),
    "unreviewed": ("Not reviewed", {"is_failing": True, "presses": True}),
    "ended": ("None failing", {"is_failing": False}),
    "all": ("All", {}),
}
_OPEN, _MINE = "open", "mine"
_FILTERS = filters_by_name(
    Filter(name="show", lookup="", parse=parse_choice, choices=tuple(_SHOWS)),
    text_filter("text", MAX_TEXT),
    text_filter("service_name", MAX_SERVICE),
    text_filter("external_system", MAX_SYSTEM),
)


class FailuresForm(ListForm):
    """The form of the list."""

    filters = _FILTERS
    labels: Mapping[str, str] = {
        "text": "Search",
        "service_name": "Service",
        "external_system": "System",
        "show": "Show",
    }
    field_names = ("text", "service_name", "external_system")
    linked_names = ("show",)
    hints: Mapping[str, str] = {"text": "Cause, code, name"}

    @property
    def shows(self) -> list[Link]:
        return self.one_of(
            "show", [(label, None if name == _OPEN else name) for name, (label, _) in _SHOWS.items()]
        )

    @property
    def sortings(self) -> Mapping[str, Sorting]:
        """The orders that the heads of columns offer."""
        return make_sortings(self, [name for name in ORDERS if name != URGENCY])


def _make_list(user: str) -> Callable[[ListRequest], Mapping[str, object]]:
    def fetch_list(requested: ListRequest) -> Mapping[str, object]:
        params, values = requested.form.params, dict(requested.values)
        part = values.pop("show", _OPEN)
        ordering = params.get("ordering", URGENCY)
        if ordering not in ORDERS:
            raise bad_field("ordering", "invalid_value", f"ordering must be one of {', '.join(ORDERS)}.")
        query = GroupQuery(
            **{**_SHOWS[part][1], **({"owner": user} if part == _MINE else {}), **values},
            ordering=ordering,
            most=min(requested.paging["page_size"], MAX_GROUPS),
        )
        failing = failing_now()
        groups = find_groups(failing, query)
        return {
            "groups": groups,
            "failing": failing,
            "order": ORDERS[ordering],
            "is_usual": part == _OPEN and not values,
            "first_steps": None if groups.groups else first_steps(),
            "more": requested.form.query_with(page_size=str(MAX_GROUPS)),
        }

    return fetch_list


@VIEWS.shows_page
@checks_parameters
def failure_list(request: HttpRequest) -> HttpResponse:
    return PAGES.answer_list(
        request,
        "list",
        FailuresForm,
        _make_list(request.user.get_username()),
        section="",
        make_more=lambda form: {"polling": polling_state()},
    )
