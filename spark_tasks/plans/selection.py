"""
The frozen set of a job, read by SQL that the driver made of a filter: one task for each range of ids.

Source: docs/spec/design.md, R-5; docs/spec/promises.md, I-31.
"""

from collections.abc import Collection, Sequence
from functools import partial
from typing import TypeVar

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession

from messages_app.shared.job_states import ChunkContent, SkipReason
from spark_tasks.ranges import Batches, Reading, as_frame, read_query, schema_of

# What a plan knows of each message.
COLUMNS = {
    "msg_id": "long",
    "state": "string",
    "service_name": "string",
    "failed_error_code": "string",
    "funnel_component_id": "string",
}
# One row of a plan: plans.PlanRow.
PLANNED = {"content": "string", "root_id": "long", "id": "long", "state": "string", "reason": "string"}

Rows = TypeVar("Rows", DataFrame, Reading, DataFrame | Reading)

# SQL with its parameters in order.
Query = tuple[str, tuple[object, ...]]


def selected(spark: SparkSession, *, dsn: str, queries: Sequence[Query]) -> Reading:
    """
    Return one row per message of the set, with COLUMNS.

    Args:
        queries: each gives COLUMNS in their order, and no message that another gives.
    """
    parts = tuple(partial(read_query, dsn, sql, params, COLUMNS) for sql, params in queries)
    return Reading(spark, parts, schema_of(COLUMNS))


def with_reasons(messages: Rows, *, allowed: Collection[str] | None) -> Rows:
    """
    Say which messages of the set a job will leave.

    Args:
        messages: as `selected` returns.
        allowed: states in which the job may do something; None: all.

    Returns:
        The same rows with `reason`: a SkipReason, null where the message is to be done.
    """
    states = None if allowed is None else pa.array(sorted(allowed), pa.string())

    def judge(batches: Batches) -> Batches:
        for batch in batches:
            yield batch.append_column("reason", _reasons(batch["state"], states))

    return messages.mapInArrow(judge, schema_of(COLUMNS | {"reason": "string"}))


def _reasons(found: pa.Array, allowed: pa.Array | None) -> pa.Array:
    if allowed is None:
        return pa.nulls(len(found), pa.string())
    conflict = pa.scalar(str(SkipReason.STATE_CONFLICT), pa.string())
    return pc.if_else(pc.is_in(found, allowed), pa.scalar(None, pa.string()), conflict)


def each_once(messages: DataFrame | Reading) -> DataFrame:
    """Leave one row of each message, and neighbouring ids together."""
    return as_frame(messages).dropDuplicates(["msg_id"]).repartitionByRange("msg_id")


def plan_rows(rows: Rows, *, key: str = "msg_id", content: ChunkContent = ChunkContent.MESSAGES) -> Rows:
    """
    Return rows that are each a family of its own as rows of a plan (PLANNED).

    Args:
        rows: with the column `key`; `state` and `reason` where they have them.
    """

    def place(batches: Batches) -> Batches:
        for batch in batches:
            yield _placed(batch, key, str(content))

    return rows.mapInArrow(place, schema_of(PLANNED))


def _placed(batch: pa.RecordBatch, key: str, content: str) -> pa.RecordBatch:
    ids, there = batch[key], set(batch.schema.names)
    nothing = pa.nulls(batch.num_rows, pa.string())
    states, reasons = (batch[name] if name in there else nothing for name in ("state", "reason"))
    return pa.record_batch(
        [pa.repeat(pa.scalar(content, pa.string()), batch.num_rows), ids, ids, states, reasons],
        names=list(PLANNED),
    )
