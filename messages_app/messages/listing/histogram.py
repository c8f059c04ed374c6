"""
The histogram above the list: the number of received messages over time, by state.

It has the time range of the list. Its queries read at most MAX_READ rows. If the list has more, only windows
of each slice are counted and scaled up, or only the newest rows are counted; the histogram says so.

Source: docs/contributing/spec/design.md, R-9.
"""

import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import cast

from django.core.cache import cache

from messages_app.core.charts.histogram import Histogram
from messages_app.core.charts.slices import cut_into_slices
from messages_app.core.clock import database_clock, time_limit
from messages_app.core.formatting import format_number
from messages_app.messages.filters import branches
from messages_app.messages.filters.message_filter import CONTENT, MessageFilter
from messages_app.messages.listing.histogram_rows import PartRows, Uneven, read_part
from messages_app.shared.message_states import FAILURE_STATES, FINAL_STATES, MessageState

MAX_MILLISECONDS = 1000
# The maximum number of rows to read, for any filter and table; the parts of a list share them.
MAX_READ = 20_000
# An empty histogram shows the last 24 hours.
USUAL_SPAN = timedelta(days=1)
FROM, TO = "receive_timestamp_from", "receive_timestamp_to"
# No message is older: the hub is younger.
_EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
# A histogram that took longer than this is cached for this long, because many users open the same one.
_SLOW_SECONDS, _KEPT_SECONDS = 0.15, 20


def make_histogram(
    filters: MessageFilter, *, most_read: int = MAX_READ, timeout_ms: int = MAX_MILLISECONDS
) -> Histogram:
    """
    Return the histogram of a filter over its range of receipt, or over that of the messages found.

    Args:
        most_read: the maximum number of rows to read.

    Raises:
        TooSlow: a part of it took longer than `timeout_ms`.
    """
    key = f"histogram-{sha256(f'{filters.as_query()} {most_read}'.encode()).hexdigest()}"
    if (cached_histogram := cache.get(key)) is not None:
        return cached_histogram
    began = time.monotonic()
    with time_limit(timeout_ms):
        drawn = _draw_histogram(filters, most_read)
    if time.monotonic() - began > _SLOW_SECONDS:
        cache.set(key, drawn, _KEPT_SECONDS)
    return drawn


def _draw_histogram(filters: MessageFilter, most_read: int) -> Histogram:
    now = database_clock().astimezone(UTC)
    without_texts = {name: value for name, value in filters.values.items() if name != CONTENT}
    parts = branches.split_into_parts(MessageFilter(without_texts), "receive_timestamp")
    each = max(1, most_read // len(parts)) if parts else most_read
    part_rows = [read_part(part, ranges=filters.ranges, most=each) for part in parts]
    start, stop = _range_to_draw(filters, part_rows, now)
    slices = cut_into_slices(start, stop)
    counts: Counter[tuple[int, str]] = Counter()
    sampled, why_not = 1.0, ""
    try:
        for one in part_rows:
            counted, share = one.count(slices, start=start, stop=stop)
            counts.update(counted)
            sampled = min(sampled, share)
    except Uneven:
        counts.clear()
        why_not = "Too many messages to count. Narrow the time range."
    return Histogram(
        start=start,
        stop=stop,
        slices=slices,
        counts=dict(counts),
        sampled=sampled,
        is_usual=False,
        note=_write_note(filters, part_rows, start),
        why_not=why_not or _why_empty(part_rows, counts),
    )


def _range_to_draw(
    filters: MessageFilter, part_rows: Sequence[PartRows], now: datetime
) -> tuple[datetime, datetime]:
    """Return the range to draw, at least a second: that of the filter, or of the messages found."""
    oldest = min((one.oldest for one in part_rows if one.oldest), default=None)
    newest = max((one.newest for one in part_rows if one.newest), default=None)
    start = cast("datetime | None", filters.values.get(FROM, oldest))
    stop = cast("datetime | None", filters.values.get(TO, newest))
    if FROM in filters.values and TO not in filters.values:
        stop = now
    latest = now + USUAL_SPAN
    stop = min(stop or now, latest)
    start = min(max(start or max(stop, _EARLIEST) - USUAL_SPAN, _EARLIEST - USUAL_SPAN), latest)
    # The range ends where the search ended: unchecked time would look as if it had no messages.
    unread = max((one.read_from for one in part_rows if one.read_from), default=None)
    if unread:
        start = min(max(start, unread), latest)
    return start, max(stop, start + timedelta(seconds=1))


def _write_note(filters: MessageFilter, part_rows: Sequence[PartRows], start: datetime) -> str:
    """Return what the histogram does not take into account."""
    notes = ["with any payload, not only matches"] if CONTENT in filters.values else []
    if any(one.read_from for one in part_rows):
        looked = sum(one.passed for one in part_rows)
        notes.append(f"of the newest {format_number(looked)} messages")
    return ", ".join(notes)


def _why_empty(part_rows: Sequence[PartRows], counts: Counter[tuple[int, str]]) -> str:
    if counts or not any(one.read_from for one in part_rows):
        return ""
    looked = format_number(sum(one.passed for one in part_rows))
    return (
        f"None of the newest {looked} messages match the filter. Older ones were not checked: "
        "narrow the time range."
    )


_STATES: list[str] = list(MessageState)


def from_ground(state: str) -> tuple[bool, bool, bool, bool, int]:
    """Sort failures to the ground, where bars can be compared, and final states to the top."""
    place = _STATES.index(state) if state in _STATES else len(_STATES)
    return (
        state == MessageState.OK,
        state == MessageState.CANCEL,
        state not in FAILURE_STATES,
        state not in FINAL_STATES,
        place,
    )
