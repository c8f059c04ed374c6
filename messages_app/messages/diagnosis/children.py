"""
The children of a message, for its explanation. Every query is bounded.

A NULL binding counts as SOFT.

Source: docs/contributing/spec/cleverbus.md, "Parents and children".
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from django.db.models import QuerySet

from messages_app.core.formatting import count_of, format_clock_time
from messages_app.messages.diagnosis.reasons import (
    By,
    Explanation,
    NextStep,
    Reason,
    build_explanation,
    make_step,
)
from messages_app.messages.diagnosis.subject import Subject, filter_by_index
from messages_app.messages.hub_columns import ExternalCallColumns, MessageColumns
from messages_app.messages.models import ArchiveExternalCall, ArchiveMessage, ExternalCall, Message
from messages_app.messages.parquet_archive.models import ColdMessage
from messages_app.shared.message_states import (
    CONFIRMATION_OPERATION,
    FINAL_STATES,
    ExternalCallState,
    MessageState,
    ParentBinding,
)

MAX_CHILDREN = 100
# Children of a live parent can be in these tables, because the hub's own archiving does not check families.
ARCHIVED: tuple[type[MessageColumns], ...] = (ArchiveMessage, ColdMessage)
# How many of the newest children are read to find the completed child that ended last.
_MAX_OK = 1000
_COLUMNS = (
    "msg_id",
    "state",
    "parent_binding_type",
    "last_process_timestamp",
    "failed_error_code",
    "failed_count",
)


Child = TypeVar("Child", bound=MessageColumns)


def is_hard(child: MessageColumns) -> bool:
    return child.parent_binding_type == ParentBinding.HARD


def filter_hard(children: Iterable[Child]) -> list[Child]:
    return [child for child in children if is_hard(child)]


def filter_soft(children: Iterable[Child]) -> list[Child]:
    return [child for child in children if not is_hard(child)]


@dataclass(frozen=True)
class Children:
    """The children of one message: the live ones, unless the name says otherwise."""

    parent_id: int

    @cached_property
    def unfinished(self) -> list[Message]:
        """Children that have not ended; MAX_CHILDREN + 1 if there are more."""
        return self._read(self._not_ok().exclude(state__in=sorted(FINAL_STATES)).order_by("state", "msg_id"))

    @cached_property
    def cancelled(self) -> list[Message]:
        return self._read(filter_by_index(self._not_ok(), "state", MessageState.CANCEL, order="msg_id"))

    @cached_property
    def failed(self) -> list[Message]:
        return self._read(filter_by_index(self._not_ok(), "state", MessageState.FAILED, order="msg_id"))

    def _not_ok(self) -> QuerySet[Message]:
        """Filter by the condition of the index (parent_msg_id, state, msg_id): not OK."""
        rows = Message.objects.filter(parent_msg_id=self.parent_id).exclude(state=MessageState.OK)
        return rows.only(*_COLUMNS)

    def _read(self, rows: QuerySet[Child]) -> list[Child]:
        return list(rows[: MAX_CHILDREN + 1])

    @cached_property
    def ok(self) -> list[Message]:
        """The newest children in OK, sorted by their end, latest first."""
        rows = filter_by_index(
            Message.objects.only(*_COLUMNS), "parent_msg_id", self.parent_id, order="-msg_id"
        )
        ended = [child for child in rows[:_MAX_OK] if child.state == MessageState.OK]
        return sorted(ended, key=_ended_at, reverse=True)

    @cached_property
    def archived(self) -> list[MessageColumns]:
        rows: list[MessageColumns] = []
        for table in ARCHIVED:
            children = table._default_manager.only(*_COLUMNS)
            rows += self._read(filter_by_index(children, "parent_msg_id", self.parent_id, order="msg_id"))
        return rows[: MAX_CHILDREN + 1]


def _ended_at(child: MessageColumns) -> tuple[float, int]:
    time = child.last_process_timestamp
    return (time.timestamp() if time else 0.0, child.pk)


# Confirmations: the notification of the source system about the end of its message.
#
# Source: docs/contributing/spec/cleverbus.md, "Confirmations".


_MAX_CALLS = 200


def explain_confirmation(subject: Subject) -> Explanation | None:
    """Explain an OK message whose source system was not notified; None for any other message."""
    row = _read_confirmation(subject)
    if row is None:
        return None
    outcome = (
        f"OK since {format_clock_time(subject.since)}, but {subject.message.source_system} was not notified:"
    )
    if row.state == ExternalCallState.FAILED_END:
        return build_explanation(
            Reason.CONFIRMATION_GIVEN_UP,
            outcome,
            f"{count_of(row.failed_count, 'attempt')} to confirm failed, the last at "
            f"{format_clock_time(row.last_update_timestamp)}, and the hub gave up.",
            "Notify the source system by other means.",
            next_step=make_step(NextStep.CHECK_TARGET, By.OPERATOR),
        )
    if row.state != ExternalCallState.FAILED:
        return None
    times = subject.times
    at = max(row.last_update_timestamp + times.confirmation_rests, subject.at)
    latest = at + times.confirmation_every
    return build_explanation(
        Reason.CONFIRMATION_FAILING,
        outcome,
        f"{row.failed_count} of {times.confirmation_tries + 1} attempts to confirm failed.",
        f"The hub retries between {format_clock_time(at)} and {format_clock_time(latest)}.",
        next_step=make_step(NextStep.CONFIRMATION, By.HUB, at=at, latest=latest),
    )


def _read_confirmation(subject: Subject) -> ExternalCallColumns | None:
    """Return the confirmation of a message. A confirmation without a failed attempt has no row."""
    if subject.is_archived:
        calls = ArchiveExternalCall.objects.filter(msg_id=subject.msg_id)[:_MAX_CALLS]
        return next((call for call in calls if call.operation_name == CONFIRMATION_OPERATION), None)
    # The unique key does not include the source system, so the row can belong to another message.
    key = {"operation_name": CONFIRMATION_OPERATION, "entity_id": subject.message.correlation_id}
    return ExternalCall.objects.filter(msg_id=subject.msg_id, **key).first()


def write_confirmation_note(subject: Subject) -> str:
    """Write that the source system was not notified; empty if no row shows that."""
    row = _read_confirmation(subject)
    source = subject.message.source_system
    if row is None or row.state not in {ExternalCallState.FAILED, ExternalCallState.FAILED_END}:
        return ""
    if row.state == ExternalCallState.FAILED_END:
        return f"The hub also gave up notifying the source system {source}."
    return f"The source system {source} has not been notified yet."
