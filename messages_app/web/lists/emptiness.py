"""Why a list is empty: which one filter, taken away, would let a row through."""

from collections.abc import Callable, Mapping, Sequence

from django.db import OperationalError

from messages_app.web.paging import Page
from messages_app.web.time_limits import time_limit

# All looks together may take about as long as the list itself.
_MS_PER_LOOK = 150
_MAX_LOOKS = 6


def culprits(values: Mapping[str, object], names: Sequence[str], fetch: Callable[..., Page]) -> list[str]:
    """
    Return the names of filters whose absence would show a row; those found in time.

    Args:
        values: of the list's filters, by name.
        names: those that may be taken away.
        fetch: returns the first page of the list that has other values, of `page_size` rows, looked for for
            `patience` seconds.
    """
    return [name for name in names[:_MAX_LOOKS] if _shows_something(fetch, _without(values, name))]


def _without(values: Mapping[str, object], name: str) -> dict[str, object]:
    return {other: value for other, value in values.items() if other != name}


def _shows_something(fetch: Callable[..., Page], values: Mapping[str, object]) -> bool:
    try:
        with time_limit(_MS_PER_LOOK):
            return bool(fetch(values, page_size=1, patience=_MS_PER_LOOK / 1000).rows)
    except OperationalError:
        return False
