"""How many rows stand before a page's first row since it was read."""

from collections.abc import Callable
from dataclasses import dataclass

from django.db import OperationalError

from messages_app.web.paging import Page
from messages_app.web.time_limits import time_limit, was_too_slow

MOST_COUNTED = 99
# It is asked again and again, by everybody who has the list open.
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


def newer(fetch: Callable[..., Page]) -> Newer:
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
