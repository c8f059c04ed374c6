"""
Calls of an OK message that were probably never made: a newer message of the same object has the row.

The hub keeps one row a call and key, re-points it to the newer message, and lets an older one skip the call
in silence. What can be told is told from the row that the newer message owns now: only "probably".
Source: spec/cleverbus.md 2.7.
"""

from dataclasses import dataclass

from messages_app.messages.explaining.answer import Explanation, explained, step
from messages_app.messages.explaining.looks import along
from messages_app.messages.explaining.reasons import By, NextStep, Reason
from messages_app.messages.explaining.subject import Subject
from messages_app.messages.models import ExternalCall, Message
from messages_app.messages.states import CONFIRMATION_OPERATION, ExternalCallState
from messages_app.web.words import clock

# The newest messages of the object, and the first of their calls: a row belongs to the last that took it.
_NEWER_LOOKED_AT = 50
_CALLS_LOOKED_AT = 200


@dataclass(frozen=True)
class _Rival:
    """A call's row that a newer message of the same object owns."""

    call: ExternalCall
    owner: Message


def explain_obsolete(subject: Subject) -> Explanation | None:
    """Explain an OK message by a call that it probably skipped or lost; None where no row says so."""
    rival = _rival(subject)
    if rival is None:
        return None
    skipped = _was_there_first(subject, rival)
    return explained(
        Reason.CALL_PROBABLY_SKIPPED if skipped else Reason.CALL_PROBABLY_TAKEN_OVER,
        f"OK since {clock(subject.since)}.",
        _skipped(subject, rival) if skipped else _taken_over(subject, rival),
        names=[rival.owner.pk],
        then=step(NextStep.CHECK_TARGET, By.OPERATOR) if skipped else step(NextStep.NOTHING, By.NOBODY),
    )


def _skipped(subject: Subject, rival: _Rival) -> str:
    call, owner = rival.call, rival.owner.pk
    return (
        f"Its call {call.shown_operation} was probably skipped: message {owner}, not older and for the same "
        f"object {subject.message.object_id}, made it at {clock(call.creation_timestamp)}. Nothing more "
        "happens; check there whether its own data was needed."
    )


def _taken_over(subject: Subject, rival: _Rival) -> str:
    call, owner = rival.call, rival.owner.pk
    return (
        f"Message {owner}, not older and for the same object {subject.message.object_id}, has probably "
        f"taken over its call {call.shown_operation}, which is {call.state} since "
        f"{clock(call.last_update_timestamp)} and stands under {owner} now. Nothing more happens."
    )


def _rival(subject: Subject) -> _Rival | None:
    owners = _not_older(subject)
    if not owners:
        return None
    calls = (
        ExternalCall.objects.filter(msg_id__in=list(owners))
        .exclude(operation_name=CONFIRMATION_OPERATION)
        .order_by("msg_id", "call_id")[:_CALLS_LOOKED_AT]
    )
    own_calls = along(ExternalCall.objects, "msg_id", subject.msg_id, then="call_id")
    own = set(own_calls.values_list("operation_name", flat=True)[:_CALLS_LOOKED_AT])
    rivals = (
        _Rival(call, owners[call.msg_id])
        for call in calls
        if call.operation_name not in own and _concerns(subject, call)
    )
    return next(rivals, None)


def _not_older(subject: Subject) -> dict[int, Message]:
    """Return the newest messages of the same object and operation whose time is not before its own."""
    message = subject.message
    if message.object_id is None or subject.is_archived:
        return {}
    same = along(Message.objects, "object_id", message.object_id, then="-msg_id")
    newest = same.only("msg_id", "msg_timestamp", "receive_timestamp", "service_name", "operation_name")
    return {
        other.pk: other
        for other in newest[:_NEWER_LOOKED_AT]
        if other.pk != message.pk
        and other.msg_timestamp >= message.msg_timestamp
        and other.service_name == message.service_name
        and other.operation_name == message.operation_name
    }


def _concerns(subject: Subject, call: ExternalCall) -> bool:
    """Return whether the row was there before this message ended, and its key names the object."""
    message = subject.message
    keys = (f"{message.entity_type}_{message.object_id}", message.object_id)
    return call.creation_timestamp < subject.since and any(
        call.entity_id == key or call.entity_id.startswith(f"{key}_") for key in keys
    )


def _was_there_first(subject: Subject, rival: _Rival) -> bool:
    """Return whether the newer message made the call while or before this one ran: then this one skips it."""
    started = subject.message.start_process_timestamp
    ended_before = started is not None and rival.call.last_update_timestamp <= started
    made_by_owner = rival.call.creation_timestamp >= rival.owner.receive_timestamp
    return rival.call.state != ExternalCallState.PROCESSING and (ended_before or made_by_owner)
