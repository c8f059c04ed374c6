"""
The children of a message, as far as its explanation needs them. Every look is bounded.

Source: spec/cleverbus.md 4; the binding NULL counts as SOFT.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from django.db.models import Model, QuerySet

from messages_app.messages.cold.models import ColdMessage
from messages_app.messages.explaining.looks import along
from messages_app.messages.models import ArchiveMessage, Message
from messages_app.messages.states import FINAL_STATES, MessageState, ParentBinding

MOST_CHILDREN = 100
# Where children of a live parent may be too: a hub's own procedure does not look at families.
ARCHIVED = (ArchiveMessage, ColdMessage)
# Of the children that are OK, so many of the newest are looked at for who ended last.
_OK_LOOKED_AT = 1000
_COLUMNS = (
    "msg_id",
    "state",
    "parent_binding_type",
    "last_process_timestamp",
    "failed_error_code",
    "failed_count",
)


def is_hard(child: Model) -> bool:
    return child.parent_binding_type == ParentBinding.HARD


def hard(children: Iterable[Model]) -> list[Model]:
    return [child for child in children if is_hard(child)]


def soft(children: Iterable[Model]) -> list[Model]:
    return [child for child in children if not is_hard(child)]


@dataclass(frozen=True)
class Children:
    """The children of one message; the live ones unless a name says otherwise."""

    parent_id: int

    @cached_property
    def unfinished(self) -> list[Model]:
        """Those that may still end; one more than MOST_CHILDREN where there are more."""
        return self._bounded(
            self._not_ok().exclude(state__in=sorted(FINAL_STATES)).order_by("state", "msg_id")
        )

    @cached_property
    def cancelled(self) -> list[Model]:
        return self._bounded(along(self._not_ok(), "state", MessageState.CANCEL, then="msg_id"))

    @cached_property
    def failed(self) -> list[Model]:
        return self._bounded(along(self._not_ok(), "state", MessageState.FAILED, then="msg_id"))

    def _not_ok(self) -> QuerySet:
        """Not OK is the condition of the index (parent_msg_id, state, msg_id)."""
        rows = Message.objects.filter(parent_msg_id=self.parent_id).exclude(state=MessageState.OK)
        return rows.only(*_COLUMNS)

    def _bounded(self, rows: QuerySet) -> list[Model]:
        return list(rows[: MOST_CHILDREN + 1])

    @cached_property
    def ok(self) -> list[Model]:
        """The newest that are OK, who ended last first."""
        rows = along(Message.objects.only(*_COLUMNS), "parent_msg_id", self.parent_id, then="-msg_id")
        ended = [child for child in rows[:_OK_LOOKED_AT] if child.state == MessageState.OK]
        return sorted(ended, key=_ended_at, reverse=True)

    @cached_property
    def archived(self) -> list[Model]:
        rows = [
            row
            for table in ARCHIVED
            for row in self._bounded(
                along(table.objects.only(*_COLUMNS), "parent_msg_id", self.parent_id, then="msg_id")
            )
        ]
        return rows[: MOST_CHILDREN + 1]


def _ended_at(child: Model) -> tuple[float, int]:
    time = child.last_process_timestamp
    return (time.timestamp() if time else 0.0, child.pk)
