"""
Plans archive jobs on Spark. The plan keeps families whole; archive_rows.py moves them, chunk by chunk.

Only narrow columns reach Spark. The rows themselves move inside PostgreSQL (docs/contributing/spec/design.md,
R-7).
Source: docs/contributing/spec/design.md, "Jobs"; docs/contributing/spec/cleverbus.md, "Archiving".
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import psycopg
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from messages_app.shared.job_states import ChunkContent
from spark_tasks.contract import JobKey
from spark_tasks.database import connect_to_database, format_array
from spark_tasks.moves.rows import choose_rows, count_rows, walk_families
from spark_tasks.plans.archive import (
    ArchiveScope,
    PlanBounds,
    plan_bounds,
    planned_rows,
    use_small_set,
    write_families,
    write_single_families,
    write_small_set,
)
from spark_tasks.plans.plan_writer import COUNTS, PlanRow, rows_of, write_plan
from spark_tasks.plans.selection import SAMPLES, count_plan, counts_of, report_of
from spark_tasks.ranges import as_frame, to_batch
from spark_tasks.tables import MESSAGE, REQUEST, RESPONSE, HubTable

# Messages a chunk: half a second of work for one connection, about 20 000 rows. Smaller chunks cost more for
# each message, and larger ones are not faster. Chunks of a small hub are smaller, to keep all executors busy.
_CHUNK_MESSAGES = 5_000
_SMALL_CHUNK_MESSAGES = 1_000
_SMALL_HUB = 50_000  # messages

# Messages a statement when rows are counted.
_COUNTED_TOGETHER = 5_000
# Before the names of tables in counts.
_ROWS = "rows:"


@dataclass(frozen=True, kw_only=True)
class Preview:
    """
    The result of a dry run of an archive job.

    Args:
        messages: number of messages in the set, including skipped ones.
        by_state: number of messages by state.
        skipped: number of messages that would stay, by reason.
        rows: number of rows that would move, by live table.
        samples: ten message ids that would move.
    """

    messages: int
    by_state: dict[str, int]
    skipped: dict[str, int]
    rows: dict[str, int]
    samples: list[int] = field(default_factory=list)


def plan_archive(spark: SparkSession, *, key: JobKey, scope: ArchiveScope) -> int:
    """
    Freeze the job's set: write its items and chunks, and return the number of chunks.

    Raises:
        Exception: Spark's, with Fenced as its cause if the job was taken over meanwhile.
    """
    bounds = plan_bounds(scope)
    size = _chunk_size(bounds)
    if scope.queries is None and bounds.parents is None:
        return write_single_families(spark, key=key, scope=scope, bounds=bounds, size=size)
    if bounds.parents is not None and (bounds.is_few or scope.queries is not None):
        written = write_small_set(spark, key=key, scope=scope, bounds=bounds, size=size)
        if written is not None:
            return written
    if scope.queries is None:
        return write_families(spark, key=key, scope=scope, bounds=bounds, size=size)
    return write_plan(planned_rows(spark, scope=scope, bounds=bounds), key=key, chunk_size=size)


def _chunk_size(bounds: PlanBounds) -> int:
    return _SMALL_CHUNK_MESSAGES if bounds.messages < _SMALL_HUB else _CHUNK_MESSAGES


def preview_archive(spark: SparkSession, *, scope: ArchiveScope) -> Preview:
    """Return the result that `plan` and the job would have. Nothing is written."""
    bounds = plan_bounds(scope)
    small = _preview_small_set(spark, scope, bounds)
    return small or preview_large_set(spark, scope=scope, bounds=bounds)


def _preview_small_set(spark: SparkSession, scope: ArchiveScope, bounds: PlanBounds) -> Preview | None:
    """Return the preview of few messages, counted by one task as they would be planned; None for more."""

    def count(connection: psycopg.Connection, planned: list[PlanRow]) -> list[tuple[str, int]]:
        rows = _count_rows(connection, planned, scope.tables)
        return count_plan(planned) + [(f"{_ROWS}{table}", number) for table, number in rows.items()]

    counts = use_small_set(spark, scope=scope, bounds=bounds, use=count)
    if counts is None:
        return None
    report = report_of(counts)
    return Preview(
        messages=report["planned"],
        by_state=report["by_state"],
        skipped=report["skipped"],
        rows=counts_of(_ROWS, counts),
        samples=report["samples"],
    )


def preview_large_set(spark: SparkSession, *, scope: ArchiveScope, bounds: PlanBounds) -> Preview:
    """Return the preview of any number of messages, by Spark's joins."""

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = rows_of(batches)
        with connect_to_database(scope.dsn) as connection:
            yield to_batch(list(_count_rows(connection, rows, scope.tables).items()), COUNTS)

    planned = as_frame(planned_rows(spark, scope=scope, bounds=bounds)).localCheckpoint()
    rows = _sum_counts(planned.mapInArrow(count, "name string, rows long"))
    messages = planned.filter(F.col("content") == ChunkContent.MESSAGES.value)
    by_state: dict[str, int] = dict(messages.groupBy("state").count().collect())
    staying = messages.filter(F.col("reason").isNotNull())
    moving = messages.filter(F.col("reason").isNull())
    return Preview(
        messages=sum(by_state.values()),
        by_state=by_state,
        skipped=dict(staying.groupBy("reason").count().collect()),
        rows=rows,
        samples=[row.id for row in moving.orderBy("id").limit(SAMPLES).collect()],
    )


def _count_rows(
    connection: psycopg.Connection, rows: Sequence[PlanRow], tables: Sequence[HubTable]
) -> Counter[str]:
    """Return the number of rows that would move with the plan's rows, by table."""
    ids: dict[str, list[int]] = {content: [] for content in ChunkContent}
    for content, _, row_id, _, reason in rows:
        if reason is None:
            ids[content].append(row_id)
    counts: Counter[str] = Counter()
    for start in range(0, len(ids[ChunkContent.MESSAGES]), _COUNTED_TOGETHER):
        some = ids[ChunkContent.MESSAGES][start : start + _COUNTED_TOGETHER]
        counts += _count_families(connection, some, tables)
    counts[REQUEST] += len(ids[ChunkContent.ORPHAN_REQUESTS])
    counts[RESPONSE] += len(ids[ChunkContent.ORPHAN_RESPONSES])
    for start in range(0, len(ids[ChunkContent.ORPHAN_REQUESTS]), _COUNTED_TOGETHER):
        some = ids[ChunkContent.ORPHAN_REQUESTS][start : start + _COUNTED_TOGETHER]
        counts[RESPONSE] += _count_answers(connection, some, tables)
    return counts


def _count_families(
    connection: psycopg.Connection, msg_ids: Sequence[int], tables: Sequence[HubTable]
) -> Counter[str]:
    def count(table: HubTable, ids: Mapping[str, str]) -> tuple[int, str]:
        if table.live == MESSAGE:
            return len(msg_ids), ids["msg_ids"]
        return count_rows(connection, table, ids)

    return walk_families(tables, format_array(msg_ids), count)


def _count_answers(connection: psycopg.Connection, req_ids: Sequence[int], tables: Sequence[HubTable]) -> int:
    responses = next(table for table in tables if table.live == RESPONSE)
    return count_rows(connection, responses, choose_rows(req_ids=format_array(req_ids)))[0]


def _sum_counts(counts: DataFrame) -> Counter[str]:
    return Counter(
        {row.name: row.total for row in counts.groupBy("name").agg(F.sum("rows").alias("total")).collect()}
    )
