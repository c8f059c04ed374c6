"""Reads the narrow columns that an archive plan needs, and plans whole families."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce

import psycopg
from psycopg import sql
from psycopg.rows import TupleRow
from pyspark.sql import DataFrame, SparkSession

from messages_app.shared.job_states import ChunkContent
from spark_tasks.contract import JobKey
from spark_tasks.database import TaskStatements, connect_to_database
from spark_tasks.plans.families import Ages, closed_families, join_families
from spark_tasks.plans.plan_writer import (
    COUNTS,
    SINGLE_MESSAGES,
    WHOLE_FAMILIES,
    PlanRow,
    count_chunks,
    make_part_writer,
    part_no,
    write_inside,
    write_plan,
)
from spark_tasks.plans.selection import (
    MAX_SMALL_PLAN,
    Placing,
    Query,
    Using,
    few_rows,
    plan_rows,
    read_selection,
    use_small_plan,
    write_small_plan,
)
from spark_tasks.ranges import (
    Batches,
    Part,
    Reading,
    as_frame,
    read_query,
    read_ranges,
    schema_of,
    split_times,
    to_batch,
)
from spark_tasks.tables import HUB_TABLES, REQUEST, RESPONSE, HubTable

statements = TaskStatements("spark_tasks")

# Final messages by their age.
_FINALS = "final_messages"

_MESSAGE = {"msg_id": "long", "state": "string", "parent_msg_id": "long"}

# One task for this many messages: a small set is planned quickly, a large one with constant memory.
_MESSAGES_A_TASK = 100_000
_MAX_TASKS = 128
# Up to this many messages that may move are counted. More are planned by as many tasks as the table needs.
_COUNTED = 500_000


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
        has_indexes: whether the children of one message are found without reading the table.
    """

    dsn: str
    cutoff: str
    final_states: tuple[str, ...]
    last_msg_id: int
    queries: tuple[Query, ...] | None = None
    tables: tuple[HubTable, ...] = HUB_TABLES
    has_indexes: bool = True

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
        is_few: whether at most selection.MAX_SMALL_PLAN messages may move, without a filter.
        tasks: for reads of the whole table.
        ranges: of the ages of messages that may move; each is read by one task.
        parents: two ids between which most parents are; None if no message has a parent.
        orphans: the time of the first row that belongs to no message, and how many tasks read them, by
            content.
    """

    messages: int
    is_few: bool
    tasks: int
    ranges: int
    first_age: dt.datetime | None
    parents: tuple[int, int] | None
    orphans: Mapping[ChunkContent, tuple[dt.datetime, int]]


def plan_bounds(scope: ArchiveScope) -> PlanBounds:
    # With a filter, the set is read by the filter's queries.
    most = _COUNTED if scope.queries is None else MAX_SMALL_PLAN
    values = {**_ages_of_scope(scope), "most": most + 1}
    with connect_to_database(scope.dsn) as connection:
        size, finals, first_age, first_parent, last_parent = statements.only_row(
            connection, "plan_bounds", values
        )
        firsts: TupleRow = (None, 0, None, 0)
        if scope.has_orphans:
            firsts = statements.only_row(connection, "first_orphans", values)

    def tasks_for(counted: int) -> int:
        return _count_tasks(counted if counted <= most else size)

    orphans = zip(
        (ChunkContent.ORPHAN_REQUESTS, ChunkContent.ORPHAN_RESPONSES), firsts[::2], firsts[1::2], strict=True
    )
    return PlanBounds(
        messages=size,
        is_few=finals <= MAX_SMALL_PLAN,
        tasks=_count_tasks(size),
        ranges=tasks_for(finals),
        first_age=first_age,
        parents=None if first_parent is None else (first_parent, last_parent),
        orphans={content: (first, tasks_for(old)) for content, first, old in orphans if first is not None},
    )


def _count_tasks(messages: int) -> int:
    return max(1, min(_MAX_TASKS, -(-messages // _MESSAGES_A_TASK)))


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
    return count_chunks(_tasks_inside_database(spark, key, scope, bounds, SINGLE_MESSAGES, size))


def write_families(
    spark: SparkSession, *, key: JobKey, scope: ArchiveScope, bounds: PlanBounds, size: int
) -> int:
    """
    Write the plan of all messages that are old enough, with their families; return the number of chunks.

    PostgreSQL writes the families whose members may all move; tasks do not read these rows. Then the rest is
    planned, which is usually small: families that stay or whose head is gone, and cycles; everything if
    another job is active.

    Args:
        size: approximate number of messages a chunk.

    Raises: as plans.write_plan.
    """
    inside = _tasks_inside_database(spark, key, scope, bounds, WHOLE_FAMILIES, size)
    written = count_chunks(inside)
    rest = _read_unplanned(spark, key, scope, bounds)
    return written + _write_rest(rest, key, scope, bounds, size, first_part=len(inside.parts))


def _tasks_inside_database(
    spark: SparkSession, key: JobKey, scope: ArchiveScope, bounds: PlanBounds, statement: str, size: int
) -> Reading:
    """Return tasks that write messages, or families by the age of their heads, inside the database."""
    counts, task = schema_of(COUNTS), make_part_writer(key=key, chunk_size=size)
    by_rows: Sequence[Part | None] = (
        plan_rows(_select_finals(spark, scope, bounds)).mapInArrow(task, counts).parts
    )
    if statement == WHOLE_FAMILIES:
        by_rows = [None] * len(by_rows)
    parts = zip(_split_ages(bounds.first_age, scope, bounds.ranges), by_rows, strict=True)
    inside = Reading(
        spark,
        tuple(
            partial(
                _write_inside,
                key,
                statement,
                {**_ages_of_scope(scope), "start": start, "end": end},
                size,
                otherwise,
            )
            for (start, end), otherwise in parts
        ),
        counts,
    )
    orphans = [_select_orphans(spark, scope, bounds, content) for content in bounds.orphans]
    return reduce(Reading.union, (rows.mapInArrow(task, counts) for rows in orphans), inside)


def _write_inside(
    key: JobKey, statement: str, values: Mapping[str, object], size: int, otherwise: Part | None
) -> Batches:
    """Write a part of the plan inside the database; row by row, or later, if another job is active."""
    with connect_to_database(key.dsn) as connection:
        query = statements.read_text(_FINALS)
        written = write_inside(connection, key, part_no(), statement, query, values, size=size)
    if written is None and otherwise is not None:
        yield from otherwise()
        return
    yield to_batch([("chunks", written or 0)], COUNTS)


def _read_unplanned(spark: SparkSession, key: JobKey, scope: ArchiveScope, bounds: PlanBounds) -> DataFrame:
    """Return the messages of the set that the plan does not have yet: msg_id and state."""
    finals = sql.SQL(statements.read_text(_FINALS))
    query = sql.SQL(statements.read_text("unplanned_messages")).format(messages=finals)
    values = {**_ages_of_scope(scope), "job_id": key.job_id}
    parts = tuple(
        partial(read_query, scope.dsn, query.as_string(), {**values, "start": start, "end": end}, _MESSAGE)
        for start, end in _split_ages(bounds.first_age, scope, bounds.ranges)
    )
    return Reading(spark, parts, schema_of(_MESSAGE)).to_frame().localCheckpoint()


def _write_rest(
    finals: DataFrame, key: JobKey, scope: ArchiveScope, bounds: PlanBounds, size: int, first_part: int
) -> int:
    """Write the parts of the plan from `first_part` on: messages that are left, with their families."""
    rows = [tuple(row) for row in finals.limit(MAX_SMALL_PLAN + 1).collect()]
    if not rows:
        return 0
    if len(rows) <= MAX_SMALL_PLAN:
        few = Reading(finals.sparkSession, (partial(_batch_once, rows),), schema_of(_MESSAGE))
        written = write_small_plan(
            few, partial(_place_families, scope), key=key, chunk_size=size, first_part=first_part
        )
        if written is not None:
            return written
    families = _with_families(finals, scope, bounds)
    return write_plan(families, key=key, chunk_size=size, first_part=first_part)


def _batch_once(rows: Sequence[tuple[object, ...]]) -> Batches:
    yield to_batch(rows, _MESSAGE)


def _place_families(
    scope: ArchiveScope, connection: psycopg.Connection, rows: list[TupleRow]
) -> list[PlanRow]:
    """Return messages and their families as rows of a plan. Raises TooMany, as closed_families."""
    finals = {msg_id: state for msg_id, state, *_ in rows}
    return closed_families(connection, finals, ages=_ages_of_scope(scope))


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
    place = _place_with_orphans(spark, scope, bounds)
    return write_small_plan(_select_finals(spark, scope, bounds), place, key=key, chunk_size=size)


def use_small_set(
    spark: SparkSession, *, scope: ArchiveScope, bounds: PlanBounds, use: Using
) -> dict[str, int] | None:
    """Return the counts of `use` for the plan of few messages with their families; None if there are more."""
    if scope.queries is None and not bounds.is_few:
        return None
    place = _place_with_orphans(spark, scope, bounds)
    return use_small_plan(_select_finals(spark, scope, bounds), place, use, dsn=scope.dsn)


def _place_with_orphans(spark: SparkSession, scope: ArchiveScope, bounds: PlanBounds) -> Placing:
    orphans = [
        part for content in bounds.orphans for part in _select_orphans(spark, scope, bounds, content).parts
    ]

    def place_rows(connection: psycopg.Connection, rows: list[TupleRow]) -> list[PlanRow]:
        return [*_place_families(scope, connection, rows), *few_rows(orphans)]

    return place_rows


def planned_rows(spark: SparkSession, *, scope: ArchiveScope, bounds: PlanBounds) -> DataFrame | Reading:
    """
    Return the whole plan, one row per message and orphan, as plans.PlanRow.

    Each family is in one partition.
    """
    finals = _select_finals(spark, scope, bounds)
    orphans = [_select_orphans(spark, scope, bounds, content) for content in bounds.orphans]
    if bounds.parents is None:
        # No message has a parent: each is a family, and a task can keep the rows that it has read.
        return reduce(Reading.union, orphans, plan_rows(finals))
    families = _with_families(finals.to_frame().localCheckpoint(), scope, bounds)
    return reduce(DataFrame.unionByName, map(as_frame, orphans), families)


def _with_families(finals: DataFrame, scope: ArchiveScope, bounds: PlanBounds) -> DataFrame:
    """Return messages with their families by Spark's joins; each family is in one partition."""
    families = join_families(
        finals,
        dsn=scope.dsn,
        parents=bounds.parents or (0, 0),
        tasks=bounds.tasks,
        ages=_ages_of_scope(scope),
    )
    return families.repartitionByRange(bounds.tasks, "root_id")


def _select_orphans(
    spark: SparkSession, scope: ArchiveScope, bounds: PlanBounds, content: ChunkContent
) -> Reading:
    first, parts = bounds.orphans[content]
    ids = _read_by_time(
        spark,
        scope,
        query=str(content),
        first=first,
        parts=parts,
        columns={"id": "long"},
        params={"cutoff": scope.cutoff},
    )
    return plan_rows(ids, key="id", content=content)


def _select_finals(spark: SparkSession, scope: ArchiveScope, bounds: PlanBounds) -> Reading:
    """
    Return the messages of the set before their families are checked: msg_id and state, and possibly more
    columns.
    """
    if scope.queries is not None:
        return read_selection(spark, dsn=scope.dsn, queries=scope.queries)
    return _read_by_time(
        spark,
        scope,
        query=_FINALS,
        first=bounds.first_age,
        parts=bounds.ranges,
        columns=_MESSAGE,
        params=_ages_of_scope(scope),
    )


def _read_by_time(
    spark: SparkSession,
    scope: ArchiveScope,
    *,
    query: str,
    first: dt.datetime | None,
    parts: int,
    columns: Mapping[str, str],
    params: Mapping[str, object],
) -> Reading:
    ranges = _split_ages(first, scope, parts)
    return read_ranges(spark, dsn=scope.dsn, query=query, ranges=ranges, params=params, columns=columns)


def _split_ages(
    first: dt.datetime | None, scope: ArchiveScope, parts: int
) -> list[tuple[dt.datetime, dt.datetime]]:
    end = dt.datetime.fromisoformat(scope.cutoff)
    return split_times(first=first or end, end=end, parts=parts)


def _ages_of_scope(scope: ArchiveScope) -> Ages:
    """Return the facts that decide whether a message outside the set may move with its family."""
    return {
        "final_states": list(scope.final_states),
        "cutoff": scope.cutoff,
        "last_msg_id": scope.last_msg_id,
    }
