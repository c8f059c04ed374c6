"""From a message to its explanation: one function a state."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from messages_app.messages.explaining.answer import Explanation, explained, step
from messages_app.messages.explaining.ends import explain_cancel, explain_ok, overtaken_cancel
from messages_app.messages.explaining.failures import explain_failure
from messages_app.messages.explaining.parents import explain_parent
from messages_app.messages.explaining.postponed import explain_postponed
from messages_app.messages.explaining.reasons import By, NextStep, Reason
from messages_app.messages.explaining.responses import explain_response
from messages_app.messages.explaining.retrying import explain_retry
from messages_app.messages.explaining.starting import explain_start
from messages_app.messages.explaining.subject import Subject, acted
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.states import FINAL_STATES, MessageState

_BY_STATE: dict[str, Callable[[Subject], Explanation]] = {
    MessageState.NEW: explain_start,
    MessageState.IN_QUEUE: explain_start,
    MessageState.PROCESSING: explain_start,
    MessageState.PARTLY_FAILED: explain_retry,
    MessageState.POSTPONED: explain_postponed,
    MessageState.WAITING: explain_parent,
    MessageState.WAITING_FOR_RES: explain_response,
    MessageState.FAILED: explain_failure,
    MessageState.CANCEL: explain_cancel,
    MessageState.OK: explain_ok,
}


def explain_message(message: MessageColumns, *, at: datetime) -> Explanation:
    """
    Return why a message is where it is at `at`, and what comes next, from the rows alone.

    The rules are those of the hub that HUB_RULES names, its timings those of hub_defaults.
    Source: spec/cleverbus.md 2 to 6.
    """
    subject = Subject(message, at)
    if message.state not in _BY_STATE:
        return _unknown(subject)
    if subject.is_archived:
        return _archived(subject)
    found = _BY_STATE[message.state](subject)
    return _with_overtaken_cancel(subject, found)


def _unknown(subject: Subject) -> Explanation:
    return explained(
        Reason.UNKNOWN_STATE,
        f"Its state is {subject.message.state}, which this console does not know: neither why it is in it "
        "nor what comes next can be told.",
        then=step(NextStep.CHECK_HUB, By.OPERATOR),
    )


def _archived(subject: Subject) -> Explanation:
    state = subject.message.state
    if state not in FINAL_STATES:
        return explained(
            Reason.ARCHIVED_UNFINISHED,
            f"It was archived in {state}, unfinished: nothing in the hub goes on with it.",
            "Restore it if it is still wanted.",
            then=step(NextStep.RESTORE, By.OPERATOR),
        )
    found = _BY_STATE[state](subject)
    if state != MessageState.FAILED:
        return replace(found, summary=f"{found.summary} It is in the archive.")
    return replace(
        found,
        summary=f"{found.summary} It is in the archive: restore it before anything else.",
        next=step(NextStep.RESTORE, By.OPERATOR),
    )


def _with_overtaken_cancel(subject: Subject, found: Explanation) -> Explanation:
    """Add that somebody cancelled it in vain, where the reason is another."""
    cancel = overtaken_cancel(subject)
    if cancel is None or found.reason == Reason.CANCEL_OVERTAKEN:
        return found
    return replace(
        found, summary=f"{found.summary} It was cancelled {acted(cancel)}, but the hub went on with it."
    )
