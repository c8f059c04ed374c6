"""
What an operator is advised to do about a message: nothing that its allowed actions forbid.

No other module can name a cancel or a restart as the next step: `answer.step` refuses both.
"""

from dataclasses import dataclass

from messages_app.messages import services
from messages_app.messages.explaining.answer import action_step, step
from messages_app.messages.explaining.reasons import By, NextStep
from messages_app.messages.explaining.subject import Subject
from messages_app.messages.states import MessageAction

_PARTICIPLES = {MessageAction.CANCEL: "cancelled", MessageAction.RESTART: "restarted"}


@dataclass(frozen=True)
class Advice:
    """What the summary advises, and the next step that says the same."""

    words: str
    then: dict[str, str | None]


def may(subject: Subject, action: MessageAction) -> bool:
    """Return whether the API would do the action to this message now."""
    return action in services.allowed_actions(subject.message)


def advise(subject: Subject, action: MessageAction, *, words: str, otherwise: str = "") -> Advice:
    """
    Return the advice to act, or another one where the action is not allowed.

    Args:
        words: the advice where the action is allowed, or will be after a restore from the archive.
        otherwise: the advice where it is not allowed; by default, that the row must be corrected.
    """
    if may(subject, action):
        return Advice(words, action_step(action))
    if subject.is_archived:
        return Advice(words, step(NextStep.RESTORE, By.OPERATOR))
    state = subject.message.state
    refused = f"It cannot be {_PARTICIPLES[action]} in {state}; its row must be corrected."
    return Advice(otherwise or refused, step(NextStep.CORRECT, By.OPERATOR))


def after_blocker(subject: Subject, *, state: str, is_archived: bool) -> dict[str, str | None]:
    """Return the next step of a message that FAILED because of another, by where the other one is."""
    if subject.is_archived:
        return step(NextStep.RESTORE, By.OPERATOR)
    if is_archived:
        return step(NextStep.RESTORE_BLOCKER, By.OPERATOR)
    if state in subject.rules.restart_from:
        return step(NextStep.RESTART_BLOCKER, By.OPERATOR)
    return step(NextStep.BLOCKER_ENDS, By.HUB)
