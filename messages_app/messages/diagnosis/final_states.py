"""
Explanations of OK and CANCEL: how the message ended, and what may be left to do.

Source: docs/contributing/spec/cleverbus.md, "Transitions" (an old error), "Restart and cancel" point 8 (an
overtaken cancel).
"""

from messages_app.core.formatting import count_of, format_moment, quote_text
from messages_app.messages.actions.causes import Cause
from messages_app.messages.diagnosis.confirmations import explain_confirmation
from messages_app.messages.diagnosis.error_codes import describe_code
from messages_app.messages.diagnosis.explanation import Explanation, build_explanation, make_step
from messages_app.messages.diagnosis.obsolete_calls import explain_obsolete
from messages_app.messages.diagnosis.reasons import By, NextStep, Reason
from messages_app.messages.diagnosis.subject import Subject, describe_actor_and_time
from messages_app.messages.models import MessageEvent
from messages_app.shared.message_states import (
    HUB_OWNED_STATES,
    MessageAction,
    MessageState,
)


def explain_cancel(subject: Subject) -> Explanation:
    """Explain a message in CANCEL."""
    arrival = subject.find_arrival(MessageState.CANCEL)
    if arrival is None:
        return _explain_cancelled(subject, "Cancelled; the hub did not record who or when.")
    why = subject.write_reason(MessageAction.CANCEL)
    cancelled = f"Cancelled {describe_actor_and_time(arrival)}{why}: it was {arrival.from_state}."
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
        f"OK since {format_moment(subject.since)}, although cancelled "
        f"{describe_actor_and_time(cancel)} when it was "
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
    """Explain an OK message: since when it is OK, and after which restart or children, if any."""
    restart = subject.last_restart
    end = _write_restart(restart) if restart else _write_children(subject)
    return build_explanation(
        reason,
        f"OK since {format_moment(subject.since)}{end}.",
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


def _write_children(subject: Subject) -> str:
    """Write why a parent that waited is OK, as the end of a sentence; empty for other messages."""
    arrival = subject.find_arrival(MessageState.OK)
    has_waited = arrival is not None and arrival.from_state == MessageState.WAITING
    return ", when all its HARD children were OK" if has_waited else ""
