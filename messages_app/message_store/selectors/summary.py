"""
The dashboard: counts by status, system and entity without a scan, and the ages of waiting messages.

Workers add changes of the counts, and the monitor adds these up. Messages in work are few and counted
directly.

Source: docs/contributing/spec/message_store.md, "Console".
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from messages_app.core.statements import Statements
from messages_app.message_store.settings import current_limits
from messages_app.shared.store_states import Status

statements = Statements("messages_app.message_store")


# Number of messages read for the share of successful first attempts.
_NEWEST = 1_000
# Upper limit of a count.
FENCE = 10_000
_NEAR_DAYS = 7


@dataclass(frozen=True, kw_only=True)
class Count:
    source_system: str
    source_entity: str
    status: int
    messages: int


@dataclass(frozen=True, kw_only=True)
class Ages:
    """
    Ages and counts of waiting messages; times may be None.

    Args:
        oldest_waiting: message_timestamp of the oldest without an attempt.
        oldest_due: the due time of the message that has been due for longest.
        due: number of due messages, up to FENCE + 1.
        queued, processing: number of messages; oldest_queued, oldest_processing: the first start of each.
        first_succeeded, first_ended: of the newest processed messages, those processed by one attempt, and
            all.
        near_timeout: waiting for references within a week of the message timeout, up to FENCE + 1.
        muted: muted by an operator, up to FENCE + 1; not counted as waiting or due.
    """

    oldest_waiting: datetime | None
    oldest_due: datetime | None
    due: int
    queued: int
    oldest_queued: datetime | None
    processing: int
    oldest_processing: datetime | None
    first_succeeded: int
    first_ended: int
    near_timeout: int
    muted: int


def count_by_system() -> list[Count]:
    """
    Return the number of messages by system, entity and status; a missing name is empty.
    """
    return statements.fetch_records("counts", {}, Count)


def counts_by_status() -> Mapping[int, int]:
    """Return how many messages are in each status."""
    return sum_by_status(count_by_system())


def sum_by_status(counts: Iterable[Count]) -> Mapping[int, int]:
    sums: Counter[int] = Counter()
    for count in counts:
        sums[count.status] += count.messages
    return dict(sorted(sums.items()))


def ages_of_waiting() -> Ages:
    """Return the ages of waiting messages."""
    values = {
        "newest": _NEWEST,
        "fence": FENCE + 1,
        "processed": Status.PROCESSED,
        "near_seconds": current_limits().timing.message_timeout - _NEAR_DAYS * 86_400,
    }
    (ages,) = statements.fetch_records("ages", values, Ages)
    return ages
