"""
Changes of state by operators, each with its action or job and its reason.

The history of states has only the name of the operator; the reason is in the audit log or in the job.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from messages_app.core.statements import Statements
from messages_app.messages.models import MessageEvent
from messages_app.shared.message_states import MessageAction

statements = Statements("messages_app.messages")


_MAX_CAUSES = 20


@dataclass(frozen=True, kw_only=True)
class Cause:
    """
    The request of an operator that changed the state of a message.

    Args:
        action: a MessageAction, or the action of another audit entry.
        state: the new state of the message.
        job_id: the job that changed it; None for an action on one message.
        entry_id: the audit entry of an action on one message; None for a job.
        total: whether it was a restart from scratch.
        since, until: the time between which the change was written.
    """

    action: str
    actor: str
    reason: str
    state: str
    job_id: int | None
    entry_id: int | None
    total: bool
    since: datetime
    until: datetime


def causes_of(msg_id: int) -> list[Cause]:
    """Return the latest changes by operators, newest first: up to _MAX_CAUSES each by actions and jobs."""
    values = {"msg_id": msg_id, "most": _MAX_CAUSES, "actions": [str(action) for action in MessageAction]}
    return statements.fetch_records("operator_changes", values, Cause)


def cause_of(event: MessageEvent, causes: Sequence[Cause]) -> Cause | None:
    """Return the request that led to this change; None for a change by the hub or without a record."""
    matching = (
        cause
        for cause in causes
        if cause.actor == event.actor
        and cause.state == event.to_state
        and cause.since <= event.at <= cause.until
    )
    return min(matching, key=lambda cause: cause.until, default=None)
