"""The log of dispatches as a list, newest first."""

from collections.abc import Mapping

from messages_app.cp_queue.listing.filters import DISPATCHES
from messages_app.cp_queue.models import CpDispatch
from messages_app.cp_queue.spellings import spellings
from messages_app.web.filters.table import lookups, words
from messages_app.web.keyset import Branch, Order
from messages_app.web.paging import DEFAULT_PAGE_SIZE, Page, fetch_page

_NEWEST_FIRST = Order(column="dispatch_id", key="dispatch_id", descending=True)
# By the first of these that is asked for the log is read; each has an index of its own.
_CONSTANTS = ("osid", "service", "queuename")


def dispatch_page(
    *, values: Mapping[str, object], cursor: str | None = None, page_size: int = DEFAULT_PAGE_SIZE
) -> Page:
    """
    Return one page of the log.

    Args:
        values: of listing/filters.py DISPATCHES.

    Raises:
        Problem: 400, the cursor is of another list.
    """
    if "messageguid" in values:
        return _page(_of_message(values), values, cursor, page_size)
    constant, *others = [name for name in _CONSTANTS if name in values] or [None]
    plain = lookups(DISPATCHES, values) | {name: values[name] for name in others}
    rows = CpDispatch.objects.filter(**plain)
    branch = Branch(
        rows=rows,
        constant=constant and (constant, values[constant]),
        # The other conditions may hold for few.
        walk=CpDispatch.objects.all() if plain else None,
    )
    return _page(branch, values, cursor, page_size)


def _of_message(values: Mapping[str, object]) -> Branch:
    """Return the dispatches of one message: a few, which the index of the GUID finds."""
    equal = {name: values[name] for name in _CONSTANTS if name in values}
    rows = CpDispatch.objects.filter(
        messageguid__in=spellings(values["messageguid"]), **lookups(DISPATCHES, values), **equal
    )
    return Branch(rows=rows, is_few=True)


def _page(branch: Branch, values: Mapping[str, object], cursor: str | None, page_size: int) -> Page:
    scope = str(words(DISPATCHES, values))
    return fetch_page([branch], order=_NEWEST_FIRST, cursor=cursor, page_size=page_size, scope=scope)
