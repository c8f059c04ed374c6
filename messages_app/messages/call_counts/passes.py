"""
The pass that counts ended external calls, every few seconds, one pass at a time.

It reads the hub's calls by their primary key, neither locks nor writes them, and has no trigger. Counts and
position commit together, so a worker that dies loses nothing, and no call is counted twice.

Source: docs/how_it_works/calls.md.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic

from django.db import transaction

from messages_app.core.clock import time_limit
from messages_app.core.parameters import MIN_ID
from messages_app.core.statements import Statements
from messages_app.core.transaction_locks import TransactionLock
from messages_app.shared.message_states import CONFIRMATION_OPERATION
from messages_app.shared.system_names import name_system

statements = Statements("messages_app.messages.call_counts")
_PASS = TransactionLock("hubconsole call_rollup")

# The maximum number of calls, and of changes of messages, of one reading.
MAX_CALLS = 5_000
# The newest calls that the first passes count; earlier ones count when they change.
MAX_OLD = 50_000
# Ids before the highest one that are looked for again in each step: a hub may take an id before others, and
# commit it after them.
RECENT = 500
# Open calls that are compared in a step. The next step compares the next ones.
MAX_OPEN = 500
_MAX_OF_MESSAGE = 200
# Counted calls are kept this long: the hub's clock may be behind by as much.
_KEPT = timedelta(hours=1)
_MAX_COARSENED = 100_000
_SECONDS = 2.0
_MAX_MS = 10_000

# The ids of each reading.
Ids = Mapping[str, Sequence[int]]


class OtherPass(Exception):
    """Another pass has moved the position meanwhile; nothing was written."""


@dataclass(frozen=True, kw_only=True)
class Position:
    """
    The position of the last pass, with the columns of CallPass.

    Args:
        is_over: all transactions before the marks have ended.
        now: the database's time.
    """

    front: int
    safe: int
    mark: int
    event_front: int
    event_safe: int
    event_mark: int
    watched: int
    kept_from: datetime
    is_over: bool
    now: datetime


@dataclass(frozen=True, kw_only=True)
class _Front:
    """The next position in one sequence of ids."""

    front: int
    safe: int
    mark: int
    is_late_full: bool
    is_full: bool


def count_new_calls(*, seconds: float = _SECONDS, most: int = MAX_CALLS) -> int:
    """
    Count the calls that have ended since the last pass, and return the number of rows that were added.

    Args:
        seconds: repeat steps for this long while there is more to read.
        most: the maximum number of calls of a reading.
    """
    until, rows = monotonic() + seconds, 0
    while (step := _count_once(most)) is not None:
        added, is_behind = step
        rows += added
        if not is_behind or monotonic() > until:
            break
    return rows


def coarsen_calls(*, most: int = _MAX_COARSENED) -> int:
    """Merge counts of old minutes into their hours and days, and return the number of old counts."""
    rows = 0
    for name in ("coarsen_took", "coarsen_calls"):
        with transaction.atomic():
            if _PASS.try_acquire():
                rows += statements.only_row(name, {"most": most})[0]
    return rows


def _count_once(most: int) -> tuple[int, bool] | None:
    """
    Count some calls in one transaction. Return the number of added rows and whether there is more to read;
    None: another process does this now.
    """
    with transaction.atomic(), time_limit(_MAX_MS):
        if not _PASS.try_acquire():
            return None
        at = _read_position()
        if at is None:
            statements.count("start_pass", {"fence": MAX_OLD, "lowest": MIN_ID})
            return 0, True
        calls, _ = _read_ids("ids_to_count", at, at.front, at.safe, at.mark, most)
        has_index = statements.only_row("has_index_of_messages", {})[0]
        events, msg_ids = (
            _read_ids("events_to_count", at, at.event_front, at.event_safe, at.event_mark, most)
            if has_index
            else ({}, [])
        )
        rows = _compare_calls(at, calls, msg_ids)
        is_behind = _move_position(at, calls, events, most)
    return rows, is_behind


def _read_position() -> Position | None:
    rows = statements.fetch_records("position_of_pass", {}, Position)
    return rows[0] if rows else None


def _read_ids(
    name: str, at: Position, front: int, safe: int, mark: int, most: int
) -> tuple[Ids, Sequence[int]]:
    """Return the ids of each reading, and the messages of changes."""
    values = {
        "front": front,
        "safe": safe,
        "late_until": mark if at.is_over else safe,
        "watched": at.watched or MIN_ID,
        "most": most,
        "recent": RECENT,
        "open": MAX_OPEN,
    }
    ids: dict[str, list[int]] = defaultdict(list)
    messages = set()
    for reading, one, msg_id in statements.fetch_rows(name, values):
        ids[reading].append(one)
        messages.add(msg_id)
    return ids, sorted(messages - {None})


def _compare_calls(at: Position, calls: Ids, msg_ids: Sequence[int]) -> int:
    """Add the calls that have ended to the counts, and return the number of rows."""
    values = {
        "call_ids": [one for ids in calls.values() for one in ids],
        "open_ids": list(calls.get("open", ())),
        "msg_ids": list(msg_ids),
        "most_of_message": _MAX_OF_MESSAGE,
        "safe": at.safe,
        "kept_from": at.kept_from,
        "confirmation": CONFIRMATION_OPERATION,
    }
    ended = ((name_system(row[0]), *row[1:]) for row in statements.fetch_rows("compare_calls", values))
    rows = [row for row in ended if row[0]]
    if not rows:
        return 0
    systems, services, minutes, steps, succeeded, failed = map(list, zip(*rows, strict=True))
    columns = {
        "minutes": minutes,
        "services": services,
        "systems": systems,
        "steps": steps,
        "succeeded": succeeded,
        "failed": failed,
    }
    return statements.count("add_calls", columns)


def _move_position(at: Position, calls: Ids, events: Ids, most: int) -> bool:
    """Move the position, and return whether there is more to read."""
    one = _next_front(at.front, at.safe, at.mark, calls, most)
    other = _next_front(at.event_front, at.event_safe, at.event_mark, events, most)
    is_late_full = one.is_late_full or other.is_late_full
    is_marked = at.is_over and not is_late_full
    is_behind = is_late_full or one.is_full or other.is_full
    open_ids = calls.get("open", ())
    kept_from = at.kept_from if is_behind else max(at.kept_from, at.now - _KEPT)
    safe = at.mark if is_marked else one.safe
    moved = {
        "front": one.front,
        "safe": safe,
        "mark": one.mark if is_marked else at.mark,
        "event_front": other.front,
        "event_safe": at.event_mark if is_marked else other.safe,
        "event_mark": other.mark if is_marked else at.event_mark,
        "is_marked": is_marked,
        "watched": open_ids[-1] if len(open_ids) == MAX_OPEN else 0,
        "kept_from": kept_from,
        "old_front": at.front,
        "old_safe": at.safe,
        "old_event_front": at.event_front,
        "old_event_safe": at.event_safe,
    }
    if statements.count("move_pass", moved) != 1:
        raise OtherPass
    statements.count("forget_calls", {"kept_from": kept_from, "safe": safe, "most": 2 * most})
    return is_behind


def _next_front(front: int, safe: int, mark: int, ids: Ids, most: int) -> _Front:
    """Return the position after these ids. If many were late, the next step reads the others."""
    new, late = ids.get("new", ()), ids.get("late", ())
    is_late_full = len(late) == most
    front = new[-1] if new else front
    return _Front(
        front=front,
        safe=late[-1] if is_late_full else safe,
        mark=max(mark, front - RECENT),
        is_late_full=is_late_full,
        is_full=len(new) == most,
    )
