"""
The advice to an operator about a message, which never contradicts its allowed actions.

No other module can name a cancel or a restart as the next step, because `reasons.step` refuses both.
"""

from dataclasses import dataclass

from messages_app.messages import services
from messages_app.messages.available_actions import spec_of
from messages_app.messages.diagnosis.explanation import Next, action_step, make_step
from messages_app.messages.diagnosis.reasons import By, NextStep
from messages_app.messages.diagnosis.subject import Subject
from messages_app.shared.message_states import MessageAction


@dataclass(frozen=True)
class Advice:
    """Advice as a sentence of the summary and as the next step."""

    text: str
    next_step: Next


def is_allowed(subject: Subject, action: MessageAction) -> bool:
    """Return whether the API allows this action on the message now."""
    return action in services.allowed_actions(subject.message)


def advise_action(subject: Subject, action: MessageAction, *, text: str, otherwise: str = "") -> Advice:
    """
    Advise an action, or something else if the action is not allowed.

    Args:
        text: the advice if the action is allowed, or is allowed after a restore from the archive.
        otherwise: the advice if it is not allowed; by default, to correct the row.
    """
    if is_allowed(subject, action):
        return Advice(text, action_step(action))
    if subject.is_archived:
        return Advice(text, make_step(NextStep.RESTORE, By.OPERATOR))
    state = subject.message.state
    refused = f"It cannot be {spec_of(action).participle} in {state}. Its row must be corrected."
    return Advice(otherwise or refused, make_step(NextStep.CORRECT, By.OPERATOR))


def blocker_step(subject: Subject, *, state: str, is_archived: bool) -> Next:
    """Return the next step for a message that FAILED because of another message, its blocker."""
    if subject.is_archived:
        return make_step(NextStep.RESTORE, By.OPERATOR)
    if is_archived:
        return make_step(NextStep.RESTORE_BLOCKER, By.OPERATOR)
    if state in subject.rules.restart_from:
        return make_step(NextStep.RESTART_BLOCKER, By.OPERATOR)
    return make_step(NextStep.BLOCKER_ENDS, By.HUB)
