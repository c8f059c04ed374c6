"""
Explains the time of a message's next attempt.

Source: docs/contributing/spec/message_store.md, "Console" (message page), "Monitor and retries".
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from messages_app.core.clock import database_clock
from messages_app.core.formatting import format_duration
from messages_app.core.query_language.vocabulary import TimeWords, Vocabulary
from messages_app.message_store.models import UnresolvedReference
from messages_app.message_store.retry_times import Timing, Wait, wait_after
from messages_app.message_store.selectors.messages import MESSAGES, ListedMessage
from messages_app.message_store.settings import current_limits
from messages_app.shared.store_states import MEANINGS, Status, class_of, name_of

_MAX_MISSING = 100


class MissingKey(NamedTuple):
    entity: str
    record_key: str


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """
    The next step of a message, and its reason.

    Args:
        summary: one sentence.
        next_attempt: None: none on its own. A time that has passed: it is due.
        wait: the figures behind it; None if no wait was computed: the next attempt was moved, or does not
            exist. timing: the settings behind those. missing: (entity, key) of the records it waits for, a
            hundred
        at most. gives_up_at: from then on an attempt that finds a reference missing ends in 26.
    """

    summary: str
    next_attempt: datetime | None
    wait: Wait | None
    timing: Timing
    missing: list[MissingKey]
    gives_up_at: datetime | None


def explain_message(message: ListedMessage) -> Explanation:
    """Return the next step of a message, with its reason."""
    timing, line = current_limits().timing, message.line
    missing = UnresolvedReference.objects.filter(message_identifier=line.message_identifier)
    waits = message.status == Status.REQUIRES_REPROCESSING and line.muted_at is None
    return Explanation(
        summary=_summarize_message(message, database_clock()),
        next_attempt=line.next_attempt_timestamp if waits else None,
        wait=_wait_of_message(message, timing) if waits else None,
        timing=timing,
        missing=[MissingKey(*key) for key in missing.values_list("entity", "record_key")[:_MAX_MISSING]],
        gives_up_at=line.message_timestamp + timedelta(seconds=timing.message_timeout) if waits else None,
    )


def _summarize_message(message: ListedMessage, now: datetime) -> str:
    line = message.line
    if line.muted_at is not None:
        return "It is muted: not processed until someone unmutes, reprocesses or retries it."
    if line.status == Status.REQUIRES_REPROCESSING:
        due = line.next_attempt_timestamp
        if due is None or due <= now:
            return "It is due and will be processed when its turn comes."
        return f"It refers to missing records; retried in {format_duration(due - now)}."
    if line.status is None:
        return "Only its history is stored: there is no message and no process row."
    if line.status in tuple(Status):
        return MEANINGS[Status(line.status)]
    return f"{name_of(line.status)}: a code that the console does not know, taken as {class_of(line.status)}."


def _wait_of_message(message: ListedMessage, timing: Timing) -> Wait | None:
    """Return the wait that led to the next attempt; None if something else set it."""
    line = message.line
    if not (line.last_started_at and line.last_ended_at and line.next_attempt_timestamp):
        return None
    wait = wait_after(
        age=(line.last_ended_at - line.message_timestamp).total_seconds(),
        duration=(line.last_ended_at - line.last_started_at).total_seconds(),
        timing=timing,
    )
    led_to = (line.next_attempt_timestamp - line.last_ended_at).total_seconds()
    # The attempt computes this a moment before its end is written.
    is_so = wait.seconds is not None and abs(led_to - wait.seconds) <= 1 + wait.seconds / 100
    return wait if is_so else None


VOCABULARY = Vocabulary(
    filters=MESSAGES,
    names={
        "status": "Status",
        "source_system": "System",
        "source_entity": "Entity",
        "message_identifier": "Identifier",
        "user_name": "User",
        "refresh": "Refresh",
        "missing_entity": "Missing record of",
        "missing_key": "Key of missing record",
        "error_contains": "Error contains",
        "orphaned": "Orphaned",
        "muted": "Muted",
    },
    times={
        "message_timestamp": TimeWords(key="made", label="Created"),
        "effective_timestamp": TimeWords(key="valid", label="Valid from"),
        "processed_timestamp": TimeWords(key="tried", label="Last attempt"),
        "next_attempt_timestamp": TimeWords(key="next", label="Next attempt"),
    },
)
