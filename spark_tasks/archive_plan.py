"""Reads the narrow columns that an archive plan needs, and closes families over them."""

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from messages_app.jobs.states import ChunkContent
from spark_tasks.database import connect
from spark_tasks.ranges import read_ranges, split_ids, split_times, to_batch
from spark_tasks.sql import statement
from spark_tasks.transforms import family_roots, family_verdicts, outsiders, planned_items

# One task for so many messages in the table: a small hub is planned quickly, a large one in flat memory.
_MESSAGES_A_TASK = 200_000
_MAX_TASKS = 64


@dataclass(frozen=True, kw_only=True)
class ArchiveScope:
    """
    What an archive plan looks at.

    Args:
        cutoff: only what is older moves; ISO 8601 with offset.
        final_states: the states in which a message is done with.
        last_msg_id: the newest message that may be in the set.
    """

    dsn: str
    cutoff: str
    final_states: tuple[str, ...]
    last_msg_id: int


@dataclass(frozen=True, kw_only=True)
class PlanBounds:
    """Where the reads of a plan begin and end, and how many tasks they are cut into."""

    tasks: int
    first_age: dt.datetime | None
    parents: tuple[int, int] | None
    first_request: dt.datetime | None
    first_response: dt.datetime | None


def plan_bounds(scope: ArchiveScope) -> PlanBounds:
    with connect(scope.dsn) as connection:
        size, first_age, first_parent, last_parent, first_request, first_response = connection.execute(
            statement("plan_bounds"), {"final_states": list(scope.final_states)}
        ).fetchone()
    return PlanBounds(
        tasks=max(1, min(_MAX_TASKS, size // _MESSAGES_A_TASK)),
        first_age=first_age,
        parents=None if first_parent is None else (first_parent, last_parent + 1),
        first_request=first_request,
        first_response=first_response,
    )


def planned_rows(spark: SparkSession, *, scope: ArchiveScope, bounds: PlanBounds) -> DataFrame:
    """Return the whole plan, one row per message and orphan: content, root_id, id, state, reason."""
    finals = _read_by_time(
        spark,
        scope,
        bounds,
        query="final_messages",
        first=bounds.first_age,
        columns={"msg_id": "long", "parent_msg_id": "long", "state": "string"},
        params={"last_msg_id": scope.last_msg_id, "final_states": list(scope.final_states)},
    ).localCheckpoint()
    plan = _closed_families(spark, scope, bounds, finals)
    orphans = {
        ChunkContent.ORPHAN_REQUESTS: bounds.first_request,
        ChunkContent.ORPHAN_RESPONSES: bounds.first_response,
    }
    for content, first in orphans.items():
        params = {"cutoff": scope.cutoff}
        ids = _read_by_time(
            spark, scope, bounds, query=str(content), first=first, columns={"id": "long"}, params=params
        )
        plan = plan.unionByName(_as_orphans(ids, content))
    return plan


def _read_by_time(
    spark: SparkSession,
    scope: ArchiveScope,
    bounds: PlanBounds,
    *,
    query: str,
    first: dt.datetime | None,
    columns: Mapping[str, str],
    params: Mapping[str, object],
) -> DataFrame:
    end = dt.datetime.fromisoformat(scope.cutoff)
    ranges = split_times(first=first or end, end=end, parts=bounds.tasks)
    return read_ranges(spark, dsn=scope.dsn, query=query, ranges=ranges, params=params, columns=columns)


def _closed_families(
    spark: SparkSession, scope: ArchiveScope, bounds: PlanBounds, finals: DataFrame
) -> DataFrame:
    links = _read_links(spark, scope, bounds)
    roots = family_roots(links).localCheckpoint()
    states = outsiders(finals, roots).mapInArrow(
        _state_reader(scope.dsn), "msg_id long, root_msg_id long, state string"
    )
    verdicts = family_verdicts(states, final_states=scope.final_states)
    return planned_items(finals, roots, verdicts).select(
        F.lit(str(ChunkContent.MESSAGES)).alias("content"),
        F.col("root_msg_id").alias("root_id"),
        F.col("msg_id").alias("id"),
        "state",
        "reason",
    )


def _read_links(spark: SparkSession, scope: ArchiveScope, bounds: PlanBounds) -> DataFrame:
    first, end = bounds.parents or (0, 0)
    return read_ranges(
        spark,
        dsn=scope.dsn,
        query="family_links",
        ranges=split_ids(first=first, end=end, parts=bounds.tasks),
        params={},
        columns={"msg_id": "long", "parent_msg_id": "long"},
    )


def _state_reader(dsn: str) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return a task that adds the state of each message that is live, and drops the others."""

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        columns = {"msg_id": "long", "root_msg_id": "long", "state": "string"}
        with connect(dsn) as connection:
            for batch in batches:
                ids, roots = batch.column(0).to_pylist(), batch.column(1).to_pylist()
                states = dict(connection.execute(statement("live_states"), {"ids": ids}).fetchall())
                live = [(i, root, states[i]) for i, root in zip(ids, roots, strict=True) if i in states]
                yield to_batch(live, columns)

    return read


def _as_orphans(ids: DataFrame, content: ChunkContent) -> DataFrame:
    nothing = F.lit(None).cast("string")
    return ids.select(
        F.lit(str(content)).alias("content"),
        F.col("id").alias("root_id"),
        "id",
        nothing.alias("state"),
        nothing.alias("reason"),
    )
