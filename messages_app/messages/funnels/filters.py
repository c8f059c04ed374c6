"""The filters and orders of the list of funnels, for the page and the API."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import QueryDict

from messages_app.core.filters.table import Filter, filters_by_name, read_filters, text_filter, write_values
from messages_app.core.filters.values import parse_choice, parse_flag

BY_LONGEST_WAIT, BY_MOST_WAITING = "longest", "most"


FILTERS = filters_by_name(
    text_filter("value", 50),
    text_filter("component", 50),
    Filter(name="blocked", lookup="", parse=parse_flag),
    Filter(name="ordering", lookup="", parse=parse_choice, choices=(BY_LONGEST_WAIT, BY_MOST_WAITING)),
)


@dataclass(frozen=True, kw_only=True)
class FunnelFilter:
    """
    The filters and the order of the list of funnels.

    Args:
        value: a funnel value.
        component: the id of a funnel component.
        blocked: only lanes with waiting messages.
        ordering: "longest": longest wait first; "most": most waiting messages first. Lanes without waiting
            messages are last, the ones held longest first.
    """

    value: str | None = None
    component: str | None = None
    blocked: bool = False
    ordering: str = BY_LONGEST_WAIT

    def as_query(self) -> str:
        """Return the canonical query string of the filter and its order."""
        return urlencode(write_values(FILTERS, {name: value for name, value in vars(self).items() if value}))


def parse_funnel_filter(
    params: QueryDict, *, other_parameters: frozenset[str] = frozenset({"cursor", "page_size"})
) -> FunnelFilter:
    """
    Return the filter of a query string.

    Raises:
        Problem: 400, with an entry for each invalid parameter.
    """
    return FunnelFilter(**read_filters(FILTERS, params, other_parameters=other_parameters))
