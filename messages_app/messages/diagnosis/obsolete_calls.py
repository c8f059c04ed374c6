"""
Calls that an OK message probably did not make, because a newer message of the same object owns their row.

The hub keeps one row for each call and key. It assigns the row to the newer message, and the older message
skips the call without a trace. The row of the newer message is the only evidence, so the text says
"probably". Source: docs/contributing/spec/cleverbus.md, "External calls".
"""

from dataclasses import dataclass

from messages_app.core.formatting import format_moment
from messages_app.messages.diagnosis.explanation import Explanation, build_explanation, make_step
from messages_app.messages.diagnosis.reasons import By, NextStep, Reason
from messages_app.messages.diagnosis.subject import Subject, filter_by_index
from messages_app.messages.models import ExternalCall, Message
from messages_app.shared.message_states import (
    CONFIRMATION_OPERATION,
    ExternalCallState,
)

# How many of the newest messages of the object, and of their first calls, are searched.
_MAX_NEWER = 50


_MAX_CALLS = 200


@dataclass(frozen=True)
class _Rival:
    """The row of a call that a newer message of the same object owns."""

    call: ExternalCall
    owner: Message


def explain_obsolete(subject: Subject) -> Explanation | None:
    """Explain an OK message by a call that it probably skipped or lost; None without evidence of one."""
    rival = _find_rival(subject)
    if rival is None:
        return None
    skipped = _is_rival_first(subject, rival)
    return build_explanation(
        Reason.CALL_PROBABLY_SKIPPED if skipped else Reason.CALL_PROBABLY_TAKEN_OVER,
        f"OK since {format_moment(subject.since)}.",
        _write_skipped(subject, rival) if skipped else _write_taken_over(subject, rival),
        names=[rival.owner.pk],
        next_step=make_step(NextStep.CHECK_TARGET, By.OPERATOR)
        if skipped
        else make_step(NextStep.NOTHING, By.NOBODY),
    )


def _write_skipped(subject: Subject, rival: _Rival) -> str:
    call, owner = rival.call, rival.owner.pk
    return (
        f"Its call {call.shown_operation} was probably skipped: message {owner}, newer and for the same "
        f"object {subject.message.object_id}, made it at "
        f"{format_moment(call.creation_timestamp)}. No further "
        "action; check there whether the data of this message was needed."
    )


def _write_taken_over(subject: Subject, rival: _Rival) -> str:
    call, owner = rival.call, rival.owner.pk
    return (
        f"Message {owner}, newer and for the same object {subject.message.object_id}, has probably "
        f"taken over its call {call.shown_operation}, which is {call.state} since "
        f"{format_moment(call.last_update_timestamp)} and now belongs to {owner}. No further action."
    )


def _find_rival(subject: Subject) -> _Rival | None:
    owners = _find_not_older(subject)
    if not owners:
        return None
    calls = (
        ExternalCall.objects.filter(msg_id__in=list(owners))
        .exclude(operation_name=CONFIRMATION_OPERATION)
        .order_by("msg_id", "call_id")[:_MAX_CALLS]
    )
    own_calls = filter_by_index(ExternalCall.objects, "msg_id", subject.msg_id, order="call_id")
    own = set(own_calls.values_list("operation_name", flat=True)[:_MAX_CALLS])
    rivals = (
        _Rival(call, owners[call.msg_id])
        for call in calls
        if call.operation_name not in own and _is_of_message(subject, call)
    )
    return next(rivals, None)


def _find_not_older(subject: Subject) -> dict[int, Message]:
    """Return the newest messages of the same object and operation that are not older than this one."""
    message = subject.message
    if message.object_id is None or subject.is_archived:
        return {}
    same = filter_by_index(Message.objects, "object_id", message.object_id, order="-msg_id")
    newest = same.only("msg_id", "msg_timestamp", "receive_timestamp", "service_name", "operation_name")
    return {
        other.pk: other
        for other in newest[:_MAX_NEWER]
        if other.pk != message.pk
        and other.msg_timestamp >= message.msg_timestamp
        and other.service_name == message.service_name
        and other.operation_name == message.operation_name
    }


def _is_of_message(subject: Subject, call: ExternalCall) -> bool:
    """Return whether the row is older than the end of this message, and its key names the object."""
    message = subject.message
    keys = (f"{message.entity_type}_{message.object_id}", message.object_id)
    return call.creation_timestamp < subject.since and any(
        call.entity_id == key or call.entity_id.startswith(f"{key}_") for key in keys
    )


def _is_rival_first(subject: Subject, rival: _Rival) -> bool:
    """Return whether the newer message made the call first, so that this message skipped it."""
    started = subject.message.start_process_timestamp
    ended_before = started is not None and rival.call.last_update_timestamp <= started
    made_by_owner = rival.call.creation_timestamp >= rival.owner.receive_timestamp
    return rival.call.state != ExternalCallState.PROCESSING and (ended_before or made_by_owner)
