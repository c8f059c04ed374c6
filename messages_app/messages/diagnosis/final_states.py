"""
Explanations of OK and CANCEL: how the message ended, and what may be left to do.

Source: docs/contributing/spec/cleverbus.md, "Transitions" (an old error), "Restart and cancel" point 8 (an
overtaken cancel).
"""

from dataclasses import dataclass

from messages_app.core.formatting import count_of, format_clock_time, quote_text
from messages_app.messages.actions.outcome import Cause
from messages_app.messages.diagnosis.advice import describe_code
from messages_app.messages.diagnosis.children import explain_confirmation
from messages_app.messages.diagnosis.reasons import (
    By,
    Explanation,
    NextStep,
    Reason,
    build_explanation,
    make_step,
)
from messages_app.messages.diagnosis.subject import Subject, actor_and_time, filter_by_index
from messages_app.messages.models import ExternalCall, Message, MessageEvent
from messages_app.shared.message_states import (
    CONFIRMATION_OPERATION,
    HUB_OWNED_STATES,
    ExternalCallState,
    MessageAction,
    MessageState,
)

# Calls that an OK message probably did not make, because a newer message of the same object owns their row.
#
# The hub keeps one row for each call and key. It assigns the row to the newer message, and the older message
# skips the call without a trace. The row of the newer message is the only evidence, so the text says
# "probably". Source: docs/contributing/spec/cleverbus.md, "External calls".


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
        f"OK since {format_clock_time(subject.since)}.",
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
        f"{format_clock_time(call.creation_timestamp)}. No further "
        "action; check there whether the data of this message was needed."
    )


def _write_taken_over(subject: Subject, rival: _Rival) -> str:
    call, owner = rival.call, rival.owner.pk
    return (
        f"Message {owner}, newer and for the same object {subject.message.object_id}, has probably "
        f"taken over its call {call.shown_operation}, which is {call.state} since "
        f"{format_clock_time(call.last_update_timestamp)} and now belongs to {owner}. No further action."
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


def explain_cancel(subject: Subject) -> Explanation:
    """Explain a message in CANCEL."""
    arrival = subject.arrival(MessageState.CANCEL)
    if arrival is None:
        return _explain_cancelled(subject, "Cancelled; the hub did not record who or when.")
    why = subject.write_reason(MessageAction.CANCEL)
    cancelled = f"Cancelled {actor_and_time(arrival)}{why}: it was {arrival.from_state}."
    is_recent = subject.at - arrival.at <= subject.times.repair_after
    if arrival.from_state in HUB_OWNED_STATES and is_recent:
        return build_explanation(
            Reason.CANCEL_REQUESTED,
            cancelled,
            "This is only a request: the hub was processing it and overwrites the cancel if it finishes.",
            next_step=make_step(NextStep.ROUTE, By.HUB),
        )
    return _explain_cancelled(subject, cancelled)


def _explain_cancelled(subject: Subject, cancelled: str) -> Explanation:
    return build_explanation(
        Reason.CANCELLED,
        cancelled,
        "The hub will not retry it unless it is restarted."
        if not subject.is_archived
        else "The hub will not retry it.",
        next_step=make_step(NextStep.NOTHING, By.NOBODY),
    )


def explain_ok(subject: Subject) -> Explanation:
    """Explain a message in OK."""
    return (
        _explain_overtaken_cancel(subject)
        or explain_confirmation(subject)
        or explain_obsolete(subject)
        or _explain_earlier_failures(subject)
        or _explain_plain_ok(subject)
    )


def _explain_overtaken_cancel(subject: Subject) -> Explanation | None:
    cancel = find_overtaken_cancel(subject)
    if cancel is None:
        return None
    return build_explanation(
        Reason.CANCEL_OVERTAKEN,
        f"OK since {format_clock_time(subject.since)}, although cancelled "
        f"{actor_and_time(cancel)} when it was "
        f"{cancel.from_state}: the hub was processing it, finished and overwrote the cancel.",
        "No further action; its effects are not undone.",
        next_step=make_step(NextStep.NOTHING, By.NOBODY),
    )


def find_overtaken_cancel(subject: Subject) -> MessageEvent | None:
    """Return the cancel that the hub has overwritten, if it is the last change by an operator."""
    if subject.message.state == MessageState.CANCEL:
        return None
    later: MessageEvent | None = None
    for event in subject.events:
        if event.actor is not None:
            if event.to_state != MessageState.CANCEL or later is None or _is_restart(event, later):
                return None
            return event
        later = event
    return None


def _is_restart(cancel: MessageEvent, next_event: MessageEvent) -> bool:
    """Return whether the next event is a restart in the hub's own console, which does not record users."""
    return next_event.to_state == MessageState.PARTLY_FAILED and cancel.from_state not in HUB_OWNED_STATES


def _explain_earlier_failures(subject: Subject) -> Explanation | None:
    message = subject.message
    if not message.failed_count and message.failed_error_code is None:
        return None
    failed = count_of(message.failed_count, "attempt")
    error = describe_code(message.failed_error_code)
    return _explain_done(
        subject,
        Reason.DONE_AFTER_FAILURES,
        f"{failed} failed before that; {error} is from an earlier attempt."
        if message.failed_count
        else f"An earlier error was {error}.",
    )


def _explain_plain_ok(subject: Subject) -> Explanation:
    return _explain_done(subject, Reason.DONE)


def _explain_done(subject: Subject, reason: Reason, *sentences: str) -> Explanation:
    """Explain an OK message: since when it is OK, and after which restart, if any."""
    restart = subject.last_restart
    return build_explanation(
        reason,
        f"OK since {format_clock_time(subject.since)}{_write_restart(restart) if restart else ''}.",
        *sentences,
        "No further action.",
        next_step=make_step(NextStep.NOTHING, By.NOBODY),
        job_id=restart.job_id if restart else None,
    )


def _write_restart(restart: Cause) -> str:
    """Write the restart as the end of a sentence: , after job 1, restarted by ada (“the gateway is back”)."""
    job = f", after job {restart.job_id}, restarted" if restart.job_id else ", after it was restarted"
    scratch = " from scratch" if restart.total else ""
    why = f" ({quote_text(restart.reason)})" if restart.reason else ""
    return f"{job}{scratch} by {restart.actor}{why}"
