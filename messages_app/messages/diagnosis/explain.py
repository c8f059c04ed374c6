"""The explanation of a message: one function for each state."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from django.db.models.functions import Now

from messages_app.core.clock import database_clock
from messages_app.messages.diagnosis.explanation import Explanation, build_explanation, make_step
from messages_app.messages.diagnosis.failed import explain_failure
from messages_app.messages.diagnosis.final_states import explain_cancel, explain_ok, find_overtaken_cancel
from messages_app.messages.diagnosis.postponed import explain_postponed
from messages_app.messages.diagnosis.reasons import By, NextStep, Reason
from messages_app.messages.diagnosis.responses import explain_response
from messages_app.messages.diagnosis.retries import explain_retry
from messages_app.messages.diagnosis.starting import explain_start
from messages_app.messages.diagnosis.subject import Subject, describe_actor_and_time
from messages_app.messages.diagnosis.waiting import explain_parent
from messages_app.messages.fields import WIDE_COLUMNS
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.tables import locate_message
from messages_app.shared.message_states import FINAL_STATES, MessageState

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


def explain_by_id(msg_id: int, at: datetime | None = None) -> Explanation:
    """
    Explain the state of a message: its cause, the messages that block it, and the next step.

    Args:
        at: the time of the explanation; None for now, by the database's clock.

    Raises:
        MessageNotFound: neither the live table nor the archive has the id.
    """
    message, _ = locate_message(msg_id, lambda rows: rows.defer(*WIDE_COLUMNS).annotate(database_clock=Now()))
    return explain_message(message, at=at or getattr(message, "database_clock", None) or database_clock())


def explain_message(message: MessageColumns, *, at: datetime) -> Explanation:
    """
    Explain the state of a message at the time `at`, only from rows of the database.

    The rules are those of the hub in the setting HUB_RULES, with the times in hub_times.
    Source: docs/contributing/spec/cleverbus.md.
    """
    subject = Subject(message, at)
    if message.state not in _BY_STATE:
        return _explain_unknown_state(subject)
    if subject.is_archived:
        return _add_note_on_times(subject, _explain_archived(subject))
    explanation = _BY_STATE[message.state](subject)
    return _add_note_on_times(subject, _add_overtaken_cancel(subject, explanation))


def _explain_unknown_state(subject: Subject) -> Explanation:
    return build_explanation(
        Reason.UNKNOWN_STATE,
        f"The console does not know its state {subject.message.state}, so it cannot explain it or say what "
        "comes next.",
        next_step=make_step(NextStep.CHECK_HUB, By.OPERATOR),
    )


def _explain_archived(subject: Subject) -> Explanation:
    state = subject.message.state
    if state not in FINAL_STATES:
        return build_explanation(
            Reason.ARCHIVED_UNFINISHED,
            f"It was archived in {state}, unfinished. The hub does not continue with it.",
            "Restore it if it is still needed.",
            next_step=make_step(NextStep.RESTORE, By.OPERATOR),
        )
    explanation = _BY_STATE[state](subject)
    if state != MessageState.FAILED:
        return replace(explanation, summary=f"{explanation.summary} It is in the archive.")
    return replace(
        explanation,
        summary=f"{explanation.summary} It is in the archive: restore it first.",
        next=make_step(NextStep.RESTORE, By.OPERATOR),
    )


def _add_overtaken_cancel(subject: Subject, explanation: Explanation) -> Explanation:
    """Add that a cancel had no effect, unless the explanation is about that cancel."""
    cancel = find_overtaken_cancel(subject)
    if cancel is None or explanation.reason == Reason.CANCEL_OVERTAKEN:
        return explanation
    return replace(
        explanation,
        summary=f"{explanation.summary} It was cancelled {describe_actor_and_time(cancel)}, "
        "but the hub continued with it.",
    )


def _add_note_on_times(subject: Subject, explanation: Explanation) -> Explanation:
    note = subject.note_on_times
    return replace(explanation, summary=f"{explanation.summary} {note}") if note else explanation
