"""
The list of funnels: the lanes that are held or waited for now, one page at a time.

The numbers of rows read are limited. The messages that wait longest are read first, so only the newest can
be missing; the page then says so.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime

from django.core import signing
from django.db.models import QuerySet

from messages_app.core.clock import database_clock
from messages_app.core.pagination.paginator import DEFAULT_PAGE_SIZE
from messages_app.core.problems import bad_field
from messages_app.messages.funnels import blocking
from messages_app.messages.funnels.blocking import MAX_LINE, MAX_VALUES, Member
from messages_app.messages.funnels.filters import BY_LONGEST_WAIT, BY_MOST_WAITING, FunnelFilter
from messages_app.messages.funnels.lanes import Lane, Sketch, make_lanes, sketch_lanes
from messages_app.messages.metrics.passes import LONG
from messages_app.messages.models import Funnel, Message
from messages_app.messages.services import hub_rules
from messages_app.shared.hub_defaults import FUNNEL_IDLE_AFTER
from messages_app.shared.message_states import MessageState

MAX_WAITING = 2000


# Of each state that holds a funnel, only the newest are read; others usually started before the idle window.
_MAX_RUNNING = 300


_COLUMNS = [field.name for field in fields(Member) if field.name != "values"]


@dataclass(frozen=True)
class Reading:
    """Members, and whether more exist than were read."""

    members: list[Member]
    is_cut: bool


def read_waiting(filters: FunnelFilter, *, most: int = MAX_WAITING) -> Reading:
    """
    Return the messages with a funnel value among the first `most` POSTPONED messages.
    """
    if filters.value is not None:
        return _waiting_for(filters.value, filters.component)
    rows = Message.objects.filter(state=MessageState.POSTPONED)
    order = ("receive_timestamp", "msg_id")
    if filters.component is not None:
        rows, order = rows.filter(funnel_component_id=filters.component), ("msg_timestamp", "msg_id")
    values = list(rows.order_by(*order).values(*_COLUMNS, "funnel_value")[: most + 1])
    return Reading(_with_values(values[:most]), len(values) > most)


def _waiting_for(value: str, component: str | None) -> Reading:
    if component is not None:
        line = blocking.waiting_line(values=[value], component_id=component)
        return Reading(line, len(line) >= MAX_LINE)
    present = blocking.messages_with_values(values=[value])
    members = {member.msg_id: member for member in present if member.state == MessageState.POSTPONED}
    components = {member.funnel_component_id for member in present if member.funnel_component_id is not None}
    for each in sorted(components):
        members |= {
            member.msg_id: member for member in blocking.waiting_line(values=[value], component_id=each)
        }
    return Reading(list(members.values()), len(present) >= MAX_LINE)


# Enough for a number in the menu.
_MAX_COUNTED = 300


def long_held_lanes() -> list[Sketch]:
    """Return the lanes in which messages wait for longer than LONG, the longest wait first."""
    limit = database_clock() - LONG
    waiting = read_waiting(FunnelFilter(), most=_MAX_COUNTED).members
    held = [sketch for sketch in sketch_lanes(waiting, []) if sketch.since < limit]
    return sorted(held, key=lambda sketch: sketch.since)


def count_long_held() -> int:
    """Return the number of lanes of `long_held_lanes`."""
    return len(long_held_lanes())


def read_running(filters: FunnelFilter, *, at: datetime) -> list[Member]:
    """Return the messages that hold a funnel at `at`; without a value, only the newest of each state."""
    since = at - FUNNEL_IDLE_AFTER
    if filters.value is not None:
        members = blocking.messages_with_values(values=[filters.value])
        members = [member for member in members if member.state != MessageState.POSTPONED]
    else:
        members = _with_values(
            [row for state in sorted(hub_rules().holds_funnel) for row in _newest_members(state)]
        )
    return [
        member
        for member in members
        if member.start_process_timestamp is not None and member.start_process_timestamp >= since
    ]


def _newest_members(state: str) -> QuerySet:
    rows = Message.objects.filter(state=state).order_by("-receive_timestamp", "-msg_id")
    return rows.values(*_COLUMNS, "funnel_value")[:_MAX_RUNNING]


def _with_values(rows: Iterable[dict]) -> list[Member]:
    """
    Return the messages that have funnel values, with these.

    Source: docs/contributing/spec/cleverbus.md, "Table funnel".
    """
    rows = list(rows)
    stored: dict[int, list[str]] = {}
    own = Funnel.objects.filter(msg_id__in=[row["msg_id"] for row in rows]).order_by("funnel_id")
    for msg_id, value in own.values_list("msg_id", "funnel_value")[: len(rows) * MAX_VALUES]:
        stored.setdefault(msg_id, []).append(value)
    members = []
    for row in rows:
        old_value = row.pop("funnel_value")
        values = stored.get(row["msg_id"]) or ([old_value] if old_value else [])
        members.append(Member(values=tuple(values[:MAX_VALUES]), **row))
    return [member for member in members if member.values]


# The sort key of lanes, smallest first.
Key = tuple[int, float, str, str]


# The start of a page: (is before the key, key).
Place = tuple[bool, Key]


@dataclass(frozen=True, kw_only=True)
class FunnelPage:
    """
    One page of the list.

    Args:
        rows: the lanes.
        at: the time of this view, by the database's clock.
        lanes_found, waiting_found: their numbers on all pages, of those read.
        truncated: more messages wait than were read; the longest waiting ones are included.
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
    most_waiting: int = MAX_WAITING,
) -> FunnelPage:
    """
    Return one page of the funnels that are held or waited for now.

    The list is made again for each page and continues after the last lane shown, so lanes that appear or
    disappear meanwhile do not move others to another page.

    Args:
        most_waiting: up to this many waiting messages are read, the longest waiting ones first.

    Raises:
        Problem: 400, the cursor is not from this list.
    """
    at = database_clock()
    waiters = read_waiting(filters, most=most_waiting)
    runners = [] if filters.blocked else read_running(filters, at=at)
    sketches = [sketch for sketch in sketch_lanes(waiters.members, runners) if _is_selected(sketch, filters)]
    key = _KEYS[filters.ordering]
    sketches.sort(key=key)
    cursors = _Cursors(filters)
    start, stop = _page_bounds([key(sketch) for sketch in sketches], cursors.read_cursor(cursor), page_size)
    lanes = sketches[start:stop]
    return FunnelPage(
        rows=make_lanes(lanes, at=at),
        at=at,
        lanes_found=len(sketches),
        waiting_found=len({member.msg_id for sketch in sketches for member in sketch.waiting}),
        truncated=waiters.is_cut,
        next_cursor=cursors.write_next(key(lanes[-1])) if lanes and stop < len(sketches) else None,
        previous_cursor=cursors.write_previous(key(lanes[0])) if lanes and start > 0 else None,
    )


def _is_selected(sketch: Sketch, filters: FunnelFilter) -> bool:
    if filters.value is not None and sketch.value != filters.value:
        return False
    # A hub whose values are exclusive over all funnels has lanes without a component.
    is_here = filters.component in {None, sketch.component_id} or not hub_rules().compares_component
    return is_here and (bool(sketch.waiting) or not filters.blocked)


def _longest_first(sketch: Sketch) -> Key:
    return (int(not sketch.waiting), sketch.since.timestamp(), sketch.component_id or "", sketch.value)


def _most_first(sketch: Sketch) -> Key:
    return (-len(sketch.waiting), sketch.since.timestamp(), sketch.component_id or "", sketch.value)


_KEYS = {BY_LONGEST_WAIT: _longest_first, BY_MOST_WAITING: _most_first}


def _page_bounds(keys: Sequence[Key], place: Place | None, page_size: int) -> tuple[int, int]:
    """Return which of the sorted lanes are on the page that starts beyond `place`."""
    if place is None:
        return 0, page_size
    backwards, key = place
    if backwards:
        stop = bisect_left(keys, key)
        return max(stop - page_size, 0), stop
    start = bisect_right(keys, key)
    return start, start + page_size


class _Cursors:
    """Signs the cursors of one list, and accepts only these."""

    def __init__(self, filters: FunnelFilter) -> None:
        self._salt = f"cursor:funnels:{filters.as_query()}"

    def write_next(self, key: Key) -> str:
        return signing.dumps([False, key], salt=self._salt)

    def write_previous(self, key: Key) -> str:
        return signing.dumps([True, key], salt=self._salt)

    def read_cursor(self, text: str | None) -> Place | None:
        if text is None:
            return None
        try:
            backwards, key = signing.loads(text, salt=self._salt)
        except (signing.BadSignature, ValueError):
            raise bad_field("cursor", "invalid_value", "This cursor is not valid for this list.") from None
        return backwards, tuple(key)
