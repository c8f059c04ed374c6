"""The filters and orders of the list of funnels, for the page and the API."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import QueryDict

from messages_app.web.filters.table import Filter, read, table, text_filter, words
from messages_app.web.filters.values import parse_choice, parse_flag
from messages_app.web.problems import bad_input

LONGEST, MOST = "longest", "most"

FILTERS = table(
    text_filter("value", 50),
    text_filter("component", 50),
    Filter(name="blocked", lookup="", parse=parse_flag),
    Filter(name="ordering", lookup="", parse=parse_choice, choices=(LONGEST, MOST)),
)


@dataclass(frozen=True, kw_only=True)
class FunnelFilter:
    """
    What the list of funnels is narrowed to.

    Args:
        value: a funnel value.
        component: the id of a funnel component.
        blocked: only where somebody waits.
        ordering: "longest": who waits longest is first; "most": where most wait is first. Where nobody waits,
            who holds longest.
    """

    value: str | None = None
    component: str | None = None
    blocked: bool = False
    ordering: str = LONGEST

    def as_query(self) -> str:
        """Return the canonical query string of the filter and its order."""
        return urlencode(words(FILTERS, {name: value for name, value in vars(self).items() if value}))


def parse(params: QueryDict, *, besides: frozenset[str] = frozenset({"cursor", "page_size"})) -> FunnelFilter:
    """
    Return the filter that a query string means.

    Raises:
        Problem: 400 with an entry for each parameter at fault.
    """
    values, errors = read(FILTERS, params, besides=besides)
    if errors:
        raise bad_input(errors)
    return FunnelFilter(**values)
