"""The shape of an explanation, and how one is put together."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypedDict

from messages_app.core.formatting import listed
from messages_app.messages.diagnosis.reasons import By, NextStep, Reason
from messages_app.shared.message_states import MessageAction

MOST_BLOCKERS = 20
_ACTIONS = frozenset(NextStep(action) for action in MessageAction)


class Next(TypedDict):
    """
    What comes next.

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
    Why a message is where it is, and what comes next.

    Args:
        reason: one code of the published list.
        summary: plain sentences, with ids, times and durations.
        blocked_by: the messages that must change first, at most MOST_BLOCKERS; for a failure that only
            follows from another, its root.
        next: what comes next.
        mentions: every message that the summary names.
        job_id: the job that the summary names, None for none.
    """

    reason: Reason
    summary: str
    blocked_by: list[int]
    next: Next
    mentions: list[int]
    job_id: int | None = None


def step(
    what: NextStep,
    by: By,
    *,
    at: datetime | None = None,
    latest: datetime | None = None,
    becomes: str | None = None,
) -> Next:
    """
    Return what comes next.

    Raises:
        ValueError: it is an operator's action on this message; advice.py asks first whether that is allowed.
    """
    if what in _ACTIONS:
        raise ValueError(f"{what} is advised by advice.advise alone.")
    return {"what": what, "at": _iso(at), "latest": _iso(latest), "by": by, "becomes": becomes}


def action_step(action: MessageAction) -> Next:
    """Return the operator's action as what comes next; advice.py alone may call this."""
    return {"what": NextStep(action), "at": None, "latest": None, "by": By.OPERATOR, "becomes": None}


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def explained(
    reason: Reason,
    *sentences: str,
    then: Next,
    blocked_by: Sequence[int] = (),
    names: Iterable[int] = (),
    job_id: int | None = None,
) -> Explanation:
    """
    Return the explanation that these sentences make; empty ones are left out.

    Args:
        then: what comes next, from `step`.
        names: ids that the sentences may name in addition to `blocked_by`.
        job_id: the job that they name.
    """
    summary = " ".join(filter(None, sentences))
    numbers = {int(number) for number in re.findall(r"\b[0-9]{1,19}\b", summary)}
    known = dict.fromkeys([*blocked_by, *names])
    return Explanation(
        reason=reason,
        summary=summary,
        blocked_by=list(blocked_by[:MOST_BLOCKERS]),
        next=then,
        mentions=[msg_id for msg_id in known if msg_id in numbers],
        job_id=job_id,
    )


# How explanations name messages.


def messages(ids: Sequence[int]) -> str:
    """Write message 7, or messages 7 and 8."""
    return f"{'message' if len(ids) == 1 else 'messages'} {listed(ids)}"
