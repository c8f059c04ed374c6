"""
Every write of the simulated hub, and the log of them that a test subtracts.

The log has one line for each transaction, a JSON object: {"at", "inserted": {table: [ids]}, "changed":
{...}}. The hub deletes nothing. A line is written before its transaction commits, so after a kill the log may
have rows that were not changed, but never misses a changed one.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from django.db import transaction
from django.db.models import Model
from django.utils import timezone

from messages_app.core.statements import Statements
from messages_app.demo.hub.database import draw_ids
from messages_app.demo.hub_tables.attached import AttachedTables, attached_tables
from messages_app.messages.models import Message
from messages_app.messages.services import hub_rules
from messages_app.shared.message_states import ExternalCallState, MessageState

statements = Statements("messages_app.demo.hub")


_IDS_AT_ONCE = 30
_COLUMNS = [field.attname for field in Message._meta.fields if not field.primary_key]


class Book:
    """Writes rows, and logs them to `path` if there is one."""

    def __init__(self, path: Path | None = None) -> None:
        # Unbuffered, so that written lines survive a kill.
        self._file = None if path is None else path.open("ab", buffering=0)
        self._noted: dict[str, dict[str, list[int]]] = {}
        self._ids: list[int] = []

    def next_id(self) -> int:
        """
        Return a new id; several are drawn at a time.

        Several hubs share one sequence, so ids are only roughly in the order of time.

        Source: docs/contributing/spec/cleverbus.md, "Identifiers".
        """
        if not self._ids:
            self._ids = draw_ids(_IDS_AT_ONCE)[::-1]
        return self._ids.pop()

    @contextmanager
    def open_transaction(self) -> Iterator[None]:
        """Commit all writes of the block, or none."""
        self._noted = {}
        with transaction.atomic():
            yield
            self._write_line()

    def insert(self, row: Model) -> None:
        if self._attached and self._attached.has_table(type(row)):
            self._attached.insert(row)
        else:
            row.save(force_insert=True)
        self._note_row("inserted", row)

    def overwrite_row(
        self, message: Message, only_in: MessageState | None = None, /, **columns: object
    ) -> bool:
        """
        Write the whole row from the copy in memory, with `columns` and now as its last change.

        The current state does not matter: the hub has no version column, and its worker does not check.
        Source: docs/contributing/spec/cleverbus.md, "Transitions", "Restart and cancel" point 8.

        Args:
            only_in: where the hub does check, the state that the row must have.

        Returns:
            Whether the row is still there, in that state.
        """
        for name, value in ({"last_process_timestamp": hub_time()} | columns).items():
            setattr(message, name, value)
        if self._attached:
            is_written = self._attached.update(message, _COLUMNS, state=only_in)
        else:
            rows = Message.objects.filter(pk=message.pk, **({"state": only_in} if only_in else {}))
            is_written = bool(rows.update(**{name: getattr(message, name) for name in _COLUMNS}))
        self._note_row("changed", message)
        return is_written

    def change_row(self, row: Model, **columns: object) -> None:
        """Write some columns of a row that this transaction has locked."""
        for name, value in columns.items():
            setattr(row, name, value)
        if self._attached and self._attached.has_table(type(row)):
            self._attached.update(row, columns)
        else:
            row.save(update_fields=list(columns), force_update=True)
        self._note_row("changed", row)

    @cached_property
    def _attached(self) -> AttachedTables | None:
        return attached_tables()

    def _note_row(self, what: str, row: Model) -> None:
        self._noted.setdefault(what, {}).setdefault(row._meta.db_table, []).append(row.pk)

    def _write_line(self) -> None:
        if self._file is not None and self._noted:
            line = json.dumps({"at": hub_time().isoformat()} | self._noted)
            self._file.write(f"{line}\n".encode())


def hub_time() -> datetime:
    """
    Return the hub's current time: a hub uses its own clock.

    Source: docs/contributing/spec/cleverbus.md, "Terms".
    """
    return timezone.now()


FENCE = 2000
_BEGINNING = datetime(1, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class DueMessage:
    """A message that is due."""

    msg_id: int
    msg_timestamp: datetime

    def poll_order(self) -> tuple[datetime, int]:
        return self.msg_timestamp, self.msg_id * _tie_order()


def messages_in(
    state: MessageState,
    *,
    changed_before: datetime | None = None,
    changed_after: datetime | None = None,
    started_before: datetime | None = None,
    operations: list[str] | None = None,
) -> Iterator[DueMessage]:
    """Yield the due messages in a state, the oldest msg_timestamp first; reads them in parts.

    The real hub reads all rows of a state and sorts them; the selected rows are the same.
    """
    arguments = {
        "state": state,
        "ok": MessageState.OK,  # as the partial index leaves it out
        "fence": FENCE,
        "tie": _tie_order(),
        "changed_before": changed_before,
        "changed_after": changed_after,
        "started_before": started_before,
        "operations": operations,
    }
    position: tuple[datetime, int] | None = (_BEGINNING, 0)
    while position is not None:
        rows = statements.fetch_rows(
            "messages_in_state", arguments | {"after_time": position[0], "after_id": position[1]}
        )
        position = next(((row[1], row[0]) for row in rows if row[4]), None)
        yield from (DueMessage(row[0], row[2]) for row in rows if row[3])


def calls_in(
    state: ExternalCallState, *, changed_before: datetime, operation_name: str | None = None
) -> Iterator[int]:
    """Yield the ids of the due external calls in a state, the oldest first."""
    arguments = {
        "state": state,
        "ok": ExternalCallState.OK,
        "fence": FENCE,
        "changed_before": changed_before,
        "operation_name": operation_name,
    }
    last = 0
    while rows := statements.fetch_rows("calls_in_state", arguments | {"after_id": last}):
        last = rows[-1][0]
        yield from (call_id for call_id, is_due in rows if is_due)


def _tie_order() -> int:
    return -1 if hub_rules().newest_id_first else 1
