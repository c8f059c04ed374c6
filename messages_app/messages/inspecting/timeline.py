"""The history of one message: receipt, state changes and operators' actions on one axis."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from messages_app.audit.models import AuditEntry
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import MessageEvent


@dataclass(frozen=True, kw_only=True)
class Moment:
    """
    One entry of the history.

    Args:
        at: when.
        who: the operator; empty for the hub.
        text: what happened.
        state: the state that it led to, or the outcome of an action; empty for neither.
        note: what the operator gave as reason, or why it was refused.
    """

    at: datetime
    who: str
    text: str
    state: str = ""
    note: str = ""


def moments(
    message: MessageColumns, *, events: Iterable[MessageEvent], audit_entries: Iterable[AuditEntry]
) -> list[Moment]:
    """Return the history, oldest first."""
    found = [*_own(message), *map(_of_event, events), *map(_of_entry, audit_entries)]
    return sorted(found, key=lambda moment: moment.at)


def _own(message: MessageColumns) -> Iterator[Moment]:
    yield Moment(at=message.receive_timestamp, who="", text="Received by the hub")
    if message.start_process_timestamp:
        yield Moment(at=message.start_process_timestamp, who="", text="Processing last started")
    if message.last_process_timestamp:
        yield Moment(at=message.last_process_timestamp, who="", text="Last processed")


def _of_event(event: MessageEvent) -> Moment:
    return Moment(at=event.at, who=event.actor or "", text=f"{event.from_state} became", state=event.to_state)


def _of_entry(entry: AuditEntry) -> Moment:
    refused = entry.outcome == AuditEntry.Outcome.REFUSED
    refusal = str(entry.details.get("refusal", "")) if refused else ""
    return Moment(
        at=entry.at,
        who=entry.actor,
        text=entry.action.replace("_", " ").replace(".", " ").capitalize(),
        state=entry.outcome,
        note=" ".join(filter(None, (entry.reason, refusal))),
    )
