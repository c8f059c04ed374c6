"""
The end of an attempt: its status, its history row with the whole log, and its missing records.

All of it is in one transaction with the records.

Source: docs/contributing/spec/message_store.md, "Processing" step 8, "Monitor and retries", "Hard cases"
cases 4 and 17; docs/contributing/spec/design.md, R-3.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings

from messages_app.core.clock import database_clock
from messages_app.core.statements import Statements
from messages_app.message_store.errors import Overtaken
from messages_app.message_store.models import MAX_ERROR
from messages_app.message_store.retry_times import Timing, wait_after
from messages_app.message_store.services.begin import ClaimedMessage
from messages_app.message_store.services.records import Key, columns_of_keys
from messages_app.message_store.settings import current_limits
from messages_app.shared.store_states import Status

statements = Statements("messages_app.message_store")


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """
    How an attempt ended.

    Args:
        status: one of states.OUTCOMES, or a processor's own of 20 and more.
        errors: all; the first is the message's error_message.
        missing: the references that were not resolved.
        next_attempt: of status 2.
    """

    status: int
    errors: Sequence[str] = ()
    missing: Sequence[Key] = field(default_factory=list)
    next_attempt: datetime | None = None

    @property
    def error_message(self) -> str | None:
        """
        The first error as its column holds it: cut by characters, never within one
        (docs/contributing/spec/message_store.md, "Hard cases" case 17).
        """
        return clean_text(self.errors[0])[:MAX_ERROR] if self.errors else None


def outcomes_of_waiting(missing: Sequence[tuple[ClaimedMessage, Sequence[Key]]]) -> list[Outcome]:
    """
    Return the ends of attempts that found references unresolved: 2 with the time of the next one, or 26 if
    the message is too old.

    Source: docs/contributing/spec/message_store.md, "Monitor and retries".
    """
    if not missing:
        return []
    ended_at, timing = database_clock(), current_limits().timing
    return [_outcome_of_waiting(claim, keys, ended_at, timing) for claim, keys in missing]


def _outcome_of_waiting(
    claim: ClaimedMessage, missing: Sequence[Key], ended_at: datetime, timing: Timing
) -> Outcome:
    wait = wait_after(
        age=(ended_at - claim.created_at).total_seconds(),
        duration=(ended_at - claim.started_at).total_seconds(),
        timing=timing,
    )
    errors = [f"There is no {key.entity} {key.text} yet." for key in missing]
    if wait.seconds is None:
        errors.insert(0, f"Too old to retry: {errors[0]}")
        return Outcome(status=Status.REPROCESS_TIMEOUT, errors=errors, missing=missing)
    return Outcome(
        status=Status.REQUIRES_REPROCESSING,
        errors=errors,
        missing=missing,
        next_attempt=ended_at + timedelta(seconds=wait.seconds),
    )


class Ended(NamedTuple):
    """An attempt with its outcome and the lines of its log, without the errors."""

    claim: ClaimedMessage
    outcome: Outcome
    log: Sequence[str]


def finish_attempts(ends: Sequence[Ended]) -> None:
    """
    Write how attempts ended, in the caller's transaction.

    Raises:
        Overtaken: one of the attempts is not its message's any more; the caller's transaction must be undone.
    """
    identifiers = [end.claim.identifier for end in ends]
    values = {
        "identifiers": identifiers,
        "starts": [end.claim.started_at for end in ends],
        "statuses": [int(end.outcome.status) for end in ends],
        "next_attempts": [end.outcome.next_attempt for end in ends],
        "errors": [end.outcome.error_message for end in ends],
        "logs": [clean_text("\n".join([*end.log, *end.outcome.errors])) for end in ends],
    }
    if statements.count("finish", values) < len(ends):
        raise Overtaken(
            f"An attempt of {', '.join(identifiers)} ran past its timeout; what it did is undone."
        )
    _note_missing([end for end in ends if end.outcome.missing or end.claim.attempts])


def _note_missing(ends: Sequence[Ended]) -> None:
    if not ends:
        return
    missing = [(end.claim.identifier, key) for end in ends for key in end.outcome.missing]
    values = {
        "identifiers": [end.claim.identifier for end in ends],
        "of": [identifier for identifier, _ in missing],
        **columns_of_keys(key for _, key in missing),
    }
    statements.count("note_missing", values)


def give_back(claim: ClaimedMessage, why: str) -> None:
    """
    Return a message to waiting after its attempt was ended; after the third time in a row, set it aside.
    """
    abandon_attempt(
        identifier=claim.identifier, status=Status.PROCESSING, started_at=claim.started_at, why=why
    )


def abandon_attempt(*, identifier: str, status: int, started_at: datetime | None, why: str) -> bool:
    """
    Take a message from an attempt that died, leaving its history row
    (docs/contributing/spec/message_store.md, "Hard cases" cases 2 and 3).

    Args:
        status, started_at: the values of its row; if they have changed, nothing is done.

    Returns:
        Whether it was done.
    """
    values = {
        "identifier": identifier,
        "status": status,
        "started_at": started_at,
        "most": settings.MESSAGE_STORE_ABANDONED_TIMES,
        "why": clean_text(why),
        "max_error": MAX_ERROR,
    }
    return statements.fetch_row("abandon", values) is not None


def clean_text(text: str) -> str:
    """Return a text without characters that the database cannot store."""
    return text.replace("\0", "�").encode("utf-8", "replace").decode()
