"""What operators do to one free message: delete it, or send on what waits after a retry."""

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.cp_queue.changing.refusals import MessageConflict, MessageNotFound
from messages_app.cp_queue.models import CpMessage
from messages_app.cp_queue.sending import row_of
from messages_app.cp_queue.spellings import guid_in_queue
from messages_app.cp_queue.states import State


def delete(*, guid: str, actor: audit.Actor, reason: str = "") -> str:
    """
    Delete a free message, whose object is not processed for it; return its GUID as it was stored.

    Raises:
        InvalidParameter: the GUID is none.
        MessageNotFound: no message has it.
        MessageConflict: reserved, a service holds it; reset it first.
    """
    guid = guid_in_queue(guid)
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
            return guid
    raise _held(guid)


def would_delete(*, guid: str) -> str:
    """Return the GUID of the message that `delete` would remove, and remove none. Raises: as delete."""
    guid = guid_in_queue(guid)
    if not CpMessage.objects.filter(pk=guid, lock_service=None).exists():
        raise _held(guid)
    return guid


def send_on(*, guid: str, actor: audit.Actor, reason: str = "") -> str:
    """
    Let a deferred or parked message be handed out now, with all its attempts before it; return its GUID.

    Raises:
        InvalidParameter: the GUID is none.
        MessageNotFound: no message has it.
        MessageConflict: not_waiting, it is free or reserved.
    """
    guid = guid_in_queue(guid)
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
            return guid
    raise _refusal(guid, None, "not_waiting", "This message does not wait after a retry.")


def _held(guid: str) -> MessageNotFound | MessageConflict:
    return _refusal(guid, State.RESERVED, "reserved", "A service holds this message; reset it first.")


def _refusal(guid: str, state: State | None, code: str, text: str) -> MessageNotFound | MessageConflict:
    message = CpMessage.objects.filter(pk=guid).first()
    if message is None:
        return MessageNotFound(guid)
    found = State.FREE if message.lock_service is None else State.RESERVED
    return MessageConflict(code, text, current_state=state or found)
