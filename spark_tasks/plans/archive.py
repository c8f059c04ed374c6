"""Reads the narrow columns that an archive plan needs, and completes the families of its messages."""

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from typing import TypedDict

import psycopg
import pyarrow as pa
from psycopg.rows import TupleRow
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from messages_app.shared.job_states import ChunkContent
from messages_app.shared.sql_files import SqlFiles
from spark_tasks.contract import JobKey
from spark_tasks.database import connect, only_row
from spark_tasks.plans.families import Ages, closed_families
from spark_tasks.plans.plans import COUNTS, PlanRow, part_no, total, write_single_messages, writer
from spark_tasks.plans.selection import Query, few_rows, plan_rows, read_selection, write_small_plan
from spark_tasks.ranges import (
    Batches,
    Part,
    Reading,
    as_frame,
    read_ranges,
    schema_of,
    split_ids,
    split_times,
    to_batch,
)
from spark_tasks.tables import HUB_TABLES, REQUEST, RESPONSE, HubTable
from spark_tasks.transforms import family_roots, family_verdicts, outsiders, planned_items

statements = SqlFiles("spark_tasks")


# Final messages by their age.
_FINALS = "final_messages"

# A member of a family outside the set, with its current row.
_OUTSIDER = {"msg_id": "long", "root_msg_id": "long", "state": "string", "may_go": "boolean"}

# One task for this many messages in the table: a small hub is planned quickly, a large one with constant
# memory.
_MESSAGES_A_TASK = 100_000
_MAX_TASKS = 128


@dataclass(frozen=True, kw_only=True)
class ArchiveScope:
    """
    The scope of an archive plan.

    Args:
        cutoff: only older messages move; ISO 8601 with offset.
        final_states: the states of finished messages.
        last_msg_id: the newest message that may be in the set.
        queries: of a job with a filter: they return its final messages, in the form that selection.selected
            takes. Their families are added. None: all messages that are old enough, and orphans.
        tables: the tables to move, children before parents.
    """

    dsn: str
    cutoff: str
    final_states: tuple[str, ...]
    last_msg_id: int
    queries: tuple[Query, ...] | None = None
    tables: tuple[HubTable, ...] = HUB_TABLES

    @property
    def has_orphans(self) -> bool:
        """Whether orphans are planned, which requires both tables that can contain them."""
        return self.queries is None and {REQUEST, RESPONSE} <= {table.live for table in self.tables}


@dataclass(frozen=True, kw_only=True)
class PlanBounds:
    """
    The bounds of a plan's reads, and the number of tasks.

    Args:
        messages: approximate number of messages; -1 if the database does not know it yet.
        parents: the first id of a parent, and the one after the last; None if no message has a parent.
        first_orphans: the time of the first row that belongs to no message, by content.
    """

    messages: int
    tasks: int
    first_age: dt.datetime | None
    parents: tuple[int, int] | None
    first_orphans: Mapping[ChunkContent, dt.datetime]


def plan_bounds(scope: ArchiveScope) -> PlanBounds:
    with connect(scope.dsn) as connection:
        size, first_age, first_parent, last_parent = only_row(
            connection.execute(statements.text("plan_bounds"), {"final_states": list(scope.final_states)})
        )
        firsts: TupleRow = (None, None)
        if scope.has_orphans:
            firsts = only_row(connection.execute(statements.text("first_orphans")))
    orphans = zip((ChunkContent.ORPHAN_REQUESTS, ChunkContent.ORPHAN_RESPONSES), firsts, strict=True)
    return PlanBounds(
        messages=size,
        tasks=max(1, min(_MAX_TASKS, -(-size // _MESSAGES_A_TASK))),
        first_age=first_age,
        parents=None if first_parent is None else (first_parent, last_parent + 1),
        first_orphans={content: first for content, first in orphans if first is not None},
    )


def write_single_families(
    spark: SparkSession, *, key: JobKey, scope: ArchiveScope, bounds: PlanBounds, size: int
) -> int:
    """
    Write the plan of a hub whose messages have no parents, and return the number of chunks.

    Each message is a family of its own, so PostgreSQL writes the rows directly and the tasks do not read
    them.

    Args:
        size: messages a chunk.

    Raises: as plans.write_plan.
    """
    counts, task = schema_of(COUNTS), writer(key=key, chunk_size=size)
    by_rows = plan_rows(_finals(spark, scope, bounds)).mapInArrow(task, counts)
    parts = zip(_ranges(bounds.first_age, scope, bounds), by_rows.parts, strict=True)
    values = _values_of_finals(scope)
    inside = Reading(
        spark,
        tuple(
            partial(_write_inside, key, {**values, "start": start, "end": end}, size, otherwise)
            for (start, end), otherwise in parts
        ),
        counts,
    )
    orphans = [_orphans(spark, scope, bounds, content) for content in bounds.first_orphans]
    return total(reduce(Reading.union, (rows.mapInArrow(task, counts) for rows in orphans), inside))


def _write_inside(key: JobKey, values: Mapping[str, object], size: int, otherwise: Part) -> Batches:
    """Write a part of the plan inside the database; row by row if another job is active."""
    with connect(key.dsn) as connection:
        query = statements.text(_FINALS)
        written = write_single_messages(connection, key, part_no(), query, values, size=size)
    if written is None:
        yield from otherwise()
        return
    yield to_batch([("chunks", written)], COUNTS)


def write_small_set(
    spark: SparkSession, *, key: JobKey, scope: ArchiveScope, bounds: PlanBounds, size: int
) -> int | None:
    """
    Write the plan of few messages with their families; return the number of chunks, or None if there are
    more.

    Args:
        size: approximate number of messages a chunk.

    Raises: as plans.write_plan.
    """
    orphans = [
        part for content in bounds.first_orphans for part in _orphans(spark, scope, bounds, content).parts
    ]

    def place(connection: psycopg.Connection, rows: list[TupleRow]) -> list[PlanRow]:
        finals = {msg_id: state for msg_id, state, *_ in rows}
        return [*closed_families(connection, finals, ages=_ages(scope)), *few_rows(orphans)]

    return write_small_plan(_finals(spark, scope, bounds), place, key=key, chunk_size=size)


def planned_rows(spark: SparkSession, *, scope: ArchiveScope, bounds: PlanBounds) -> DataFrame | Reading:
    """
    Return the whole plan, one row per message and orphan, as plans.PlanRow.

    Each family is in one partition.
    """
    finals = _finals(spark, scope, bounds)
    orphans = [_orphans(spark, scope, bounds, content) for content in bounds.first_orphans]
    if bounds.parents is None:
        # No message has a parent: each is a family, and a task can keep the rows that it has read.
        return reduce(Reading.union, orphans, plan_rows(finals))
    families = _closed_families(spark, scope, bounds, bounds.parents, finals.frame().localCheckpoint())
    placed = families.repartitionByRange(bounds.tasks, "root_id")
    return reduce(DataFrame.unionByName, map(as_frame, orphans), placed)


def _orphans(spark: SparkSession, scope: ArchiveScope, bounds: PlanBounds, content: ChunkContent) -> Reading:
    ids = _read_by_time(
        spark,
        scope,
        bounds,
        query=str(content),
        first=bounds.first_orphans[content],
        columns={"id": "long"},
        params={"cutoff": scope.cutoff},
    )
    return plan_rows(ids, key="id", content=content)


def _finals(spark: SparkSession, scope: ArchiveScope, bounds: PlanBounds) -> Reading:
    """
    Return the messages of the set before their families are checked: msg_id and state, and possibly more
    columns.
    """
    if scope.queries is not None:
        return read_selection(spark, dsn=scope.dsn, queries=scope.queries)
    return _read_by_time(
        spark,
        scope,
        bounds,
        query=_FINALS,
        first=bounds.first_age,
        columns={"msg_id": "long", "state": "string"},
        params=_values_of_finals(scope),
    )


class _FinalsValues(TypedDict):
    """The parameters of final_messages.sql, except its range."""

    last_msg_id: int
    final_states: list[str]


def _values_of_finals(scope: ArchiveScope) -> _FinalsValues:
    return {"last_msg_id": scope.last_msg_id, "final_states": list(scope.final_states)}


def _read_by_time(
    spark: SparkSession,
    scope: ArchiveScope,
    bounds: PlanBounds,
    *,
    query: str,
    first: dt.datetime | None,
    columns: Mapping[str, str],
    params: Mapping[str, object],
) -> Reading:
    ranges = _ranges(first, scope, bounds)
    return read_ranges(spark, dsn=scope.dsn, query=query, ranges=ranges, params=params, columns=columns)


def _ranges(
    first: dt.datetime | None, scope: ArchiveScope, bounds: PlanBounds
) -> list[tuple[dt.datetime, dt.datetime]]:
    end = dt.datetime.fromisoformat(scope.cutoff)
    return split_times(first=first or end, end=end, parts=bounds.tasks)


def _closed_families(
    spark: SparkSession,
    scope: ArchiveScope,
    bounds: PlanBounds,
    parents: tuple[int, int],
    finals: DataFrame,
) -> DataFrame:
    links = _read_links(spark, scope, bounds, parents)
    roots = family_roots(links).localCheckpoint()
    states = outsiders(finals, roots).mapInArrow(_state_reader(scope), schema_of(_OUTSIDER)).localCheckpoint()
    joining = states.filter("may_go").select("msg_id", "state")
    verdicts = family_verdicts(states.filter("NOT may_go"), final_states=scope.final_states)
    members = finals.select("msg_id", "state").unionByName(joining)
    return planned_items(members, roots, verdicts).select(
        F.lit(str(ChunkContent.MESSAGES)).alias("content"),
        F.col("root_msg_id").alias("root_id"),
        F.col("msg_id").alias("id"),
        "state",
        "reason",
    )


def _read_links(
    spark: SparkSession, scope: ArchiveScope, bounds: PlanBounds, parents: tuple[int, int]
) -> DataFrame:
    first, end = parents
    return read_ranges(
        spark,
        dsn=scope.dsn,
        query="family_links",
        ranges=split_ids(first=first, end=end, parts=bounds.tasks),
        params={},
        columns={"msg_id": "long", "parent_msg_id": "long"},
    ).frame()


def _ages(scope: ArchiveScope) -> Ages:
    """Return the facts that decide whether a message outside the set may move with its family."""
    return {
        "final_states": list(scope.final_states),
        "cutoff": scope.cutoff,
        "last_msg_id": scope.last_msg_id,
    }


def _state_reader(scope: ArchiveScope) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """
    Return a task that yields the state of each live message and whether it may move, and drops the others.
    """
    values = _ages(scope)

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with connect(scope.dsn) as connection:
            for batch in batches:
                roots = dict(zip(*(column.to_pylist() for column in batch.columns), strict=True))
                found = connection.execute(statements.text("outsider_states"), {**values, "ids": list(roots)})
                live = [(msg_id, roots[msg_id], state, may_go) for msg_id, state, may_go in found]
                yield to_batch(live, _OUTSIDER)

    return read
