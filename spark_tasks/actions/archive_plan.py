"""
Plans archive jobs on Spark. The plan keeps families whole; archive_rows.py moves them, chunk by chunk.

Only narrow columns reach Spark. The rows themselves move inside PostgreSQL (docs/contributing/spec/design.md,
R-7).
Source: docs/contributing/spec/design.md, "Jobs"; docs/contributing/spec/cleverbus.md, "Archiving".
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import psycopg
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from messages_app.shared.job_records import SetReport
from messages_app.shared.job_states import ChunkContent
from spark_tasks.contract import JobKey
from spark_tasks.database import connect_to_database, format_array
from spark_tasks.moves.rows import choose_rows, count_rows, visit_families
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
from spark_tasks.plans.selection import count_plan, counts_of, report_of, report_of_frame
from spark_tasks.ranges import Batches, as_frame, schema_of, to_batch
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
    if scope.queries is None and scope.has_indexes:
        return write_families(spark, key=key, scope=scope, bounds=bounds, size=size)
    return write_plan(planned_rows(spark, scope=scope, bounds=bounds), key=key, chunk_size=size)


def _chunk_size(bounds: PlanBounds) -> int:
    return _SMALL_CHUNK_MESSAGES if bounds.messages < _SMALL_HUB else _CHUNK_MESSAGES


def preview_archive(spark: SparkSession, *, scope: ArchiveScope) -> SetReport:
    """
    Return the result that `plan_archive` and the job would have. Nothing is written.

    Returns:
        planned, by_state, skipped by reason, samples, and in would_move the rows by live table.
    """
    bounds = plan_bounds(scope)
    small = _preview_small_set(spark, scope, bounds)
    return small or preview_large_set(spark, scope=scope, bounds=bounds)


def _preview_small_set(spark: SparkSession, scope: ArchiveScope, bounds: PlanBounds) -> SetReport | None:
    """Return the preview of few messages, counted by one task as they would be planned; None for more."""

    def count(connection: psycopg.Connection, planned: list[PlanRow]) -> list[tuple[str, int]]:
        rows = _count_rows(connection, planned, scope.tables)
        return count_plan(planned) + [(f"{_ROWS}{table}", number) for table, number in rows.items()]

    counts = use_small_set(spark, scope=scope, bounds=bounds, use=count)
    if counts is None:
        return None
    report = report_of(counts)
    report["would_move"] = counts_of(_ROWS, counts)
    return report


def preview_large_set(spark: SparkSession, *, scope: ArchiveScope, bounds: PlanBounds) -> SetReport:
    """Return the preview of any number of messages, by Spark's joins."""

    def count(batches: Batches) -> Batches:
        rows = rows_of(batches)
        with connect_to_database(scope.dsn) as connection:
            yield to_batch(list(_count_rows(connection, rows, scope.tables).items()), COUNTS)

    planned = as_frame(planned_rows(spark, scope=scope, bounds=bounds)).localCheckpoint()
    rows = _sum_counts(planned.mapInArrow(count, schema_of(COUNTS)))
    report = report_of_frame(planned)
    report["would_move"] = rows
    return report


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

    return visit_families(tables, format_array(msg_ids), count)


def _count_answers(connection: psycopg.Connection, req_ids: Sequence[int], tables: Sequence[HubTable]) -> int:
    responses = next(table for table in tables if table.live == RESPONSE)
    return count_rows(connection, responses, choose_rows(req_ids=format_array(req_ids)))[0]


def _sum_counts(counts: DataFrame) -> dict[str, int]:
    return dict(counts.groupBy("name").agg(F.sum("rows")).collect())
