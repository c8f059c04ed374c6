"""The messages of an incident as they are now, and the sentence about a repaired incident."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from messages_app.core.formatting import count_of, format_moment, format_number
from messages_app.core.statements import Statements
from messages_app.incidents.listing import IncidentLine
from messages_app.jobs.models import Job
from messages_app.shared.message_states import MessageState

statements = Statements("messages_app.incident_pages")

# The newest messages that are read: enough for the time of the last one and for the objects.
MAX_READ = 1_000


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """
    The newest messages of an incident by their current state.

    Args:
        states: their number by state.
        last_change: when the last one was processed or cancelled; None: no one was.
        objects: the number of different objects by entity type, most first.
        is_cut: there are more messages.
    """

    states: Counter[str]
    last_change: datetime | None
    objects: list[tuple[str, int]]
    is_cut: bool


def read_outcome(msg_ids: Sequence[int]) -> Outcome:
    rows = statements.fetch_rows("states_of_messages", {"messages": list(msg_ids)[:MAX_READ]})
    ended = {MessageState.OK, MessageState.CANCEL}
    changes = [at for state, at, *_ in rows if state in ended and at is not None]
    objects = {(entity_type or "", object_id) for _, _, entity_type, object_id in rows if object_id}
    return Outcome(
        states=Counter(state for state, *_ in rows),
        last_change=max(changes, default=None),
        objects=Counter(entity_type for entity_type, _ in objects).most_common(),
        is_cut=len(msg_ids) >= MAX_READ,
    )


def describe_repair(line: IncidentLine, outcome: Outcome, jobs: Sequence[Job]) -> str:
    """
    Return the sentence about a repaired incident: "All 412 were processed by 20:40 after job 1 (ada)."
    """
    affected = line.incident.affected
    cancelled = 0 if outcome.is_cut else outcome.states[MessageState.CANCEL]
    end = f" by {format_moment(outcome.last_change)}" if outcome.last_change else ""
    after = f" after job {jobs[0].pk} ({jobs[0].created_by})" if jobs else ""
    if cancelled == affected:
        return f"All {format_number(affected)} were cancelled{end}{after}."
    if cancelled:
        processed = count_of(affected - cancelled, "message")
        return f"{processed} processed and {format_number(cancelled)} cancelled{end}{after}."
    subject = "The message was" if affected == 1 else f"All {format_number(affected)} were"
    return f"{subject} processed{end}{after}."
