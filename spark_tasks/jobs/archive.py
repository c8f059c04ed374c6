"""
The archive job on Spark: a plan that closes families. spark_tasks/moves.py moves them, chunk by chunk.

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
from spark_tasks.archive_plan import ArchiveScope, plan_bounds, planned_rows
from spark_tasks.chunks import JobKey
from spark_tasks.database import connect
from spark_tasks.plans import COUNTS, PlanRow, rows_of, write_plan
from spark_tasks.ranges import to_batch
from spark_tasks.sql import statement

# Messages a chunk: about a second's work for one connection.
CHUNK_MESSAGES = 1_000


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


def plan(spark: SparkSession, *, key: JobKey, scope: ArchiveScope) -> int:
    """
    Freeze the job's set: write its items and chunks, and return how many chunks there are.

    Raises:
        Exception: Spark's, carrying Fenced when the job was taken over meanwhile.
    """
    bounds = plan_bounds(scope)
    planned = planned_rows(spark, scope=scope, bounds=bounds)
    return write_plan(_in_parts(planned, bounds.tasks), key=key, chunk_size=CHUNK_MESSAGES)


def preview(spark: SparkSession, *, scope: ArchiveScope) -> Preview:
    """Say what `plan` and `run` would do; nothing is written."""

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = rows_of(batches)
        with connect(scope.dsn) as connection:
            yield to_batch(list(_count_rows(connection, rows).items()), COUNTS)

    bounds = plan_bounds(scope)
    planned = planned_rows(spark, scope=scope, bounds=bounds).localCheckpoint()
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


def _in_parts(planned: DataFrame, parts: int) -> DataFrame:
    """Cut the plan into parts of neighbouring ids, each sorted, no family in two."""
    return planned.repartitionByRange(parts, "content", "root_id").sortWithinPartitions(
        "content", "root_id", "id"
    )


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
