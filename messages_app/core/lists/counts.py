"""The number of rows of a list: an estimate immediately, an exact count on request with a time limit."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.db import OperationalError

from messages_app.core.clock import TooSlow, time_limit
from messages_app.core.pagination.keyset import M
from messages_app.core.pagination.paginator import Page

EXACT_COUNT_MS = 2000


@dataclass(frozen=True, kw_only=True)
class Counted:
    """
    Args:
        number: the number of rows.
        is_exact: whether the rows were counted; otherwise it is the planner's estimate, because counting took
            too long.
    """

    number: int
    is_exact: bool

    @property
    def seconds(self) -> int:
        """The time limit for counting."""
        return EXACT_COUNT_MS // 1000


def count_or_estimate(exact: Callable[[], int], estimate: Callable[[], int]) -> Counted:
    """Return the result of `exact` or, after its time limit, of `estimate`."""
    try:
        return Counted(number=exact(), is_exact=True)
    except TooSlow:
        return Counted(number=estimate(), is_exact=False)


# The total time for all checks is about the same as for the list itself.
_MS_PER_CHECK = 150
_MAX_CHECKS = 6


def find_excluding_filters(
    values: Mapping[str, object], names: Sequence[str], fetch: Callable[..., Page[M]]
) -> list[str]:
    """
    Return the filters without which the list would have a row, as far as the time allows.

    Args:
        values: the values of the list's filters, by name.
        names: the filters that may be removed.
        fetch: returns the first page of the list with other values; takes `page_size` rows and `patience`
            seconds.
    """
    return [name for name in names[:_MAX_CHECKS] if _has_rows_in_time(fetch, _without_filter(values, name))]


def _without_filter(values: Mapping[str, object], name: str) -> dict[str, object]:
    return {other: value for other, value in values.items() if other != name}


def _has_rows_in_time(fetch: Callable[..., Page[M]], values: Mapping[str, object]) -> bool:
    """Whether a list has a row that a check finds in time; a slow list counts as empty."""
    try:
        with time_limit(_MS_PER_CHECK):
            return bool(fetch(values, page_size=1, patience=_MS_PER_CHECK / 1000).rows)
    except OperationalError:
        return False


MAX_COUNTED = 99
# Everyone who has the list open asks repeatedly.
MAX_MILLISECONDS = 300


@dataclass(frozen=True, kw_only=True)
class Newer:
    """
    Args:
        number: the number of rows, at most MAX_COUNTED.
        are_more: whether there are more than these.
        was_too_slow: counting took too long, and should not be repeated.
    """

    number: int = 0
    are_more: bool = False
    was_too_slow: bool = False


def count_newer(fetch: Callable[..., Page[M]]) -> Newer:
    """
    Count the rows that are new before a page.

    Args:
        fetch: returns the page at the `newer_cursor` of the first page; takes `page_size` rows and `patience`
            seconds.

    Raises:
        Problem: raised by `fetch`: the list has no such order, or the cursor is of another list.
    """
    try:
        with time_limit(MAX_MILLISECONDS):
            page = fetch(page_size=MAX_COUNTED, patience=MAX_MILLISECONDS / 1000)
    except TooSlow:
        return Newer(was_too_slow=True)
    return Newer(number=len(page.rows), are_more=page.previous_cursor is not None)
