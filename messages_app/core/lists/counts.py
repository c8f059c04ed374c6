"""The number of rows of a list: an estimate immediately, an exact count on request with a time limit."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.db import OperationalError

from messages_app.core.clock import time_limit, was_too_slow
from messages_app.core.pagination.keyset import M
from messages_app.core.pagination.paginator import Page

EXACT_COUNT_MS = 2000


@dataclass(frozen=True, kw_only=True)
class Counted:
    """
    Args:
        number: rows.
        is_exact: they were counted; else it is the planner's estimate, because counting took too long.
    """

    number: int
    is_exact: bool

    @property
    def seconds(self) -> int:
        """How long counting may take."""
        return EXACT_COUNT_MS // 1000


def counted(exact: Callable[[], int], estimate: Callable[[], int]) -> Counted:
    """Return what `exact` counts; past its time limit, what `estimate` says."""
    try:
        return Counted(number=exact(), is_exact=True)
    except OperationalError as error:
        if not was_too_slow(error):
            raise
        return Counted(number=estimate(), is_exact=False)


# Why a list is empty: which one filter, taken away, would let a row through.


# All looks together may take about as long as the list itself.
_MS_PER_LOOK = 150
_MAX_LOOKS = 6


def culprits(values: Mapping[str, object], names: Sequence[str], fetch: Callable[..., Page[M]]) -> list[str]:
    """
    Return the names of filters whose absence would show a row; those found in time.

    Args:
        values: of the list's filters, by name.
        names: the ones that may be taken away.
        fetch: returns the first page of the list that has other values, of `page_size` rows, looked for for
            `patience` seconds.
    """
    return [name for name in names[:_MAX_LOOKS] if _shows_something(fetch, _without(values, name))]


def _without(values: Mapping[str, object], name: str) -> dict[str, object]:
    return {other: value for other, value in values.items() if other != name}


def _shows_something(fetch: Callable[..., Page[M]], values: Mapping[str, object]) -> bool:
    try:
        with time_limit(_MS_PER_LOOK):
            return bool(fetch(values, page_size=1, patience=_MS_PER_LOOK / 1000).rows)
    except OperationalError:
        return False


# How many rows are before a page's first row since it was read.


MOST_COUNTED = 99
# It is asked again and again, by everyone who has the list open.
MAX_MILLISECONDS = 300


@dataclass(frozen=True, kw_only=True)
class Newer:
    """
    Args:
        number: rows, at most MOST_COUNTED.
        are_more: there are more than those.
        was_too_slow: looking took too long, and need not be tried again.
    """

    number: int = 0
    are_more: bool = False
    was_too_slow: bool = False


def newer(fetch: Callable[..., Page[M]]) -> Newer:
    """
    Return what is new before a page.

    Args:
        fetch: returns the page at the first one's `newer_cursor`, of `page_size` rows, looked for for
            `patience` seconds.

    Raises:
        Problem: `fetch` raised it: the list has no such order, or the cursor is of another list.
    """
    try:
        with time_limit(MAX_MILLISECONDS):
            page = fetch(page_size=MOST_COUNTED, patience=MAX_MILLISECONDS / 1000)
    except OperationalError as error:
        if not was_too_slow(error):
            raise
        return Newer(was_too_slow=True)
    return Newer(number=len(page.rows), are_more=page.previous_cursor is not None)
