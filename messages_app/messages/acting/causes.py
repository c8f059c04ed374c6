"""
Why an operator changed a message's state: by which action or job, and for what reason.

The history of states has the name alone: the reason is in the audit, or with the job.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from messages_app.messages.models import MessageEvent
from messages_app.messages.sql import statement

_MOST = 20


@dataclass(frozen=True, kw_only=True)
class Cause:
    """
    What an operator asked for, and what changed a message's state.

    Args:
        action: of MessageAction, or the action of another audit entry.
        state: what the message became.
        job_id: the job that did it; None for an action on this message alone.
        entry_id: the audit entry of an action on this message alone; None for a job.
        total: a restart from scratch.
        since, until: the change was written between these.
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
    """Return the newest changes that operators made, newest first: at most _MOST alone, _MOST by jobs."""
    with connection.cursor() as cursor:
        cursor.execute(statement("operator_changes"), {"msg_id": msg_id, "most": _MOST})
        columns = [column.name for column in cursor.description]
        return [Cause(**dict(zip(columns, row, strict=True))) for row in cursor]


def cause_of(event: MessageEvent, causes: Sequence[Cause]) -> Cause | None:
    """Return why an operator made this change; None for the hub's own, and where nothing is kept."""
    fitting = (
        cause
        for cause in causes
        if cause.actor == event.actor
        and cause.state == event.to_state
        and cause.since <= event.at <= cause.until
    )
    return min(fitting, key=lambda cause: cause.until, default=None)
