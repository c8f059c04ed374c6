"""
The actions on the message store: resets messages for reprocessing, and archives their old attempts.

To reset a message, an executor only sets its status to 0; the monitor's workers then process it. Uses psycopg
only, no Django.

Source: docs/contributing/decisions/0007-reprocessing.md; docs/contributing/spec/message_store.md, "Operator
actions".
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import psycopg
import pyarrow as pa

from messages_app.shared.job_states import SkipReason, skipped_outcome
from messages_app.shared.store_states import Status, may_reprocess
from spark_tasks.contract import Decided, Item, JobKey
from spark_tasks.database import TaskStatements
from spark_tasks.plans.selection import COLUMNS, Rows
from spark_tasks.ranges import Batches, schema_of

statements = TaskStatements("spark_tasks")


@dataclass(frozen=True, kw_only=True)
class ArchiveHistory:
    """Moves the attempts that began before `cutoff` (ISO 8601), except the newest of each message."""

    cutoff: str

    new_state = None
    may_be_repeated = True  # Rows and ledger move together or not at all.

    def process_items(self, connection: psycopg.Connection, key: JobKey, items: Sequence[Item]) -> Decided:
        """Move the old attempts of the items. Raises as contract.Action."""
        values = {"ids": [item.msg_id for item in items], "cutoff": self.cutoff}
        rows = statements.fetch_rows(connection, "archive_history", values)
        moved: dict[int, int] = dict(rows)
        gone = {
            item.msg_id: skipped_outcome(SkipReason.MOVED_ON) for item in items if item.msg_id not in moved
        }
        return Decided(refusals=gone, moved=Counter(message_history=sum(moved.values())))


def reason_of(state: str, refreshed: str | None, *, named: Collection[str]) -> str | None:
    """
    Return the reason to skip a message; None: it is not skipped.

    Args:
        state: its status; empty if the message has only history.
        refreshed: the entity that a refresh message refreshes.
        named: the entities whose refresh messages may be processed again.
    """
    if not state or not may_reprocess(int(state)):
        return str(SkipReason.STATE_CONFLICT)
    return str(SkipReason.REFRESH) if refreshed is not None and refreshed not in named else None


def judge_messages(messages: Rows, *, refresh_entities: Collection[str]) -> Rows:
    """
    Add the reason for each message of the set that the job will skip.

    Args:
        messages: selection.COLUMNS in their order: number, status, system, entity, and the entity that a
            refresh message refreshes.
        refresh_entities: the entities whose refresh messages the job may process again.

    Returns:
        The same rows with `reason`: a SkipReason; null if the message will be reprocessed.
    """
    named = frozenset(refresh_entities)

    def judge(batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            states, refreshed = (batch.column(place).to_pylist() for place in (1, 4))
            reasons = [reason_of(*each, named=named) for each in zip(states, refreshed, strict=True)]
            yield batch.append_column("reason", pa.array(reasons, pa.string()))

    return messages.mapInArrow(judge, schema_of(COLUMNS | {"reason": "string"}))


@dataclass(frozen=True, kw_only=True)
class Reprocess:
    """Sets the status of messages to 0 if it is the same as when the set was frozen."""

    new_state = str(int(Status.NOT_PROCESSED))
    may_be_repeated = False  # The monitor then picks up such a message immediately.

    def process_items(self, connection: psycopg.Connection, key: JobKey, items: Sequence[Item]) -> Decided:
        """Reset the messages that may be reset. Raises as contract.Action."""
        values = {"ids": [item.msg_id for item in items], "states": [item.old_state for item in items]}
        rows = statements.fetch_rows(connection, "reprocess_messages", values)
        done = {number for (number,) in rows}
        return Decided(
            refusals=_reasons_by_message(connection, [item for item in items if item.msg_id not in done])
        )


def _reasons_by_message(connection: psycopg.Connection, missing: Sequence[Item]) -> dict[int, str]:
    """Return why messages were not reset: missing, locked by another session, or in another status now."""
    if not missing:
        return {}
    ids = [item.msg_id for item in missing]
    now: dict[int, str] = dict(statements.fetch_rows(connection, "stored_states", {"ids": ids}))
    return {
        item.msg_id: skipped_outcome(_reason_of_status(item.old_state, now.get(item.msg_id)))
        for item in missing
    }


def _reason_of_status(old: str, now: str | None) -> SkipReason:
    if now is None:
        return SkipReason.VANISHED
    return SkipReason.LOCKED if now == old else SkipReason.MOVED_ON
