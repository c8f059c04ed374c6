"""The explained message, with the related rows that several explanations need, each read once."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import TypeVar

from django.db.models import Manager, Model, QuerySet

from messages_app.audit.models import AuditEntry
from messages_app.core.formatting import format_duration, format_moment, quote_text
from messages_app.messages.actions.causes import Cause, causes_of
from messages_app.messages.funnels.blocking import funnel_values
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.hub_times import HubTimes, hub_times
from messages_app.messages.models import ArchiveMessage, MessageEvent
from messages_app.messages.services import hub_rules
from messages_app.shared.message_states import MessageAction, MessageState, RuleSet

# How many messages of a line are read; for a later place, the text says "more than".
MAX_IN_LINE = 200

Row = TypeVar("Row", bound=Model)


def filter_by_index(
    rows: QuerySet[Row] | Manager[Row], column: str, value: object, *, order: str
) -> QuerySet[Row]:
    """
    Return the rows with `value` in `column`, ordered by `order` (descending with a minus).

    The condition is a range, so that the order begins with `column`, and only an index on (column, order)
    fits. By equality, the planner may scan the primary key because it expects many such rows, and then read
    millions of others first.
    """
    sign, name = ("-", order[1:]) if order.startswith("-") else ("", order)
    matching = rows.filter(**{f"{column}__gte": value, f"{column}__lte": value})
    return matching.order_by(f"{sign}{column}", f"{sign}{name}")


# The number of newest rows that are read, which is enough to find the last action.
_MAX_EVENTS = 50
_MAX_ENTRIES = 20


@dataclass(frozen=True)
class Subject:
    """
    A message whose state is explained.

    Args:
        message: live or archived; the wide columns are not used.
        at: the time of the explanation.
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
        return hub_rules()

    @cached_property
    def times(self) -> HubTimes:
        return hub_times()

    @property
    def note_on_times(self) -> str:
        """A sentence about times of the hub that could not be read, if the explanation has used any."""
        return self.times.note if "times" in vars(self) else ""

    @cached_property
    def values(self) -> tuple[str, ...]:
        return funnel_values(self.message)

    @cached_property
    def events(self) -> list[MessageEvent]:
        """The last changes of state, newest first."""
        return list(
            filter_by_index(MessageEvent.objects, "msg_id", self.msg_id, order="-event_id")[:_MAX_EVENTS]
        )

    @cached_property
    def last_restart(self) -> Cause | None:
        """The last action on the message, if it was a restart, of this message or by a job."""
        last = next(iter(causes_of(self.msg_id)), None)
        return last if last and last.action == MessageAction.RESTART else None

    @property
    def since(self) -> datetime:
        """When the hub last wrote the message. A cancel does not change this time."""
        return self.message.last_process_timestamp or self.message.receive_timestamp

    @property
    def started_at(self) -> datetime:
        """When its last attempt started; `since` for a message without that time."""
        return self.message.start_process_timestamp or self.since

    def write_status(self) -> str:
        """Write the state and how long it has lasted by the times of the hub: POSTPONED for 41 min."""
        return f"{self.message.state} for {format_duration(self.at - self.since)}"

    def find_arrival(self, state: MessageState) -> MessageEvent | None:
        """Return the change to the current state, if it is recorded and the state is `state`."""
        if not self.events or self.events[0].to_state != state or self.message.state != state:
            return None
        return self.events[0]

    def next_poll(self, rest: timedelta) -> tuple[datetime, datetime]:
        """Return the earliest time of the next poll, and the latest time if the hub is running."""
        earliest = max(self.since + rest, self.at)
        return earliest, earliest + self.times.poll_every

    def time_overdue(self, rest: timedelta) -> timedelta:
        """Return for how long the message has been due for the poll; negative if it is not due yet."""
        return self.at - (self.since + rest)

    def write_reason(self, action: str) -> str:
        """Write the reason for the last action of this kind, in parentheses; empty if none is recorded."""
        entries = filter_by_index(AuditEntry.objects, "msg_id", self.msg_id, order="-entry_id")[:_MAX_ENTRIES]
        reasons = (
            entry.reason
            for entry in entries
            if entry.action == action and entry.outcome == AuditEntry.Outcome.DONE
        )
        reason = next(reasons, "")
        return f" ({quote_text(reason)})" if reason else ""


def describe_actor_and_time(event: MessageEvent) -> str:
    """Write the actor and time of a change: by ada at 2026-11-21 13:58:07 UTC."""
    who = event.actor or "the hub or someone in the hub's own console"
    return f"by {who} at {format_moment(event.at)}"
