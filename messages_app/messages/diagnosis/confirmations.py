"""Confirmations: the notification of the source system about the end of its message.

Source: docs/contributing/spec/cleverbus.md, "Confirmations".
"""

from messages_app.core.formatting import count_of, format_moment
from messages_app.messages.diagnosis.explanation import Explanation, build_explanation, make_step
from messages_app.messages.diagnosis.reasons import By, NextStep, Reason
from messages_app.messages.diagnosis.subject import Subject
from messages_app.messages.hub_columns import ExternalCallColumns
from messages_app.messages.models import ArchiveExternalCall, ExternalCall
from messages_app.shared.message_states import (
    CONFIRMATION_OPERATION,
    ExternalCallState,
)

_MAX_CALLS = 200


def explain_confirmation(subject: Subject) -> Explanation | None:
    """Explain an OK message whose source system was not notified; None for any other message."""
    row = _read_confirmation(subject)
    if row is None:
        return None
    outcome = (
        f"OK since {format_moment(subject.since)}, but {subject.message.source_system} was not notified:"
    )
    if row.state == ExternalCallState.FAILED_END:
        return build_explanation(
            Reason.CONFIRMATION_GIVEN_UP,
            outcome,
            f"{count_of(row.failed_count, 'attempt')} to confirm failed, the last at "
            f"{format_moment(row.last_update_timestamp)}, and the hub gave up.",
            "Notify the source system by other means.",
            next_step=make_step(NextStep.CHECK_TARGET, By.OPERATOR),
        )
    if row.state != ExternalCallState.FAILED:
        return None
    times = subject.times
    at = max(row.last_update_timestamp + times.confirmation_rests, subject.at)
    latest = at + times.confirmation_every
    return build_explanation(
        Reason.CONFIRMATION_FAILING,
        outcome,
        f"{row.failed_count} of {times.confirmation_tries + 1} attempts to confirm failed.",
        f"The hub retries between {format_moment(at)} and {format_moment(latest)}.",
        next_step=make_step(NextStep.CONFIRMATION, By.HUB, at=at, latest=latest),
    )


def _read_confirmation(subject: Subject) -> ExternalCallColumns | None:
    """Return the confirmation of a message. A confirmation without a failed attempt has no row."""
    if subject.is_archived:
        calls = ArchiveExternalCall.objects.filter(msg_id=subject.msg_id)[:_MAX_CALLS]
        return next((call for call in calls if call.operation_name == CONFIRMATION_OPERATION), None)
    # The unique key does not include the source system, so the row can belong to another message.
    key = {"operation_name": CONFIRMATION_OPERATION, "entity_id": subject.message.correlation_id}
    return ExternalCall.objects.filter(msg_id=subject.msg_id, **key).first()


def write_confirmation_note(subject: Subject) -> str:
    """Write that the source system was not notified; empty if no row shows that."""
    row = _read_confirmation(subject)
    source = subject.message.source_system
    if row is None or row.state not in {ExternalCallState.FAILED, ExternalCallState.FAILED_END}:
        return ""
    if row.state == ExternalCallState.FAILED_END:
        return f"The hub also gave up notifying the source system {source}."
    return f"The source system {source} has not been notified yet."
