"""
The frozen set of a job, read by SQL that the driver made from a filter: one task for each range of ids.

A small set is planned, and counted for a dry run, in one task that reads all of it. Spark's joins, sorts and
checkpoints take seconds before they read a row, and a few thousand messages fit in a task.

Source: docs/contributing/spec/design.md, R-5; docs/contributing/spec/promises.md, I-31.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar

import psycopg
import pyarrow as pa
import pyarrow.compute as pc
from psycopg.rows import TupleRow
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from messages_app.shared.job_records import SetReport
from messages_app.shared.job_states import ChunkContent, SkipReason
from spark_tasks.contract import JobKey
from spark_tasks.database import connect_to_database, init_worker
from spark_tasks.plans.plan_writer import (
    COUNTS,
    SINGLE_MESSAGES,
    PlanRow,
    count_chunks,
    part_no,
    sort_rows,
    write_inside,
    write_part,
)
from spark_tasks.ranges import Batches, Part, Reading, as_frame, read_query, read_to_end, schema_of, to_batch

# The columns of each message that a plan reads.
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


def read_selection(spark: SparkSession, *, dsn: str, queries: Sequence[Query]) -> Reading:
    """
    Return one row per message of the set, with COLUMNS.

    Args:
        queries: each returns COLUMNS in their order; no two return the same message.
    """
    parts = tuple(partial(read_query, dsn, sql, params, COLUMNS) for sql, params in queries)
    return Reading(spark, parts, schema_of(COLUMNS))


def with_reasons(messages: Rows, *, allowed: Collection[str] | None) -> Rows:
    """
    Add the reason for each message of the set that the job will skip.

    Args:
        messages: as `selected` returns.
        allowed: states in which the job may change a message; None: all.

    Returns:
        The same rows with `reason`: a SkipReason; null if the message will be processed.
    """
    states = None if allowed is None else pa.array(sorted(allowed), pa.string())

    def judge(batches: Batches) -> Batches:
        for batch in batches:
            yield batch.append_column("reason", _reasons_of_conflicts(batch["state"], states))

    return messages.mapInArrow(judge, schema_of(COLUMNS | {"reason": "string"}))


def _reasons_of_conflicts(states: pa.Array, allowed: pa.Array | None) -> pa.Array:
    if allowed is None:
        return pa.nulls(len(states), pa.string())
    conflict = pa.scalar(str(SkipReason.STATE_CONFLICT), pa.string())
    return pc.if_else(pc.is_in(states, allowed), pa.scalar(None, pa.string()), conflict)


def each_once(messages: DataFrame | Reading) -> DataFrame:
    """Return one row for each message, with neighbouring ids together."""
    return as_frame(messages).dropDuplicates(["msg_id"]).repartitionByRange("msg_id")


def plan_rows(rows: Rows, *, key: str = "msg_id", content: ChunkContent = ChunkContent.MESSAGES) -> Rows:
    """
    Convert rows that are families of their own to rows of a plan (PLANNED).

    Args:
        rows: with the column `key`, and optionally `state` and `reason`.
    """

    def place_rows(batches: Batches) -> Batches:
        for batch in batches:
            yield _to_planned(batch, key, str(content))

    return rows.mapInArrow(place_rows, schema_of(PLANNED))


def _to_planned(batch: pa.RecordBatch, key: str, content: str) -> pa.RecordBatch:
    ids, names = batch[key], set(batch.schema.names)
    nothing = pa.nulls(batch.num_rows, pa.string())
    states, reasons = (batch[name] if name in names else nothing for name in ("state", "reason"))
    return pa.record_batch(
        [pa.repeat(pa.scalar(content, pa.string()), batch.num_rows), ids, ids, states, reasons],
        names=list(PLANNED),
    )


def write_selection(spark: SparkSession, *, key: JobKey, queries: Sequence[Query], chunk_size: int) -> int:
    """
    Write the plan of a job that leaves no message to other jobs, and return the number of chunks.

    Each message is a family of its own, so PostgreSQL writes the rows directly and the tasks do not read
    them.

    Args:
        queries: as of read_selection.

    Raises: as plans.write_plan.
    """
    parts = tuple(partial(_write_inside, key, query, chunk_size) for query in queries)
    return count_chunks(Reading(spark, parts, schema_of(COUNTS)))


def _write_inside(key: JobKey, query: Query, size: int) -> Batches:
    with connect_to_database(key.dsn) as connection:
        # The statement around it has parameters of its own, by name.
        bound = psycopg.ClientCursor(connection).mogrify(*query).replace("%", "%%")
        written = write_inside(
            connection, key, part_no(), SINGLE_MESSAGES, bound, {}, size=size, claims=False
        )
    yield to_batch([("chunks", written or 0)], COUNTS)


# Messages; a larger set is planned by many tasks.
MAX_SMALL_PLAN = 10_000
# A set that PostgreSQL expects to be large is read in more parts than this.
_MAX_PARTS = 8

Placing = Callable[[psycopg.Connection, list[TupleRow]], list[PlanRow]]
# Uses a plan, and returns COUNTS.
Using = Callable[[psycopg.Connection, list[PlanRow]], list[tuple[str, int]]]

_WRITTEN, _TOO_MANY = "chunks", "too many"


class TooMany(Exception):
    """The set, or its families, are not small."""


def write_small_plan(
    chosen: Reading, place: Placing, *, key: JobKey, chunk_size: int, first_part: int = 0
) -> int | None:
    """
    Write the plan of a small set, and return the number of chunks; None, with nothing written, if it is
    larger.

    Args:
        chosen: the set that the job's filter selects.
        place: converts all rows of the set to rows of the plan; raises TooMany if there are too many.
        chunk_size: approximate number of messages a chunk.
        first_part: the number of this part; the plan may have earlier ones.

    Raises:
        Exception: Spark's, with Fenced as its cause if the job was taken over meanwhile.
    """

    def write(connection: psycopg.Connection, rows: list[PlanRow]) -> list[tuple[str, int]]:
        part = first_part + part_no()
        return [(_WRITTEN, write_part(connection, key, part, sort_rows(rows), size=chunk_size, claims=True))]

    counts = use_small_plan(chosen, place, write, dsn=key.dsn)
    return None if counts is None else counts[_WRITTEN]


def use_small_plan(chosen: Reading, place: Placing, use: Using, *, dsn: str) -> dict[str, int] | None:
    """
    Plan a small set in one task, and return the counts of `use`; None if the set is larger.

    Args:
        chosen, place: as write_small_plan.
    """
    if len(chosen.parts) > _MAX_PARTS:
        return None
    parts = chosen.parts

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        init_worker()
        read_to_end(batches)
        yield to_batch(_use_parts(parts, place, use, dsn), COUNTS)

    rows = chosen.spark.range(0, 1, 1, 1).mapInArrow(work, schema_of(COUNTS)).collect()
    counts: dict[str, int] = {row.name: row.rows for row in rows}
    return None if _TOO_MANY in counts else counts


def _use_parts(parts: Sequence[Part], place: Placing, use: Using, dsn: str) -> list[tuple[str, int]]:
    try:
        rows = few_rows(parts)
        with connect_to_database(dsn) as connection:
            return use(connection, place(connection, rows))
    except TooMany:
        return [(_TOO_MANY, 0)]


def few_rows(parts: Sequence[Part]) -> list[TupleRow]:
    """
    Return the rows of all parts.

    Raises:
        TooMany: there are more than MAX_SMALL_PLAN. Reading stops as soon as this is known.
    """
    rows: list[TupleRow] = []
    for part in parts:
        for batch in part():
            if len(rows) + batch.num_rows > MAX_SMALL_PLAN:
                raise TooMany
            rows += zip(*(column.to_pylist() for column in batch.columns), strict=True)
    return rows


_SAMPLES = 10
# Before the names of counts.
_STATE, _SKIPPED, _SAMPLE = "state:", "skipped:", "sample:"


def count_plan(planned: Sequence[PlanRow]) -> list[tuple[str, int]]:
    """Return the messages by state, the skipped messages by reason, and the first ids of the others."""
    counts: Counter[str] = Counter()
    moving: list[int] = []
    for content, _, row_id, state, reason in planned:
        if content != ChunkContent.MESSAGES:
            continue
        counts[f"{_STATE}{state}"] += 1
        if reason is None:
            moving.append(row_id)
        else:
            counts[f"{_SKIPPED}{reason}"] += 1
    samples = [(f"{_SAMPLE}{place}", row_id) for place, row_id in enumerate(sorted(moving)[:_SAMPLES])]
    return [*counts.items(), *samples]


def report_of(counts: Mapping[str, int]) -> SetReport:
    """Return the report of a dry run from the counts of `count_plan`."""
    by_state = counts_of(_STATE, counts)
    return {
        "planned": sum(by_state.values()),
        "by_state": by_state,
        "skipped": counts_of(_SKIPPED, counts),
        "samples": sorted(counts_of(_SAMPLE, counts).values()),
    }


def report_of_frame(planned: DataFrame) -> SetReport:
    """Return the report of a dry run from a plan of any size, checkpointed, by Spark."""
    messages = planned.filter(F.col("content") == ChunkContent.MESSAGES.value)
    by_state: dict[str, int] = dict(messages.groupBy("state").count().collect())
    staying = messages.filter(F.col("reason").isNotNull())
    moving = messages.filter(F.col("reason").isNull())
    return {
        "planned": sum(by_state.values()),
        "by_state": by_state,
        "skipped": dict(staying.groupBy("reason").count().collect()),
        "samples": [row.id for row in moving.orderBy("id").limit(_SAMPLES).collect()],
    }


def counts_of(prefix: str, counts: Mapping[str, int]) -> dict[str, int]:
    """Return the counts whose names begin with `prefix`, without it."""
    return {name.removeprefix(prefix): number for name, number in counts.items() if name.startswith(prefix)}
