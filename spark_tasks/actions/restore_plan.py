"""
Plans restore jobs on Spark: from selected messages to the heads of their families, and from these to every
archived member, in tables and in Parquet files.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import psycopg
import pyarrow as pa
from psycopg.rows import TupleRow
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from messages_app.shared.job_records import SetReport
from messages_app.shared.job_states import ChunkContent, SkipReason
from spark_tasks.actions.restore import live_conflicts
from spark_tasks.contract import JobKey
from spark_tasks.database import TaskStatements, connect_to_database
from spark_tasks.plans.families import parents_of
from spark_tasks.plans.plan_writer import COUNTS, PlanRow, count_chunks, make_part_writer, write_plan
from spark_tasks.plans.selection import (
    PLANNED,
    Query,
    count_plan,
    read_selection,
    report_of,
    report_of_frame,
    use_small_plan,
    write_small_plan,
)
from spark_tasks.ranges import Reading, Task, as_frame, fetch_batches, read_to_end, schema_of, to_batch

statements = TaskStatements("spark_tasks.parquet")
task_statements = TaskStatements("spark_tasks")


# Several chunks read the same row groups of a file, so a chunk has as many messages as one of an archive job.
_CHUNK_MESSAGES, _SMALL_CHUNK_MESSAGES = 5_000, 1_000
# Ids whose families are planned by one task, because neighbours are in the same files.
_NEIGHBOURS = 2**16
_HEADS = {"root_id": "long"}
# Ids looked up by one statement.
_LOOK_UP = 10_000


@dataclass(frozen=True, kw_only=True)
class RestoreScope:
    """
    The scope of a restore plan.

    Args:
        queries: each returns selection.COLUMNS of selected messages; no two return the same message.
        origin_id: of an undo, the archive job that is undone. Its orphans are planned too, and those of its
            messages that are no longer in the archive.
    """

    dsn: str
    queries: Sequence[Query]
    origin_id: int | None = None


def plan_restore(spark: SparkSession, *, key: JobKey, scope: RestoreScope) -> int:
    """
    Freeze the job's set: write its items and chunks, and return the number of chunks.

    Raises:
        Exception: Spark's, with Fenced as its cause if the job was taken over meanwhile.
    """
    if scope.origin_id is None:
        chosen = read_selection(spark, dsn=scope.dsn, queries=scope.queries)
        written = write_small_plan(chosen, _place_families, key=key, chunk_size=_SMALL_CHUNK_MESSAGES)
        if written is not None:
            return written
        # One task: Spark would pass the rows to another process for a second one.
        place, write = _make_planning_task(scope.dsn), make_part_writer(key=key, chunk_size=_CHUNK_MESSAGES)
        heads = _heads_of(chosen, scope.dsn)
        return count_chunks(heads.mapInArrow(lambda batches: write(place(batches)), schema_of(COUNTS)))
    planned = planned_rows(spark, scope=scope)
    # Each family comes from one task, so it is in one partition.
    return write_plan(planned, key=key, chunk_size=_CHUNK_MESSAGES)


def _place_families(connection: psycopg.Connection, rows: list[TupleRow]) -> list[PlanRow]:
    return _rows_of_families(connection, heads_of(connection, [row[0] for row in rows]))


def preview_restore(spark: SparkSession, *, scope: RestoreScope) -> SetReport:
    """Return the report of a dry run: planned, by_state, skipped by reason, samples."""
    if scope.origin_id is None:
        chosen = read_selection(spark, dsn=scope.dsn, queries=scope.queries)
        counts = use_small_plan(chosen, _place_families, lambda _, rows: count_plan(rows), dsn=scope.dsn)
        if counts is not None:
            return report_of(counts)
    return report_of_frame(planned_rows(spark, scope=scope).localCheckpoint())


def planned_rows(spark: SparkSession, *, scope: RestoreScope) -> DataFrame:
    """Return the whole plan, one row per message and orphan: content, root_id, id, state, reason."""
    messages = read_selection(spark, dsn=scope.dsn, queries=scope.queries)
    if scope.origin_id is None:
        return _heads_of(messages, scope.dsn).mapInArrow(_make_planning_task(scope.dsn), schema_of(PLANNED))
    chosen = messages.to_frame().select(
        F.col("msg_id").alias("id"), F.coalesce("state", F.lit("")).alias("state")
    )
    chosen = chosen.localCheckpoint()
    heads = _heads_of(chosen, scope.dsn)
    planned = heads.mapInArrow(_make_planning_task(scope.dsn), schema_of(PLANNED)).localCheckpoint()
    missing = chosen.join(planned.select("id"), on="id", how="left_anti")
    gone = missing.mapInArrow(_with_connection(scope.dsn, _explain_missing), schema_of(PLANNED))
    return planned.unionByName(gone).unionByName(_select_orphans(spark, scope))


def _heads_of(messages: DataFrame | Reading, dsn: str) -> DataFrame:
    """
    Return the heads of the messages' families, neighbours in one partition, some of them several times.

    Args:
        messages: their ids are in the first column.
    """
    heads = as_frame(messages.mapInArrow(_with_connection(dsn, _heads_of_batch), schema_of(_HEADS)))
    return heads.repartition(F.floor(F.col("root_id") / _NEIGHBOURS))


def _make_planning_task(dsn: str) -> Task:
    """Return a task that plans the families of all heads of its partition."""

    def plan_heads(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        heads = sorted({head for batch in batches for head in batch.column(0).to_pylist()})
        with connect_to_database(dsn) as connection:
            for start in range(0, len(heads), _LOOK_UP):
                rows = _rows_of_families(connection, heads[start : start + _LOOK_UP])
                yield to_batch(rows, PLANNED)

    return plan_heads


def _with_connection(dsn: str, work: Callable[[psycopg.Connection, pa.RecordBatch], pa.RecordBatch]) -> Task:
    """Return a task that processes each batch with a connection of its own."""

    def process_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with connect_to_database(dsn) as connection:
            for batch in batches:
                yield work(connection, batch)

    return process_batches


def _heads_of_batch(connection: psycopg.Connection, chosen: pa.RecordBatch) -> pa.RecordBatch:
    ids = chosen.column(0).to_pylist()
    return to_batch([(head,) for head in heads_of(connection, ids)], _HEADS)


def heads_of(connection: psycopg.Connection, ids: Collection[int]) -> set[int]:
    """Return the heads of the messages' families in the archive."""
    parents = parents_of(lambda some: _look_up_rows(connection, "family_parents", some), ids)
    return {head_of(msg_id, parents) for msg_id in ids}


def head_of(msg_id: int, parents: dict[int, int | None]) -> int:
    """Return the topmost archived ancestor; if the parent links form a cycle, its smallest id."""
    path: dict[int, None] = {}
    while (above := parents.get(msg_id)) in parents and msg_id not in path:
        path[msg_id] = None
        msg_id = above
    if msg_id not in path:
        return msg_id
    members = list(path)
    return min(members[members.index(msg_id) :])


def _rows_of_families(connection: psycopg.Connection, heads: Collection[int]) -> list[PlanRow]:
    states, roots = members_of(connection, heads)
    reasons = family_reasons(roots, dict(_iterate_conflicts(connection, list(states))))
    return [
        (ChunkContent.MESSAGES.value, roots[msg_id], msg_id, state, reasons.get(msg_id))
        for msg_id, state in states.items()
    ]


def members_of(
    connection: psycopg.Connection, heads: Collection[int]
) -> tuple[dict[int, str], dict[int, int]]:
    """Return the state and the head of every archived member of the families."""
    states: dict[int, str] = dict(_look_up_rows(connection, "family_states", heads))
    roots = {msg_id: msg_id for msg_id in states}
    below = set(states)
    while below:
        children = [
            row for row in _look_up_rows(connection, "family_children", below) if row[0] not in states
        ]
        for msg_id, parent, state in children:
            states[msg_id], roots[msg_id] = state, roots[parent]
        below = {row[0] for row in children}
    return states, roots


def family_reasons(roots: dict[int, int], conflicts: dict[int, str]) -> dict[int, str]:
    """Return why messages stay: because of a conflict of their own or of their family."""
    staying_roots = {roots[msg_id] for msg_id in conflicts}
    for_kin = {
        msg_id: str(SkipReason.FAMILY_STAYS) for msg_id, root in roots.items() if root in staying_roots
    }
    return for_kin | {msg_id: str(reason) for msg_id, reason in conflicts.items()}


def _iterate_conflicts(connection: psycopg.Connection, ids: Sequence[int]) -> Iterator[tuple[int, str]]:
    for start in range(0, len(ids), _LOOK_UP):
        yield from live_conflicts(connection, ids[start : start + _LOOK_UP])


def _look_up_rows(connection: psycopg.Connection, name: str, ids: Collection[int]) -> Iterator[TupleRow]:
    in_order = sorted(ids)
    for start in range(0, len(in_order), _LOOK_UP):
        yield from statements.run_statement(connection, name, {"ids": in_order[start : start + _LOOK_UP]})


def _explain_missing(connection: psycopg.Connection, missing: pa.RecordBatch) -> pa.RecordBatch:
    """Return why messages are no longer in the archive."""
    ids, states = (column.to_pylist() for column in missing.columns)
    live = set(task_statements.fetch_column(connection, "live_states", {"ids": ids}))
    reasons = defaultdict(lambda: str(SkipReason.VANISHED), dict.fromkeys(live, str(SkipReason.MSG_ID_LIVE)))
    rows = [
        (ChunkContent.MESSAGES.value, msg_id, msg_id, state, reasons[msg_id])
        for msg_id, state in zip(ids, states, strict=True)
    ]
    return to_batch(rows, PLANNED)


def _select_orphans(spark: SparkSession, scope: RestoreScope) -> DataFrame:
    """Return the orphans of the job that is undone."""
    dsn, origin_id = scope.dsn, scope.origin_id

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        read_to_end(batches)
        with connect_to_database(dsn) as connection:
            values = {"job_id": origin_id}
            yield from fetch_batches(connection, statements.read_text("orphans_of_job"), values, PLANNED)

    return spark.range(0, 1, 1, 1).mapInArrow(read, schema_of(PLANNED))
