"""
Polls an attached hub on which triggers do not record the changes of messages.

Each step reads some ids, compares these messages with how the previous steps found them, and writes what
triggers would have recorded. Comparison and position commit together, and a message that is read twice is
counted once. The hub's rows are neither locked nor written. Each reading is bounded and uses a primary key,
or the index of the last changes if the hub has it.

Source: docs/howto/attach.md, "Without triggers".
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from shlex import quote
from time import monotonic, sleep
from typing import Any

from django.conf import settings
from django.db import transaction

from messages_app.core.clock import time_limit
from messages_app.core.parameters import MAX_ID, MIN_ID
from messages_app.core.statements import Statements
from messages_app.messages.attachment import (
    Attachment,
    Feature,
    current_attachment,
    has_index_of_changes,
    is_attached,
    lacking_rights,
)
from messages_app.messages.metrics.models import Polling
from messages_app.messages.metrics.passes import COUNTING, fold_all

statements = Statements("messages_app.messages.metrics")

# The maximum number of messages of a reading, and of the next part of all messages.
MAX_CHANGES = 5_000
# Ids, and changes, that are read again in each poll: their transactions may have taken them earlier than
# others that were read already. A hub's clock may be behind by some seconds.
RECENT = 500
_LATE_CLOCK = timedelta(minutes=1)
# A pass over all messages finds deletions, and changes that no index shows. This is the pause between two.
_PAUSE = timedelta(minutes=10)
# A poll repeats steps for this long while much is left to read.
_SECONDS = 2.0
_MAX_MS = 10_000
_SECONDS_BETWEEN = 0.5

Ids = Mapping[str, Sequence[int]]


class OtherPoll(Exception):
    """Another poll has moved the position meanwhile; nothing was written."""


@dataclass(frozen=True, kw_only=True)
class Position:
    """
    The position of the last poll, with the columns of Polling.

    Args:
        is_over: all transactions before the mark have ended.
        now: the database's time.
    """

    front: int
    safe: int
    mark: int
    changed_at: datetime
    changed_id: int
    changed_safe: datetime
    changed_mark: datetime
    watched: int
    swept: int
    swept_at: datetime | None
    polled_at: datetime | None
    is_over: bool
    now: datetime

    @property
    def is_sweep_due(self) -> bool:
        """Whether to compare the next part of all messages."""
        return self.swept != 0 or self.swept_at is None or self.now - self.swept_at > _PAUSE


@dataclass(frozen=True, kw_only=True)
class Step:
    """
    Args:
        differences: the number of messages that had changed.
        is_behind: there is more to read already.
    """

    differences: int
    is_behind: bool


@dataclass(frozen=True, kw_only=True)
class PollingState:
    """
    How old the figures of a polled hub are.

    Args:
        polled_at: the end of the last poll; None before the first.
        seconds: its age.
        swept_at: the end of the last comparison of all messages; None before the first, while counts are
            incomplete.
        remedy: a sentence with the statements that record changes immediately.
    """

    polled_at: datetime | None
    seconds: float | None
    swept_at: datetime | None
    remedy: str


def polling_state() -> PollingState | None:
    """Return how old the figures are; None if triggers record the changes of messages."""
    hub = polled_hub()
    if hub is None:
        return None
    row = statements.fetch_row("state_of_polling", {})
    polled_at, seconds, swept_at = row or (None, None, None)
    run = [
        *lacking_rights(Feature.RECORD),
        f"{settings.COMMAND_LINE} attach {quote(hub.hub_schema)} --create-triggers",
    ]
    return PollingState(
        polled_at=polled_at,
        seconds=seconds,
        swept_at=swept_at,
        remedy=f"To record changes as the hub makes them, run `{'`, then `'.join(run)}`.",
    )


def is_polled() -> bool:
    """Whether the changes of messages are noticed by polling, and not by triggers."""
    return polled_hub() is not None


def polled_hub() -> Attachment | None:
    """Return the attached hub if its changes are polled, or None."""
    hub = current_attachment() if is_attached() else None
    return hub if hub and not hub.has_triggers else None


def poll_messages(*, seconds: float = _SECONDS, most: int = MAX_CHANGES) -> int:
    """
    Compare messages with the last poll, if the hub is polled, and return the number of differences.

    Args:
        seconds: repeat steps for this long while there is more to read.
        most: the maximum number of messages of a reading.
    """
    if not is_polled():
        return 0
    until, differences, is_first = monotonic() + seconds, 0, True
    while step := poll_once(most=most, is_first=is_first):
        differences, is_first = differences + step.differences, False
        if not step.is_behind or monotonic() > until:
            break
    return differences


def catch_up() -> None:
    """Compare all messages of a polled hub now, while workers may poll too."""
    if not is_polled():
        return
    with transaction.atomic():
        COUNTING.acquire()
        if _read_position() is None:
            _start_position()
        Polling.objects.update(swept=0, swept_at=None)
    while Polling.objects.filter(swept_at=None).exists():
        poll_messages()
        sleep(_SECONDS_BETWEEN)


def stop_polling() -> None:
    """Forget the polls when triggers begin to record. The transaction keeps the lock of the passes."""
    COUNTING.acquire()
    Polling.objects.all().delete()
    statements.count("forget_polled", {})


def poll_once(*, most: int = MAX_CHANGES, is_first: bool = True) -> Step | None:
    """
    Read and compare messages in one transaction; return None if another process counts now, or triggers do.

    Args:
        is_first: whether to read open and recent messages too.
    """
    with transaction.atomic(), time_limit(_MAX_MS):
        # `attach` creates triggers under the same lock.
        hub = polled_hub() if COUNTING.try_acquire() else None
        if hub is None:
            return None
        at = _read_position() or _start_position()
        has_index = has_index_of_changes(hub)
        ids = _read_ids(at, most, is_first=is_first)
        changes = _read_changes(at, most, is_first=is_first) if has_index else {}
        swept, end_of_sweep = _sweep_ids(ids, most)
        compared = [one for name in ("new", "recent", "late", "open") for one in ids[name]]
        compared += [msg_id for rows in changes.values() for msg_id, _ in rows]
        (differences,) = statements.only_row("compare_polled", {"msg_ids": compared + swept, "safe": at.safe})
        moved, is_behind = _next_position(at, ids, changes, most)
        moved |= {"swept": end_of_sweep, "is_swept": at.is_sweep_due and not end_of_sweep}
        moved["watched"] = _next_watched_id(ids["open"], most) if is_first else at.watched
        if statements.count("move_polling", moved) != 1:
            raise OtherPoll
    is_first_pass = at.swept_at is None and not moved["is_swept"]
    return Step(differences=differences, is_behind=is_behind or is_first_pass)


def _read_position() -> Position | None:
    rows = statements.fetch_records("position_of_polling", {}, Position)
    return rows[0] if rows else None


def _start_position() -> Position:
    """Begin with no counted message. Counts of entered states stay."""
    fold_all()
    statements.count("forget_present", {})
    statements.count("forget_totals", {})
    statements.count("forget_polled", {})
    statements.count("start_polling", {})
    position = _read_position()
    if position is None:
        raise OtherPoll
    return position


def _read_ids(at: Position, most: int, *, is_first: bool) -> Ids:
    """Return the ids of each reading."""
    values = {
        "front": at.front,
        "safe": at.safe,
        "late_until": at.mark if at.is_over else at.safe,
        "watch_from": _id_after(at.watched),
        "sweep_from": _id_after(at.swept),
        "most": most,
        "recent": RECENT if is_first else 0,
        "open": most if is_first else 0,
        "sweep": most if at.is_sweep_due else 0,
    }
    ids: dict[str, list[int]] = defaultdict(list)
    for name, msg_id in statements.fetch_rows("ids_to_poll", values):
        ids[name].append(msg_id)
    return ids


def _read_changes(at: Position, most: int, *, is_first: bool) -> Mapping[str, Sequence[tuple[int, datetime]]]:
    """Return (id, time of the last change) of each reading by time."""
    values = {
        "changed_at": at.changed_at,
        "changed_id": at.changed_id,
        "changed_safe": at.changed_safe,
        "changed_until": at.changed_mark if at.is_over else at.changed_safe,
        "most": most,
        "recent": RECENT if is_first else 0,
    }
    changes: dict[str, list[tuple[int, datetime]]] = defaultdict(list)
    for name, msg_id, changed in statements.fetch_rows("changes_to_poll", values):
        changes[name].append((msg_id, changed))
    return changes


def _id_after(position: int) -> int:
    """Return the first id of the next part: at position 0 the lowest, because a hub's ids can be negative."""
    return position + 1 if position else MIN_ID


def _position_after(last: int) -> int:
    """Return the position after an id; 0 after the last one. The id 0 itself is read twice."""
    return 0 if last == MAX_ID else last or -1


def _sweep_ids(ids: Ids, most: int) -> tuple[list[int], int]:
    """Return the ids of the next part of all messages, and the position after it; 0 after the last part."""
    parts = [ids["sweep"], ids["known"]]
    end = min((part[-1] for part in parts if len(part) == most), default=MAX_ID)
    return [one for part in parts for one in part if one <= end], _position_after(end)


def _next_watched_id(open_ids: Sequence[int], most: int) -> int:
    """Return the position after the open messages that were compared; 0 to begin again."""
    return _position_after(open_ids[-1]) if len(open_ids) == most else 0


def _next_position(
    at: Position, ids: Ids, changes: Mapping[str, Sequence[tuple[int, datetime]]], most: int
) -> tuple[dict[str, Any], bool]:
    """Return the values of move_polling.sql, and whether a reading was full."""
    new, late = ids["new"], ids["late"]
    changed, late_changes = changes.get("changed", ()), changes.get("late", ())
    front = new[-1] if new else at.front
    changed_id, changed_at = changed[-1] if changed else (at.changed_id, at.changed_at)
    is_late_full = most in (len(late), len(late_changes))
    is_marked = at.is_over and not is_late_full
    safe, changed_safe = at.safe, at.changed_safe
    if is_marked:
        safe, changed_safe = at.mark, at.changed_mark
    elif is_late_full:
        safe = late[-1] if len(late) == most else safe
        changed_safe = late_changes[-1][1] if len(late_changes) == most else changed_safe
    changed_at = min(changed_at, at.now)
    return {
        "front": front,
        "safe": safe,
        "mark": max(at.mark, front - RECENT) if is_marked else at.mark,
        "changed_at": changed_at,
        "changed_id": changed_id,
        "changed_safe": changed_safe,
        "changed_mark": max(at.changed_mark, changed_at - _LATE_CLOCK) if is_marked else at.changed_mark,
        "is_marked": is_marked,
        "polled_at": at.polled_at,
    }, is_late_full or most in (len(new), len(changed))
