"""The list of funnels: which lanes are held or waited for now, a page at a time."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.core import signing

from messages_app.messages.funnels.filters import LONGEST, MOST, FunnelFilter
from messages_app.messages.funnels.lanes import Lane, Sketch, lanes, sketches
from messages_app.messages.funnels.reading import MOST_WAITING, running, waiting
from messages_app.messages.services import rules
from messages_app.web.clock import database_clock
from messages_app.web.paging import DEFAULT_PAGE_SIZE
from messages_app.web.problems import bad_field

# What lanes are sorted by, the smallest first.
Key = tuple[int, float, str, str]
# Where a page starts: whether before or beyond a key.
Place = tuple[bool, Key]


@dataclass(frozen=True, kw_only=True)
class FunnelPage:
    """
    One page of the list.

    Args:
        rows: the lanes.
        at: the moment that they show, by the database's clock.
        lanes_found, waiting_found: on all pages, of those read.
        truncated: more messages wait than were read: those that wait longest are here.
        next_cursor, previous_cursor: for the neighbouring pages, None at an end of the list.
    """

    rows: list[Lane]
    at: datetime
    lanes_found: int
    waiting_found: int
    truncated: bool
    next_cursor: str | None
    previous_cursor: str | None


def funnel_page(
    filters: FunnelFilter,
    *,
    cursor: str | None = None,
    page_size: int = DEFAULT_PAGE_SIZE,
    most_waiting: int = MOST_WAITING,
) -> FunnelPage:
    """
    Return one page of the funnels that are held or waited for now.

    The list is made anew for each page and goes on after the last lane shown: a lane that comes or goes
    meanwhile moves no other.

    Args:
        most_waiting: so many messages that wait are looked at, those that wait longest.

    Raises:
        Problem: 400, the cursor is not one that was given out for this list.
    """
    at = database_clock()
    waiters = waiting(filters, most=most_waiting)
    runners = [] if filters.blocked else running(filters, at=at)
    found = [sketch for sketch in sketches(waiters.members, runners) if _passes(sketch, filters)]
    key = _KEYS[filters.ordering]
    found.sort(key=key)
    seal = _Seal(filters)
    start, stop = _bounds([key(sketch) for sketch in found], seal.open(cursor), page_size)
    shown = found[start:stop]
    return FunnelPage(
        rows=lanes(shown, at=at),
        at=at,
        lanes_found=len(found),
        waiting_found=len({member.msg_id for sketch in found for member in sketch.waiting}),
        truncated=waiters.is_cut,
        next_cursor=seal.close(key(shown[-1]), backwards=False) if shown and stop < len(found) else None,
        previous_cursor=seal.close(key(shown[0]), backwards=True) if shown and start > 0 else None,
    )


def _passes(sketch: Sketch, filters: FunnelFilter) -> bool:
    if filters.value is not None and sketch.value != filters.value:
        return False
    # A hub whose values are exclusive over all funnels has lanes without a component.
    here = filters.component in {None, sketch.component_id} or not rules().compares_component
    return here and (bool(sketch.waiting) or not filters.blocked)


def _longest_first(sketch: Sketch) -> Key:
    return (int(not sketch.waiting), sketch.since.timestamp(), sketch.component_id or "", sketch.value)


def _most_first(sketch: Sketch) -> Key:
    return (-len(sketch.waiting), sketch.since.timestamp(), sketch.component_id or "", sketch.value)


_KEYS = {LONGEST: _longest_first, MOST: _most_first}


def _bounds(keys: Sequence[Key], place: Place | None, page_size: int) -> tuple[int, int]:
    """Return which of the sorted lanes are on the page that starts beyond `place`."""
    if place is None:
        return 0, page_size
    backwards, key = place
    if backwards:
        stop = bisect_left(keys, key)
        return max(stop - page_size, 0), stop
    start = bisect_right(keys, key)
    return start, start + page_size


class _Seal:
    """Makes cursors of one list and opens only those."""

    def __init__(self, filters: FunnelFilter) -> None:
        self._salt = f"cursor:funnels:{filters.as_query()}"

    def close(self, key: Key, *, backwards: bool) -> str:
        return signing.dumps([backwards, key], salt=self._salt)

    def open(self, text: str | None) -> Place | None:
        if text is None:
            return None
        try:
            backwards, key = signing.loads(text, salt=self._salt)
        except (signing.BadSignature, ValueError):
            raise bad_field("cursor", "invalid_value", "This cursor is not valid for this list.") from None
        return backwards, tuple(key)
