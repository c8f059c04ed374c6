"""The jobs that acted on a message, as operators' actions in its timeline."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from messages_app.core.statements import Statements
from messages_app.messages.timeline.entries import Entry, Kind
from messages_app.shared.message_states import MessageState

statements = Statements("messages_app.messages.timeline")


_MAX_JOBS = 20


@dataclass(frozen=True)
class ActedJob:
    """A job that changed, moved or resent the message; `at` is when its chunk was committed."""

    job_id: int
    action: str
    actor: str
    reason: str
    total: bool
    at: datetime


def list_acted_jobs(msg_id: int) -> list[ActedJob]:
    """Return the newest jobs that acted on the message, newest first."""
    values = {"msg_id": msg_id, "most": _MAX_JOBS, "states": [str(state) for state in MessageState]}
    return [ActedJob(*row) for row in statements.fetch_rows("acted_jobs", values)]


def enter_jobs(jobs: Iterable[ActedJob], changes: Iterable[Entry]) -> Iterator[Entry]:
    """
    Yield an entry for each job.

    Args:
        changes: the changes of the message's state. That of a job has the exact time.
    """
    times = {change.id: change.at for change in changes if change.id is not None}
    for job in jobs:
        yield Entry(
            at=times.get(job.job_id, job.at),
            kind=Kind.OPERATOR_ACTION,
            text=describe_action(job.action, total=job.total),
            state="done",
            actor=job.actor,
            id=job.job_id,
            note=job.reason,
        )


def describe_action(action: str, *, total: bool) -> str:
    """Return the name of an action as words, like `Restart from scratch`."""
    return action.replace("_", " ").replace(".", " ").capitalize() + (" from scratch" if total else "")
