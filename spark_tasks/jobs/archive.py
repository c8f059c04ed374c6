"""
The archive job on Spark: a plan that closes families, and a run that moves them chunk by chunk.

Only narrow columns reach Spark; the rows themselves move inside PostgreSQL (DESIGN rule 7).
Source: DESIGN.md "Jobs"; spec/cleverbus.md 8.3, last paragraph ("what right should mean").
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import psycopg
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from messages_app.jobs.states import ChunkContent
from spark_tasks.archive_plan import plan_bounds, planned_rows
from spark_tasks.database import connect
from spark_tasks.moves import ChunkWork, Fenced, archive_chunk
from spark_tasks.plans import PlanRow, write_part
from spark_tasks.ranges import to_batch
from spark_tasks.sql import statement

# Of a run: many more tasks than cores, so that a slow chunk holds few others up.
_MAX_TASKS = 512
_TRIES = 3

_PLAN_SCHEMA = "content string, root_id long, id long, state string, reason string"
_ROWS_SCHEMA = {"name": "string", "rows": "long"}

# May go well when tried again: the connection broke, a lock was waited for too long, or a deadlock was cut.
_PASSING = (psycopg.OperationalError, psycopg.InterfaceError)


@dataclass(frozen=True, kw_only=True)
class Preview:
    """
    What an archive run would do.

    Args:
        messages: how many messages are in the set, the skipped ones included.
        by_state: of these, how many are in each state.
        skipped: how many would stay, by reason.
        rows: how many rows would move, by live table.
        samples: ten message ids that would move.
    """

    messages: int
    by_state: dict[str, int]
    skipped: dict[str, int]
    rows: dict[str, int]
    samples: list[int] = field(default_factory=list)


def plan(spark: SparkSession, *, work: ChunkWork, last_msg_id: int) -> int:
    """
    Freeze the job's set: write its items and chunks, and return how many chunks there are.

    Raises:
        Exception: Spark's, carrying moves.Fenced when the job was taken over meanwhile.
    """

    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        rows = _rows_of(batches)
        if not rows:
            return
        with connect(work.dsn) as connection:
            written = write_part(connection, work, TaskContext.get().partitionId(), rows)
        yield to_batch([("chunks", written)], _ROWS_SCHEMA)

    bounds = plan_bounds(work)
    planned = planned_rows(spark, work=work, bounds=bounds, last_msg_id=last_msg_id)
    return _sum(_in_parts(planned, bounds.tasks).mapInArrow(write, "name string, rows long"))["chunks"]


def preview(spark: SparkSession, *, work: ChunkWork, last_msg_id: int) -> Preview:
    """Say what `plan` and `run` would do; nothing is written."""

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = _rows_of(batches)
        with connect(work.dsn) as connection:
            yield to_batch(list(_count_rows(connection, rows).items()), _ROWS_SCHEMA)

    bounds = plan_bounds(work)
    planned = planned_rows(spark, work=work, bounds=bounds, last_msg_id=last_msg_id).localCheckpoint()
    rows = _sum(_in_parts(planned, bounds.tasks).mapInArrow(count, "name string, rows long"))
    messages = planned.filter(F.col("content") == ChunkContent.MESSAGES.value)
    by_state = dict(messages.groupBy("state").count().collect())
    staying = messages.filter(F.col("reason").isNotNull())
    moving = messages.filter(F.col("reason").isNull())
    return Preview(
        messages=sum(by_state.values()),
        by_state=by_state,
        skipped=dict(staying.groupBy("reason").count().collect()),
        rows=rows,
        samples=[row.id for row in moving.orderBy("id").limit(10).collect()],
    )


def run(spark: SparkSession, *, work: ChunkWork, chunk_nos: list[int]) -> None:
    """
    Do the given chunks, many at once. What became of them stands in the ledger.

    Ends early, without an error, once the job is stopped, paused or taken over.

    Raises:
        Exception: Spark's, when a chunk failed on every try; the chunks before it stay done.
    """

    def move(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        done = Counter()
        for batch in batches:
            for index in batch.column(0).to_pylist():
                done["chunks"] += _do_chunk(work, chunk_nos[index])
        yield to_batch(list(done.items()), _ROWS_SCHEMA)

    if chunk_nos:
        tasks = min(len(chunk_nos), _MAX_TASKS)
        spark.range(0, len(chunk_nos), 1, tasks).mapInArrow(move, "name string, rows long").collect()


def _do_chunk(work: ChunkWork, chunk_no: int) -> int:
    for attempt in range(1, _TRIES + 1):
        try:
            with connect(work.dsn) as connection:
                return int(archive_chunk(connection, work, chunk_no) is not None)
        except Fenced:
            return 0  # stopped, paused or taken over: whoever has the job now goes on
        except _PASSING:
            if attempt == _TRIES:
                raise
    return 0


def _in_parts(planned: DataFrame, parts: int) -> DataFrame:
    """Cut the plan into parts of neighbouring ids, each sorted, no family in two."""
    return planned.repartitionByRange(parts, "content", "root_id").sortWithinPartitions(
        "content", "root_id", "id"
    )


def _rows_of(batches: Iterator[pa.RecordBatch]) -> list[PlanRow]:
    return [
        row
        for batch in batches
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)
    ]


def _count_rows(connection: psycopg.Connection, rows: list[PlanRow]) -> Counter[str]:
    ids: dict[str, list[int]] = {content: [] for content in ChunkContent}
    for content, _, row_id, _, reason in rows:
        if reason is None:
            ids[content].append(row_id)
    messages, requests, responses = (ids[content] for content in ChunkContent)
    calls, funnels, own_requests, own_responses = connection.execute(
        statement("dependants"), {"msg_ids": messages}
    ).fetchone()
    answers = connection.execute(statement("responses_of_requests"), {"req_ids": requests}).fetchone()[0]
    return Counter(
        message=len(messages),
        external_call=calls,
        funnel=funnels,
        request=own_requests + len(requests),
        response=own_responses + answers + len(responses),
    )


def _sum(counts: DataFrame) -> Counter[str]:
    return Counter(
        {row.name: row.total for row in counts.groupBy("name").agg(F.sum("rows").alias("total")).collect()}
    )
