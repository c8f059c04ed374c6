"""
Actions of operators on one message: reprocess, retry now, release stuck, mute and unmute.

Each is one statement on the status that allows it, and commits with its audit entry. The history stays as it
is; release adds the row of the attempt that it ends.

Source: docs/contributing/spec/message_store.md, "Operator actions".
"""

from typing import TypedDict

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.core.statements import Statements
from messages_app.message_store.errors import InvalidInput, MessageMissing, StatusConflict
from messages_app.message_store.models import MessageLine, MessageProcess, MessageStore
from messages_app.message_store.services.end import abandon_attempt
from messages_app.message_store.settings import current_limits
from messages_app.shared.store_states import NEVER_MUTED, RELEASED_FROM, Status, may_mute, name_of

statements = Statements("messages_app.message_store")


def reprocess_message(
    *,
    identifier: str,
    actor: audit.Actor,
    reason: str,
    confirmed_entity: str | None = None,
    expected: int | None = None,
) -> MessageProcess:
    """
    Process a message again: allowed from 2, 10 and every error; its status becomes 0.

    One that was processed runs its post-processing again, which may store further messages. A refresh message
    ends records that it does not contain, so its entity must be named.

    Args:
        confirmed_entity: the entity of a refresh message, as confirmation by the caller.
        expected: the status that the caller saw.

    Raises:
        MessageMissing, StatusConflict.
        InvalidInput: a refresh message whose entity was not confirmed.
    """
    _check_refresh(identifier, confirmed_entity)
    return _change_status(
        "reprocess", identifier, actor, reason, expected, {"confirmed_entity": confirmed_entity}
    )


def retry_now(
    *, identifier: str, actor: audit.Actor, reason: str, expected: int | None = None
) -> MessageProcess:
    """
    Make a message that requires reprocessing due now.

    Raises:
        MessageMissing, StatusConflict.
    """
    return _change_status("retry_now", identifier, actor, reason, expected, {})


def release_message(
    *,
    identifier: str,
    actor: audit.Actor,
    reason: str,
    is_worker_dead: bool = False,
    expected: int | None = None,
) -> MessageProcess:
    """
    Take a message from an attempt, or a place in the queue, that is past the timeout.

    Args:
        is_worker_dead: the operator knows that no worker has it, and the timeout is ignored. If that is
            wrong, the end of the attempt changes nothing.

    Raises:
        MessageMissing.
        StatusConflict: it is not in work, or not for this long.
    """
    with transaction.atomic():
        before = _find_process(identifier)
        _check_expected(before, expected)
        if before.status not in RELEASED_FROM:
            raise _make_conflict(before, "released")
        if not is_worker_dead and not _is_past_timeout(identifier):
            text = (
                f"It is {name_of(before.status)} for less than {current_limits().process_timeout:g} s."
                " Confirm that its worker is dead."
            )
            raise StatusConflict(text, current=before.status)
        done = abandon_attempt(
            identifier=identifier,
            status=before.status,
            started_at=before.processed_timestamp,
            why=f"Abandoned: released by {actor.username}.",
        )
        after = _find_process(identifier)
        if not done:
            raise _make_conflict(after, "released")
        _record_change(actor, "release", before.status, after, reason, {"is_worker_dead": is_worker_dead})
    return after


class _Details(TypedDict, total=False):
    """Details of an action on a message, for the audit log."""

    confirmed_entity: str | None
    is_worker_dead: bool


def _change_status(
    name: str,
    identifier: str,
    actor: audit.Actor,
    reason: str,
    expected: int | None,
    details: _Details,
) -> MessageProcess:
    """Send the statement of this name, which gives the status before; audit it."""
    with transaction.atomic():
        row = statements.fetch_row(name, {"identifier": identifier, "expected": expected})
        after = _find_process(identifier)
        if row is None:
            _check_expected(after, expected)
            raise _make_conflict(after, "reprocessed" if name == "reprocess" else "retried now")
        _record_change(actor, name, row[0], after, reason, details)
    return after


def _find_process(identifier: str) -> MessageProcess:
    """Return the process row of a message; a stored message without one is not processed."""
    process = MessageProcess.objects.filter(pk=identifier).first()
    if process is None and MessageStore.objects.filter(pk=identifier).exists():
        return MessageProcess(message_identifier=identifier, status=Status.NOT_PROCESSED)
    if process is None:
        raise MessageMissing(f"The store has no message {identifier}.")
    return process


def _check_expected(process: MessageProcess, expected: int | None) -> None:
    if expected is not None and process.status != expected:
        text = f"It is {name_of(process.status)}, not {name_of(expected)}."
        raise StatusConflict(text, current=process.status, is_expected=True)


def _make_conflict(process: MessageProcess, done: str) -> StatusConflict:
    text = f"A message that is {name_of(process.status)} cannot be {done}."
    return StatusConflict(text, current=process.status)


def _check_refresh(identifier: str, confirmed_entity: str | None) -> None:
    message = MessageStore.objects.filter(pk=identifier, refresh=True).only("source_entity").first()
    entity = message.source_entity if message else None
    if entity and confirmed_entity != entity:
        text = (
            f"This message refreshes {entity}: it ends all records of {entity} that it does not contain."
            " Confirm by naming the entity in confirm_refresh."
        )
        raise InvalidInput("confirm_refresh", "required", text)


def _is_past_timeout(identifier: str) -> bool:
    values = {"identifier": identifier, "seconds": current_limits().process_timeout}
    return statements.fetch_row("is_past_timeout", values) is not None


def _record_change(
    actor: audit.Actor,
    action: str,
    before: int | None,
    after: MessageProcess,
    reason: str,
    details: _Details,
) -> None:
    audit.record_entry(
        actor=actor,
        action=f"{action}_stored",
        subject_kind="store_message",
        subject=after.message_identifier,
        before_state="" if before is None else str(int(before)),
        after_state=str(after.status),
        reason=reason,
        details=details,
    )


# Mutes and unmutes a message. The vendor has no status for it, so a mark of the console means that no one
# needs to look after the message. The monitor ignores it, it is not counted as an error or as waiting, and a
# bulk reprocess takes it only if its filter asks for it. It ends with `unmute_message`, and when the message
# moves on: an operator reprocesses or retries it, or a worker of the hub takes it.
_WORDS = {"mute": "is already muted", "unmute": "is not muted"}


def mute_message(*, identifier: str, actor: audit.Actor, reason: str, expected: int | None = None) -> None:
    """
    Mute a message that waits, that failed, or whose code is unknown.

    Args:
        expected: the status that the caller saw.

    Raises:
        MessageMissing.
        StatusConflict: it is in work, processed, of another status than expected, or muted already.
    """
    _change_mark("mute", identifier, actor, reason, expected, never=[int(status) for status in NEVER_MUTED])


def unmute_message(*, identifier: str, actor: audit.Actor, reason: str, expected: int | None = None) -> None:
    """
    Unmute a message: the monitor takes it when its turn comes.

    Raises:
        MessageMissing.
        StatusConflict: it is not muted, or of another status than expected.
    """
    _change_mark("unmute", identifier, actor, reason, expected)


def _change_mark(
    name: str, identifier: str, actor: audit.Actor, reason: str, expected: int | None, **values: object
) -> None:
    with transaction.atomic():
        row = statements.fetch_row(name, {"identifier": identifier, "expected": expected} | values)
        if row is None:
            raise _make_refusal(name, identifier, expected)
        audit.record_entry(
            actor=actor,
            action=f"{name}_stored",
            subject_kind="store_message",
            subject=identifier,
            before_state=str(row[0]),
            after_state=str(row[0]),
            reason=reason,
        )


def _make_refusal(name: str, identifier: str, expected: int | None) -> StatusConflict | MessageMissing:
    line = MessageLine.objects.filter(message_identifier=identifier, status__isnull=False).first()
    if line is None:
        return MessageMissing(f"The store has no message {identifier}.")
    if expected is not None and line.status != expected:
        text = f"It is {name_of(line.status)}, not {name_of(expected)}."
        return StatusConflict(text, current=line.status, is_expected=True)
    if name == "mute" and not may_mute(line.status):
        return StatusConflict(
            f"A message that is {name_of(line.status)} cannot be muted.", current=line.status
        )
    return StatusConflict(f"It {_WORDS[name]}.", current=line.status)
