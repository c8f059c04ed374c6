"""
Confirmations: whether the source system could be told how its message ended.

Source: spec/cleverbus.md 2.8.
"""

from messages_app.messages.explaining.answer import Explanation, explained, step
from messages_app.messages.explaining.reasons import By, NextStep, Reason
from messages_app.messages.explaining.subject import Subject
from messages_app.messages.hub_columns import ExternalCallColumns
from messages_app.messages.hub_defaults import CONFIRMATION_EVERY, CONFIRMATION_TRIES
from messages_app.messages.models import ArchiveExternalCall, ExternalCall
from messages_app.messages.states import CONFIRMATION_OPERATION, ExternalCallState
from messages_app.web.words import clock, counted

_CALLS_LOOKED_AT = 200


def explain_confirmation(subject: Subject) -> Explanation | None:
    """Explain an OK message whose source system could not be told; None for any other."""
    row = _confirmation_row(subject)
    if row is None:
        return None
    told = f"OK since {clock(subject.since)}, but {subject.message.source_system} could not be told:"
    if row.state == ExternalCallState.FAILED_END:
        return explained(
            Reason.CONFIRMATION_GIVEN_UP,
            told,
            f"{counted(row.failed_count, 'try')} to confirm failed, the last at "
            f"{clock(row.last_update_timestamp)}, and the hub gave up.",
            "Tell the source system by other means.",
            then=step(NextStep.CHECK_TARGET, By.OPERATOR),
        )
    if row.state != ExternalCallState.FAILED:
        return None
    at = max(row.last_update_timestamp + CONFIRMATION_EVERY, subject.at)
    return explained(
        Reason.CONFIRMATION_FAILING,
        told,
        f"{counted(row.failed_count, 'try')} of {CONFIRMATION_TRIES + 1} to confirm failed.",
        f"The hub tries again between {clock(at)} and {clock(at + CONFIRMATION_EVERY)}.",
        then=step(NextStep.CONFIRMATION, By.HUB, at=at, latest=at + CONFIRMATION_EVERY),
    )


def _confirmation_row(subject: Subject) -> ExternalCallColumns | None:
    """Return the message's confirmation; one that succeeded at once leaves no row."""
    if subject.is_archived:
        calls = ArchiveExternalCall.objects.filter(msg_id=subject.msg_id)[:_CALLS_LOOKED_AT]
        return next((call for call in calls if call.operation_name == CONFIRMATION_OPERATION), None)
    # By its unique key; that ignores the source system, so the row may be another message's.
    key = {"operation_name": CONFIRMATION_OPERATION, "entity_id": subject.message.correlation_id}
    return ExternalCall.objects.filter(msg_id=subject.msg_id, **key).first()


def confirmation_note(subject: Subject) -> str:
    """Say that the source system was not told how its message ended; empty where no row says so."""
    row = _confirmation_row(subject)
    source = subject.message.source_system
    if row is None or row.state not in {ExternalCallState.FAILED, ExternalCallState.FAILED_END}:
        return ""
    if row.state == ExternalCallState.FAILED_END:
        return f"The hub also gave up telling {source}, the source system."
    return f"{source}, the source system, could not be told yet."
