"""
OK and CANCEL: how it ended, and what may be left to do.

Source: spec/cleverbus.md 2.3 (an old error) and 3.1 point 8 (an overtaken cancel).
"""

from messages_app.messages.acting.causes import Cause
from messages_app.messages.explaining.answer import Explanation, explained, step
from messages_app.messages.explaining.codes import code_and_meaning
from messages_app.messages.explaining.confirmations import explain_confirmation
from messages_app.messages.explaining.obsolete import explain_obsolete
from messages_app.messages.explaining.reasons import By, NextStep, Reason
from messages_app.messages.explaining.subject import Subject, acted
from messages_app.messages.hub_defaults import REPAIR_AFTER
from messages_app.messages.models import MessageEvent
from messages_app.messages.states import HUB_OWNED_STATES, MessageAction, MessageState
from messages_app.web.words import clock, counted, quoted


def explain_cancel(subject: Subject) -> Explanation:
    """Explain a message in CANCEL."""
    arrival = subject.arrival(MessageState.CANCEL)
    if arrival is None:
        return _cancelled(subject, "Cancelled; by whom and when is not known, for the hub keeps neither.")
    why = subject.reason_given(MessageAction.CANCEL)
    told = f"Cancelled {acted(arrival)}{why}: it was {arrival.from_state}."
    if arrival.from_state in HUB_OWNED_STATES and subject.at - arrival.at <= REPAIR_AFTER:
        return explained(
            Reason.CANCEL_REQUESTED,
            told,
            "This is only a request: the hub was working on it and overwrites the cancel if it finishes.",
            then=step(NextStep.ROUTE, By.HUB),
        )
    return _cancelled(subject, told)


def _cancelled(subject: Subject, told: str) -> Explanation:
    return explained(
        Reason.CANCELLED,
        told,
        "The hub will not try it again; a restart would."
        if not subject.is_archived
        else "The hub will not try it again.",
        then=step(NextStep.NOTHING, By.NOBODY),
    )


def explain_ok(subject: Subject) -> Explanation:
    """Explain a message in OK."""
    return (
        _cancel_overtaken(subject)
        or explain_confirmation(subject)
        or explain_obsolete(subject)
        or _after_failures(subject)
        or _plain(subject)
    )


def _cancel_overtaken(subject: Subject) -> Explanation | None:
    cancel = overtaken_cancel(subject)
    if cancel is None:
        return None
    return explained(
        Reason.CANCEL_OVERTAKEN,
        f"OK since {clock(subject.since)}, although cancelled {acted(cancel)} when it was "
        f"{cancel.from_state}: the hub was at work on it, finished and overwrote the cancel.",
        "Nothing more happens; what it did stays done.",
        then=step(NextStep.NOTHING, By.NOBODY),
    )


def overtaken_cancel(subject: Subject) -> MessageEvent | None:
    """Return the operator's cancel that the hub itself has overwritten, if no operator acted since."""
    if subject.message.state == MessageState.CANCEL:
        return None
    later = None
    for event in subject.events:
        if event.actor is not None:
            overtaken = event.to_state == MessageState.CANCEL and later is not None
            return event if overtaken and not _is_restart(event, later) else None
        later = event
    return None


def _is_restart(cancel: MessageEvent, then: MessageEvent) -> bool:
    """Return whether somebody restarted it in the hub's own console, whose users have no name here."""
    return then.to_state == MessageState.PARTLY_FAILED and cancel.from_state not in HUB_OWNED_STATES


def _after_failures(subject: Subject) -> Explanation | None:
    message = subject.message
    if not message.failed_count and message.failed_error_code is None:
        return None
    failed = counted(message.failed_count, "attempt")
    error = code_and_meaning(message.failed_error_code)
    return _done(
        subject,
        Reason.DONE_AFTER_FAILURES,
        f"{failed} failed before that; {error} is an earlier error."
        if message.failed_count
        else f"An earlier error was {error}.",
    )


def _plain(subject: Subject) -> Explanation:
    return _done(subject, Reason.DONE)


def _done(subject: Subject, reason: Reason, *sentences: str) -> Explanation:
    """Say since when it is OK, and whose restart made it so, where one did."""
    restart = subject.last_restart
    return explained(
        reason,
        f"OK since {clock(subject.since)}{_after(restart) if restart else ''}.",
        *sentences,
        "Nothing more happens.",
        then=step(NextStep.NOTHING, By.NOBODY),
        job_id=restart.job_id if restart else None,
    )


def _after(restart: Cause) -> str:
    """Write: , after job 1, restarted by ada (“the gateway is back”)."""
    job = f", after job {restart.job_id}, restarted" if restart.job_id else ", after it was restarted"
    scratch = " from scratch" if restart.total else ""
    why = f" ({quoted(restart.reason)})" if restart.reason else ""
    return f"{job}{scratch} by {restart.actor}{why}"
