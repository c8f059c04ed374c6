"""
Why an operator changed a message's state: by which action or job, and for what reason.

The history of states has the name alone: the reason is in the audit, or with the job.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.db import connection

from messages_app.core.statements import Statements
from messages_app.messages.models import MessageEvent
from messages_app.shared.message_states import MessageAction

statements = Statements("messages_app.messages")


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
        actions = [str(action) for action in MessageAction]
        cursor.execute(
            statements.text("operator_changes"), {"msg_id": msg_id, "most": _MOST, "actions": actions}
        )
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


# What follows from an action for other messages, as a code for programs and a sentence for people.


class EffectCode(StrEnum):
    """The published list. Each belongs to one action, or to one of its sides."""

    CANCEL_FIRM = "cancel_firm"
    CANCEL_REQUESTED = "cancel_requested"
    NOT_TAKEN_BACK = "not_taken_back"
    NOT_CONFIRMED = "not_confirmed"
    PARENT_WAITS = "parent_waits"
    PARENT_HEALS = "parent_heals"
    PARENT_STAYS = "parent_stays"
    PARENT_NOT_TOLD = "parent_not_told"
    CHILDREN_NONE = "children_none"
    CHILDREN_REFUSED = "children_refused"
    CHILDREN_TWICE = "children_twice"
    CHILDREN_GO_ON = "children_go_on"
    ORDER_FIRST = "order_first"
    ORDER_BEHIND = "order_behind"
    ORDER_FAILS = "order_fails"
    ORDER_WITHOUT_VALUE = "order_without_value"
    ORDER_FREED = "order_freed"
    FUNNEL_FREE = "funnel_free"
    FUNNEL_HELD = "funnel_held"
    FUNNEL_AGAINST_ITSELF = "funnel_against_itself"
    FUNNEL_FREED = "funnel_freed"
    ARCHIVE_LATER = "archive_later"
    ARCHIVE_BY_AGE = "archive_by_age"
    ARCHIVED = "archived"


@dataclass(frozen=True, kw_only=True)
class Effect:
    """
    One thing that follows.

    Args:
        text: one or two sentences; every message that they name is in `msg_ids`.
        is_warning: someone may regret it.
    """

    code: EffectCode
    text: str
    msg_ids: tuple[int, ...] = ()
    is_warning: bool = False


def counted(number: int, noun: str, *, more: bool = False) -> str:
    """Write a number with its noun: 1 child, 3 children, 200 or more children."""
    irregular = {"child": "children"}
    plural = irregular.get(noun, f"{noun}s")
    if more:
        return f"{number} or more {plural}"
    return f"{number} {noun}" if number == 1 else f"{number} {plural}"
