"""
Actions of operators on one message: reprocess, retry now, release stuck, mute and unmute.

Each is one statement on the status that allows it, and commits with its audit entry. The history stays as it
is; release adds the row of the attempt that it ends.

Source: docs/contributing/spec/message_store.md, "Operator actions".
"""

from collections.abc import Mapping

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.core.statements import Statements
from messages_app.message_store.errors import InvalidInput, MessageMissing, StatusConflict
from messages_app.message_store.models import MessageProcess, MessageStore
from messages_app.message_store.services.end import abandon_attempt
from messages_app.message_store.settings import current_limits
from messages_app.shared.store_states import (
    NEVER_MUTED,
    RELEASED_FROM,
    Status,
    effective_status,
    may_mute,
    name_of,
)

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
    details = {"confirmed_entity": confirmed_entity}
    return _change_message("reprocess", identifier, actor, reason, expected, details)


def retry_now(
    *, identifier: str, actor: audit.Actor, reason: str, expected: int | None = None
) -> MessageProcess:
    """
    Make a message that requires reprocessing due now.

    Raises:
        MessageMissing, StatusConflict.
    """
    return _change_message("retry_now", identifier, actor, reason, expected)


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
            raise _make_conflict(before, "release")
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
            raise _make_conflict(after, "release")
        _record_change(actor, "release", before.status, after, reason, {"is_worker_dead": is_worker_dead})
    return after


# Mutes and unmutes a message. The vendor has no status for it, so a mark of the console means that no one
# needs to look after the message. The monitor ignores it, it is not counted as an error or as waiting, and a
# bulk reprocess takes it only if its filter asks for it. It ends with `unmute_message`, and when the message
# moves on: an operator reprocesses or retries it, or a worker of the hub takes it.
def mute_message(
    *, identifier: str, actor: audit.Actor, reason: str, expected: int | None = None
) -> MessageProcess:
    """
    Mute a message that waits, that failed, or whose code is unknown.

    Args:
        expected: the status that the caller saw.

    Raises:
        MessageMissing.
        StatusConflict: it is in work, processed, of another status than expected, or muted already.
    """
    return _change_message("mute", identifier, actor, reason, expected, never=[*map(int, NEVER_MUTED)])


def unmute_message(
    *, identifier: str, actor: audit.Actor, reason: str, expected: int | None = None
) -> MessageProcess:
    """
    Unmute a message: the monitor takes it when its turn comes.

    Raises:
        MessageMissing.
        StatusConflict: it is not muted, or of another status than expected.
    """
    return _change_message("unmute", identifier, actor, reason, expected)


def _change_message(
    name: str,
    identifier: str,
    actor: audit.Actor,
    reason: str,
    expected: int | None,
    details: Mapping[str, object] | None = None,
    **values: object,
) -> MessageProcess:
    """Send the statement of this name, which gives the status before; audit it."""
    with transaction.atomic():
        row = statements.fetch_row(name, {"identifier": identifier, "expected": expected} | values)
        after = _find_process(identifier)
        if row is None:
            _check_expected(after, expected)
            raise _make_conflict(after, name)
        _record_change(actor, name, row[0], after, reason, details)
    return after


def _find_process(identifier: str) -> MessageProcess:
    """Return the process row of a message; a stored message without one is not processed."""
    process = MessageProcess.objects.filter(pk=identifier).first()
    if process is not None:
        process.status = effective_status(process.status)
        return process
    if MessageStore.objects.filter(pk=identifier).exists():
        return MessageProcess(message_identifier=identifier, status=Status.NOT_PROCESSED)
    raise MessageMissing(f"The store has no message {identifier}.")


def _check_expected(process: MessageProcess, expected: int | None) -> None:
    if expected is not None and process.status != expected:
        text = f"It is {name_of(process.status)}, not {name_of(expected)}."
        raise StatusConflict(text, current=process.status, is_expected=True)


_DONE = {
    "reprocess": "reprocessed",
    "retry_now": "retried now",
    "release": "released",
    "mute": "muted",
}


def _make_conflict(process: MessageProcess, name: str) -> StatusConflict:
    text = f"A message that is {name_of(process.status)} cannot be {_DONE.get(name)}."
    if name == "unmute":
        text = "It is not muted."
    elif name == "mute" and may_mute(process.status):
        text = "It is already muted."
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
    details: Mapping[str, object] | None,
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
