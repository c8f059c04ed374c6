"""Why a list is empty: which one filter, taken away, would let a message through."""

from django.db import OperationalError

from messages_app.messages.filtering.filters import ARCHIVED, CONTENT, MessageFilter
from messages_app.messages.queries import message_page
from messages_app.web.time_limits import time_limit

# All looks together may take about as long as the list itself.
_MS_PER_LOOK = 150
_MAX_LOOKS = 6


def culprits(filters: MessageFilter) -> list[str]:
    """Return the names of filters whose absence would show a message; those found in time."""
    names = [name for name in filters.values if name != ARCHIVED]
    if len(names) < 2:
        return []
    if CONTENT in names:
        names = [CONTENT]  # without its time range it may not be searched
    return [name for name in names[:_MAX_LOOKS] if _shows_something(_without(filters, name))]


def _without(filters: MessageFilter, name: str) -> MessageFilter:
    return MessageFilter({other: value for other, value in filters.values.items() if other != name})


def _shows_something(filters: MessageFilter) -> bool:
    try:
        with time_limit(_MS_PER_LOOK):
            return bool(message_page(filters=filters, page_size=1, patience=_MS_PER_LOOK / 1000).rows)
    except OperationalError:
        return False
