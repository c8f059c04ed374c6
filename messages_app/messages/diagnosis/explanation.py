"""The explanation of a message, and the functions that build it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypedDict

from messages_app.core.formatting import format_list
from messages_app.messages.diagnosis.reasons import By, NextStep, Reason
from messages_app.shared.message_states import MessageAction

MAX_BLOCKERS = 20


_ACTIONS = frozenset(NextStep(action) for action in MessageAction)


class Next(TypedDict):
    """
    The next step.

    Args:
        at, latest: ISO times; the hub acts between them.
        becomes: the resulting state, if known.
    """

    what: NextStep
    at: str | None
    latest: str | None
    by: By
    becomes: str | None


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """
    The reason for the state of a message, and the next step.

    Args:
        reason: a code.
        summary: sentences with ids, times and durations.
        blocked_by: the messages that must change first, up to MAX_BLOCKERS; for a failure caused by another
            message, its root cause.
        next: the next step.
        mentions: every message that the summary names.
        job_id: the job that the summary names, if any.
    """

    reason: Reason
    summary: str
    blocked_by: list[int]
    next: Next
    mentions: list[int]
    job_id: int | None = None


def make_step(
    what: NextStep,
    by: By,
    *,
    at: datetime | None = None,
    latest: datetime | None = None,
    becomes: str | None = None,
) -> Next:
    """
    Return a next step.

    Raises:
        ValueError: the step is an operator's action on this message. Only advice.py, which checks whether the
            action is allowed, can name one.
    """
    if what in _ACTIONS:
        raise ValueError(f"Only advice.advise can name {what} as the next step.")
    return {"what": what, "at": _format_iso(at), "latest": _format_iso(latest), "by": by, "becomes": becomes}


def action_step(action: MessageAction) -> Next:
    """Return an operator's action as the next step. Only advice.py may call this."""
    return {"what": NextStep(action), "at": None, "latest": None, "by": By.OPERATOR, "becomes": None}


def _format_iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def build_explanation(
    reason: Reason,
    *sentences: str,
    next_step: Next,
    blocked_by: Sequence[int] = (),
    names: Iterable[int] = (),
    job_id: int | None = None,
) -> Explanation:
    """
    Return the explanation with these sentences, without the empty ones.

    Args:
        next_step: from `step` or `action_step`.
        names: ids in the sentences in addition to `blocked_by`.
        job_id: the job in the sentences.
    """
    summary = " ".join(filter(None, sentences))
    numbers = {int(number) for number in re.findall(r"\b[0-9]{1,19}\b", summary)}
    messages = dict.fromkeys([*blocked_by, *names])
    return Explanation(
        reason=reason,
        summary=summary,
        blocked_by=list(blocked_by[:MAX_BLOCKERS]),
        next=next_step,
        mentions=[msg_id for msg_id in messages if msg_id in numbers],
        job_id=job_id,
    )


def name_messages(ids: Sequence[int]) -> str:
    """Write ids after their noun: message 7, or messages 7 and 8."""
    return f"{'message' if len(ids) == 1 else 'messages'} {format_list(ids)}"
