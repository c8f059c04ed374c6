"""
The links of the message list that change one part of the filter, and what may help a list without messages:
to remove a filter, or a payload search, with the conditions that it lacks.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict
from django.urls import reverse

from messages_app.access import roles
from messages_app.access.permissions import needs_right
from messages_app.access.unmasking import reading_of
from messages_app.core.filters import address
from messages_app.core.lists import counts
from messages_app.core.lists.filter_form import Link, ListForm
from messages_app.core.pagination.paginator import Page
from messages_app.core.problems import Problem
from messages_app.messages.filters.message_filter import (
    ANYWHERE,
    ARCHIVED,
    CONTENT,
    FILTERS,
    MAX_PAYLOAD_SEARCH_RANGE_OF_PAGE,
    MessageFilter,
    read_list_filter,
)
from messages_app.messages.filters.vocabulary import LABELS
from messages_app.messages.selectors import message_page

_PLACES = (("Live", None), ("Archive", "true"), ("Both", ANYWHERE))
_FROM, _TO = "receive_timestamp_from", "receive_timestamp_to"
_MAX_RANGE = f"{MAX_PAYLOAD_SEARCH_RANGE_OF_PAGE.days} days"
# The range that a search without one begins with.
_DAYS = 7
# Why a range is wrong, and the days of the one that is offered instead, by the code of the error.
_RANGES = {
    "required": (f"It needs a time range of at most {_MAX_RANGE}.", _DAYS),
    "out_of_range": (f"Its time range is longer than {_MAX_RANGE}.", MAX_PAYLOAD_SEARCH_RANGE_OF_PAGE.days),
}


class FilterForm(ListForm):
    """The links for one address of the message list."""

    filters = FILTERS
    labels = LABELS
    # The query line has all filters.
    field_names = ()

    @property
    def received(self) -> list[Link]:
        """Ranges of receipt that end now, and all time."""
        return self.recent_ranges("receive_timestamp")

    @property
    def places(self) -> list[Link]:
        return self.one_of(ARCHIVED, _PLACES)

    @property
    def in_archive(self) -> str:
        return self.query_with(archived="true")


def list_removable_filters(filters: MessageFilter) -> list[str]:
    """Return the filters that a list without messages may do without; empty if it has only one."""
    names = [name for name in filters.values if name != ARCHIVED]
    if len(names) < 2:
        return []
    return [CONTENT] if CONTENT in names else names  # content may not be searched without its time range


def find_excluding_filters(filters: MessageFilter) -> list[str]:
    """Return the filters without which the list has a message, as far as the time allows."""
    return counts.find_excluding_filters(filters.values, list_removable_filters(filters), _read_page)


def _read_page(values: Mapping[str, object], *, page_size: int, patience: float) -> Page:
    return message_page(filters=MessageFilter(values), page_size=page_size, patience=patience)


@dataclass(frozen=True, kw_only=True)
class Missing:
    """
    A condition that a payload search does not meet.

    Args:
        sentence: names it.
        label, icon, url: of the link that meets it; empty if an administrator has to.
    """

    sentence: str
    label: str = ""
    icon: str = ""
    url: str = ""


@dataclass(frozen=True, kw_only=True)
class PayloadSearch:
    """A payload search that is offered for a text without a match, and the conditions that it lacks."""

    text: str
    url: str
    missing: list[Missing]


def offer_search(request: HttpRequest, text: str) -> PayloadSearch | None:
    """Return the search for a text in payloads of the last days; None without a text."""
    if not text or "\0" in text:
        return None
    params = address.as_query({CONTENT: text, _FROM: f"-{_DAYS}d"})
    return PayloadSearch(
        text=text, url=_address_of_list(params), missing=list(_missing_rights(request, params))
    )


def missing_conditions(request: HttpRequest, params: QueryDict, *, now: datetime) -> list[Missing]:
    """Return what a list with this address lacks for its payload search; empty if it has none."""
    if CONTENT not in params:
        return []
    sentence, complete = None, params
    for error in _range_errors(params, now):
        sentence, days = _RANGES[error]
        complete = params.copy()
        complete[_FROM] = f"-{days}d"
        complete.pop(_TO, None)
    missing = list(_missing_rights(request, complete))
    if sentence:
        label = f"Search the last {days} days"
        missing.append(Missing(sentence=sentence, label=label, icon="clock", url=_address_of_list(complete)))
    return missing


def _missing_rights(request: HttpRequest, params: QueryDict) -> Iterator[Missing]:
    reading = reading_of(request)
    if not reading.has_right:
        yield Missing(sentence=needs_right(roles.CAN_VIEW_PAYLOAD))
    elif reading.may_reveal:
        yield Missing(
            sentence="Values are masked in this session.",
            label="Show values and search",
            icon="eye",
            url=f"{reverse('reveal')}?{urlencode({'next': _address_of_list(params)})}",
        )


def _range_errors(params: QueryDict, now: datetime) -> Iterator[str]:
    """Yield the code of the error of the search's time range, if it has one."""
    try:
        read_list_filter(params, user=None, now=now)
    except Problem as problem:
        yield from (
            error.code for error in problem.errors if error.field == CONTENT and error.code in _RANGES
        )


def _address_of_list(params: QueryDict) -> str:
    return f"{reverse('message-list')}?{params.urlencode()}"
