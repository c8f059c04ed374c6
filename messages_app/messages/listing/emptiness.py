"""Why the list of messages is empty."""

from collections.abc import Mapping

from messages_app.messages.filtering.filters import ARCHIVED, CONTENT, MessageFilter
from messages_app.messages.queries import message_page
from messages_app.web.lists import emptiness
from messages_app.web.paging import Page


def culprits(filters: MessageFilter) -> list[str]:
    """Return the names of filters whose absence would show a message; those found in time."""
    names = [name for name in filters.values if name != ARCHIVED]
    if len(names) < 2:
        return []
    if CONTENT in names:
        names = [CONTENT]  # without its time range it may not be searched
    return emptiness.culprits(filters.values, names, _page)


def _page(values: Mapping[str, object], *, page_size: int, patience: float) -> Page:
    return message_page(filters=MessageFilter(values), page_size=page_size, patience=patience)
