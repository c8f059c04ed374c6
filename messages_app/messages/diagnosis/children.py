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

from messages_app.messages.diagnosis.subject import filter_by_index
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import ArchiveMessage, Message
from messages_app.messages.parquet_archive.models import ColdMessage
from messages_app.shared.message_states import (
    FINAL_STATES,
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
