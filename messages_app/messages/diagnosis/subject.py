"""The message that is explained, with the rows next to it that more than one rule reads, each read once."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import TypeVar

from django.db.models import Manager, Model, QuerySet

from messages_app.audit.models import AuditEntry
from messages_app.core.formatting import clock, duration, quoted
from messages_app.messages.actions.outcome import Cause, causes_of
from messages_app.messages.funnels.blocking import funnel_values
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.hub_times import POLL_EVERY
from messages_app.messages.models import ArchiveMessage, MessageEvent
from messages_app.messages.services import rules
from messages_app.shared.message_states import MessageAction, MessageState, RuleSet

# How far a look goes, and checks one index whatever the planner believes about a value.


# Beyond so many a place in a line is only "more than".
LINE_LOOKED_AT = 200

Row = TypeVar("Row", bound=Model)


def along(rows: QuerySet[Row] | Manager[Row], column: str, value: object, *, then: str) -> QuerySet[Row]:
    """
    Return the rows with `value` in `column`, ordered by `then` (from the end with a minus).

    Asked for as a range, so that the order begins with `column`: only an index on (column, then) has that.
    By equality the planner may walk the primary key, hoping to meet one of many such rows soon, and read
    millions when all of them are at the other end.
    """
    sign, name = ("-", then[1:]) if then.startswith("-") else ("", then)
    found = rows.filter(**{f"{column}__gte": value, f"{column}__lte": value})
    return found.order_by(f"{sign}{column}", f"{sign}{name}")


# Newest first; enough to find who acted last.
_EVENTS = 50
_ENTRIES = 20


@dataclass(frozen=True)
class Subject:
    """
    Args:
        message: the row, live or archived; its wide columns are not read.
        at: the moment at which it is explained.
    """

    message: MessageColumns
    at: datetime

    @property
    def msg_id(self) -> int:
        return self.message.pk

    @property
    def is_archived(self) -> bool:
        return isinstance(self.message, ArchiveMessage)

    @cached_property
    def rules(self) -> RuleSet:
        return rules()

    @cached_property
    def values(self) -> tuple[str, ...]:
        return funnel_values(self.message)

    @cached_property
    def events(self) -> list[MessageEvent]:
        """The last changes of state, newest first."""
        return list(along(MessageEvent.objects, "msg_id", self.msg_id, then="-event_id")[:_EVENTS])

    @cached_property
    def last_restart(self) -> Cause | None:
        """The restart that was the last thing an operator did to it, on its own or in a job."""
        last = next(iter(causes_of(self.msg_id)), None)
        return last if last and last.action == MessageAction.RESTART else None

    @property
    def since(self) -> datetime:
        """When the hub last wrote the message; a cancel does not show here."""
        return self.message.last_process_timestamp or self.message.receive_timestamp

    @property
    def started(self) -> datetime:
        """When its last attempt started; `since` for a message without that time."""
        return self.message.start_process_timestamp or self.since

    def lasting(self) -> str:
        """Write the state and how long it has lasted by the hub's own time: POSTPONED for 41 min."""
        return f"{self.message.state} for {duration(self.at - self.since)}"

    def arrival(self, state: MessageState) -> MessageEvent | None:
        """Return the change that led to the present state, where it is known and the state is `state`."""
        if not self.events or self.events[0].to_state != state or self.message.state != state:
            return None
        return self.events[0]

    def polled(self, rests: timedelta) -> tuple[datetime, datetime]:
        """Return when the hub's poll takes the message at the earliest, and at the latest if it runs."""
        earliest = max(self.since + rests, self.at)
        return earliest, earliest + POLL_EVERY

    def overdue(self, rests: timedelta) -> timedelta:
        """Return how long the poll has been able to take the message; below zero, it cannot yet."""
        return self.at - (self.since + rests)

    def reason_given(self, action: str) -> str:
        """Write what the operator gave as the reason of the last such action; empty where nothing is kept."""
        entries = along(AuditEntry.objects, "msg_id", self.msg_id, then="-entry_id")[:_ENTRIES]
        reasons = (
            entry.reason
            for entry in entries
            if entry.action == action and entry.outcome == AuditEntry.Outcome.DONE
        )
        reason = next(reasons, "")
        return f" ({quoted(reason)})" if reason else ""


def acted(event: MessageEvent) -> str:
    """Write who changed the state and when: by ada at 2026-11-21 13:58:07 UTC."""
    who = event.actor or "the hub or someone in the hub's own console"
    return f"by {who} at {clock(event.at)}"
