"""What operators do to one free message: delete it, or send on what waits after a retry."""

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.cp_queue import parameters
from messages_app.cp_queue.changing.refusals import MessageConflict, MessageNotFound
from messages_app.cp_queue.models import CpMessage
from messages_app.cp_queue.sending import row_of
from messages_app.cp_queue.states import State


def delete(*, guid: str, actor: audit.Actor, reason: str = "") -> None:
    """
    Delete a free message: its object is not processed for it.

    Raises:
        InvalidParameter: the GUID is none.
        MessageNotFound: no message has it.
        MessageConflict: reserved, a service holds it; reset it first.
    """
    guid = parameters.message_guid(guid)
    with transaction.atomic():
        row = row_of("delete", {"guid": guid})
        if row is not None:
            details = dict(zip(("queue", "osid", "ostype", "created"), map(str, row), strict=True))
            audit.record(
                actor=actor,
                action="delete_cp_message",
                subject_kind="cp_message",
                subject=guid,
                before_state=State.FREE,
                after_state="deleted",
                reason=reason,
                details=details,
            )
            return
    raise _held(guid)


def would_delete(*, guid: str) -> int:
    """Return how many messages `delete` would remove, which is 1, and remove none. Raises: as delete."""
    guid = parameters.message_guid(guid)
    if not CpMessage.objects.filter(pk=guid, lock_service=None).exists():
        raise _held(guid)
    return 1


def send_on(*, guid: str, actor: audit.Actor, reason: str = "") -> None:
    """
    Let a deferred or parked message be handed out now, with all its attempts before it.

    Raises:
        InvalidParameter: the GUID is none.
        MessageNotFound: no message has it.
        MessageConflict: not_waiting, it is free or reserved.
    """
    guid = parameters.message_guid(guid)
    with transaction.atomic():
        row = row_of("send_on", {"guid": guid})
        if row is not None:
            audit.record(
                actor=actor,
                action="send_on_cp_message",
                subject_kind="cp_message",
                subject=guid,
                before_state=State.DEFERRED if row[0] else State.PARKED,
                after_state=State.FREE,
                reason=reason,
            )
            return
    raise _refusal(guid, None, "not_waiting", "This message does not wait after a retry.")


def _held(guid: str) -> MessageNotFound | MessageConflict:
    return _refusal(guid, State.RESERVED, "reserved", "A service holds this message; reset it first.")


def _refusal(guid: str, state: State | None, code: str, text: str) -> MessageNotFound | MessageConflict:
    message = CpMessage.objects.filter(pk=guid).first()
    if message is None:
        return MessageNotFound(guid)
    found = State.FREE if message.lock_service is None else State.RESERVED
    return MessageConflict(code, text, current_state=state or found)
