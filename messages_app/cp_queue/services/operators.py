"""
Actions of operators on free messages and queues: delete, send on, pause, resume; and the log's retention.
"""

from django.conf import settings
from django.db import transaction

from messages_app.audit import services as audit
from messages_app.core.statements import Statements
from messages_app.cp_queue import parameters
from messages_app.cp_queue.errors import MessageConflict, MessageNotFound
from messages_app.cp_queue.guids import guid_in_queue
from messages_app.cp_queue.models import CpMessage
from messages_app.cp_queue.states import State

statements = Statements("messages_app.cp_queue")


def delete_message(*, guid: str, actor: audit.Actor, reason: str = "") -> str:
    """
    Delete a free message without processing its object; return its stored GUID.

    Raises:
        InvalidParameter: the GUID is invalid.
        MessageNotFound: no message has it.
        MessageConflict: reserved, a service holds it; reset it first.
    """
    guid = guid_in_queue(guid)
    with transaction.atomic():
        row = statements.fetch_row("delete", {"guid": guid})
        if row is not None:
            details = dict(zip(("queue", "osid", "ostype", "created"), map(str, row), strict=True))
            audit.record_entry(
                actor=actor,
                action="delete_cp_message",
                subject_kind="cp_message",
                subject=guid,
                before_state=State.FREE,
                after_state="deleted",
                reason=reason,
                details=details,
            )
            return guid
    raise _refuse_held(guid)


def would_delete(*, guid: str) -> str:
    """Return the GUID of the message that `delete_message` would remove. Raises: the same."""
    guid = guid_in_queue(guid)
    if not CpMessage.objects.filter(pk=guid, lock_service=None).exists():
        raise _refuse_held(guid)
    return guid


def send_on(*, guid: str, actor: audit.Actor, reason: str = "") -> str:
    """
    Make a deferred or parked message available now and reset its attempts; return its GUID.

    Raises:
        InvalidParameter: the GUID is invalid.
        MessageNotFound: no message has it.
        MessageConflict: not_waiting, it is free or reserved.
    """
    guid = guid_in_queue(guid)
    with transaction.atomic():
        row = statements.fetch_row("send_on", {"guid": guid})
        if row is not None:
            audit.record_entry(
                actor=actor,
                action="send_on_cp_message",
                subject_kind="cp_message",
                subject=guid,
                before_state=State.DEFERRED if row[0] else State.PARKED,
                after_state=State.FREE,
                reason=reason,
            )
            return guid
    raise _make_refusal(guid, None, "not_waiting", "This message is not waiting after a retry.")


def _refuse_held(guid: str) -> MessageNotFound | MessageConflict:
    return _make_refusal(guid, State.RESERVED, "reserved", "A service holds this message. Reset it first.")


def _make_refusal(guid: str, state: State | None, code: str, text: str) -> MessageNotFound | MessageConflict:
    message = CpMessage.objects.filter(pk=guid).first()
    if message is None:
        return MessageNotFound(guid)
    current_state = State.FREE if message.lock_service is None else State.RESERVED
    return MessageConflict(code, text, current_state=state or current_state)


# Pausing a queue: no new reservation, from the moment that it is committed; the ones that services hold stay
# valid. The vendor does not have this; for a service, a paused queue is empty. Source:
# docs/contributing/spec/promises.md, I-53; docs/contributing/spec/bad_input.md, Q55.
def pause_queue(*, queue: str, actor: audit.Actor, reason: str = "") -> bool:
    """Pause a queue, any name; return whether it was not paused before. Raises InvalidParameter."""
    return _change_queue("pause", queue, actor, reason, action="pause_cp_queue", states=("active", "paused"))


def resume_queue(*, queue: str, actor: audit.Actor, reason: str = "") -> bool:
    """Resume a queue; return whether it was paused. Raises InvalidParameter."""
    return _change_queue(
        "resume", queue, actor, reason, action="resume_cp_queue", states=("paused", "active")
    )


def _change_queue(
    statement: str, queue: str, actor: audit.Actor, reason: str, *, action: str, states: tuple[str, str]
) -> bool:
    name = parameters.stored_queue_name(queue)
    before, after = states
    with transaction.atomic():
        values = {"queue": name, "actor": actor.username, "reason": reason}
        is_changed = statements.count(statement, values) == 1
        if is_changed:
            audit.record_entry(
                actor=actor,
                action=action,
                before_state=before,
                after_state=after,
                reason=reason,
                details={"queue": name},
            )
    return is_changed


# Retention: old dispatches, lost pickups and services that are gone are removed in small batches.
_BATCH, _MAX_BATCHES = 5_000, 200
_LOST_DAYS, _SERVICE_DAYS = 7, 30


def forget_old_log() -> int:
    """
    Remove dispatches older than settings.CP_LOG_DAYS, and other old rows; return the number of dispatches.
    """
    statements.count("forget_lost", {"days": _LOST_DAYS})
    statements.count("forget_services", {"days": _SERVICE_DAYS})
    removed = 0
    for _ in range(_MAX_BATCHES):
        count = statements.count("forget_dispatches", {"days": settings.CP_LOG_DAYS, "limit": _BATCH})
        removed += count
        if count < _BATCH:
            break
    return removed
