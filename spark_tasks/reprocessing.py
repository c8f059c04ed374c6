"""
Having messages of the message store begin anew: which may, and what an executor does to some of them.

An executor only sets them back to 0; the monitor's workers process them (docs/decisions/0007). psycopg only,
no Django. Source: spec/other-systems.md 2.7.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import psycopg
import pyarrow as pa

from messages_app.jobs.states import SkipReason, skipped
from messages_app.message_store.states import Status
from spark_tasks.actions import Decided, Item, JobKey
from spark_tasks.leaving import reason_of
from spark_tasks.ranges import schema_of
from spark_tasks.reading import Batches
from spark_tasks.selection import COLUMNS, Rows
from spark_tasks.sql import statement


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
        """Set back those that may be. Raises as actions.Action.act."""
        values = {"ids": [item.msg_id for item in items], "states": [item.old_state for item in items]}
        rows = connection.execute(statement("reprocess_messages"), values).fetchall()
        done = {number for (number,) in rows}
        return Decided(refusals=_reasons(connection, [item for item in items if item.msg_id not in done]))


def _reasons(connection: psycopg.Connection, missing: Sequence[Item]) -> dict[int, str]:
    """Say why messages were not set back: gone, held by somebody, or in another status by now."""
    if not missing:
        return {}
    ids = [item.msg_id for item in missing]
    now = dict(connection.execute(statement("stored_states"), {"ids": ids}).fetchall())
    return {item.msg_id: skipped(_reason(item.old_state, now.get(item.msg_id))) for item in missing}


def _reason(old: str, now: str | None) -> SkipReason:
    if now is None:
        return SkipReason.VANISHED
    return SkipReason.LOCKED if now == old else SkipReason.MOVED_ON
