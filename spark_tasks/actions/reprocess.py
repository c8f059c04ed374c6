"""
Having messages of the message store begin again: which may, and what an executor does to some of them.

An executor only sets them back to 0; the monitor's workers process them. psycopg only, no Django.

Source: docs/decisions/0007-reprocessing.md; docs/spec/message_store.md, "Operator actions".
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import psycopg
import pyarrow as pa

from messages_app.shared.job_states import SkipReason, skipped
from messages_app.shared.sql_files import SqlFiles
from messages_app.shared.store_states import Status, may_reprocess
from spark_tasks.contract import Decided, Item, JobKey
from spark_tasks.plans.selection import COLUMNS, Rows
from spark_tasks.ranges import Batches, schema_of

statements = SqlFiles("spark_tasks")


# Moving old attempts of messages of the store into their archive: what an executor does to some of them.
#
# psycopg only, no Django.
#
# Source: docs/spec/design.md, R-5 to R-7.


@dataclass(frozen=True, kw_only=True)
class ArchiveHistory:
    """Moves the attempts that began before `cutoff` (ISO 8601), but for the newest of each message."""

    cutoff: str

    new_state = None
    may_be_repeated = True  # rows and ledger go together, or stay together

    def act(self, connection: psycopg.Connection, key: JobKey, items: Sequence[Item]) -> Decided:
        """Move what is old of the items. Raises as actions.Action.act."""
        values = {"ids": [item.msg_id for item in items], "cutoff": self.cutoff}
        rows = connection.execute(statements.text("archive_history"), values).fetchall()
        moved: dict[int, int] = dict(rows)
        gone = {item.msg_id: skipped(SkipReason.MOVED_ON) for item in items if item.msg_id not in moved}
        return Decided(refusals=gone, moved=Counter(message_history=sum(moved.values())))


# Which messages of the message store a job leaves: one rule for executors, dry runs and previews.
#
# No Spark and no Arrow either, for the pages ask it too.
#
# Source: docs/spec/message_store.md, "Operator actions".


def reason_of(state: str, refreshed: str | None, *, named: Collection[str]) -> str | None:
    """
    Return why a message is left; None: it is not.

    Args:
        state: an empty one is that of history alone.
        refreshed: of a refresh message, the entity that it refreshes.
        named: the entities of which refresh messages may be processed again.
    """
    if not state or not may_reprocess(int(state)):
        return str(SkipReason.STATE_CONFLICT)
    return str(SkipReason.REFRESH) if refreshed is not None and refreshed not in named else None


def judged(messages: Rows, *, refresh_entities: Collection[str]) -> Rows:
    """
    Say which messages of the set a job will leave.

    Args:
        messages: selection.COLUMNS in their order: number, status, system, entity, and of a refresh message
            the entity that it refreshes.
        refresh_entities: the entities of which the job may have refresh messages processed again.

    Returns:
        The same rows with `reason`: a SkipReason, null where the message is to be done.
    """
    named = frozenset(refresh_entities)

    def judge(batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            states, refreshed = (batch.column(place).to_pylist() for place in (1, 4))
            found = [reason_of(*each, named=named) for each in zip(states, refreshed, strict=True)]
            yield batch.append_column("reason", pa.array(found, pa.string()))

    return messages.mapInArrow(judge, schema_of(COLUMNS | {"reason": "string"}))


@dataclass(frozen=True, kw_only=True)
class Reprocess:
    """Sets messages back to 0 that are still in the status they were frozen in."""

    new_state = str(int(Status.NOT_PROCESSED))
    may_be_repeated = False  # the monitor takes up such a message at once

    def act(self, connection: psycopg.Connection, key: JobKey, items: Sequence[Item]) -> Decided:
        """Set back the ones that may be. Raises as actions.Action.act."""
        values = {"ids": [item.msg_id for item in items], "states": [item.old_state for item in items]}
        rows = connection.execute(statements.text("reprocess_messages"), values).fetchall()
        done = {number for (number,) in rows}
        return Decided(refusals=_reasons(connection, [item for item in items if item.msg_id not in done]))


def _reasons(connection: psycopg.Connection, missing: Sequence[Item]) -> dict[int, str]:
    """Say why messages were not set back: gone, held by someone, or in another status now."""
    if not missing:
        return {}
    ids = [item.msg_id for item in missing]
    now: dict[int, str] = dict(connection.execute(statements.text("stored_states"), {"ids": ids}).fetchall())
    return {item.msg_id: skipped(_reason(item.old_state, now.get(item.msg_id))) for item in missing}


def _reason(old: str, now: str | None) -> SkipReason:
    if now is None:
        return SkipReason.VANISHED
    return SkipReason.LOCKED if now == old else SkipReason.MOVED_ON
