"""
Completes the families of live messages: by looking up the relatives of a few, and by Spark's joins for many.

Both must return the same for a family. Uses psycopg and Spark, no Django.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypedDict

import psycopg
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from messages_app.shared.job_states import ChunkContent, SkipReason
from spark_tasks.database import TaskStatements, connect_to_database
from spark_tasks.plans.plan_writer import PlanRow
from spark_tasks.plans.selection import MAX_SMALL_PLAN, TooMany
from spark_tasks.ranges import Batches, Reading, Task, cover_ids, read_ranges, schema_of, to_batch
from spark_tasks.transforms import decide_families, find_family_roots, find_outsiders, join_items

statements = TaskStatements("spark_tasks")


# Maximum number of members of the families of a small set, so that one task can hold them all.
_MAX_MEMBERS = 3 * MAX_SMALL_PLAN


class Ages(TypedDict):
    """The facts that decide whether a message may move: its state, its time and its id."""

    final_states: list[str]
    cutoff: str
    last_msg_id: int


# Returns (message, parent) for each of the given messages that exists.
LookUp = Callable[[Collection[int]], Iterable[tuple[int, int | None]]]


def closed_families(
    connection: psycopg.Connection, finals: Mapping[int, str], *, ages: Ages
) -> list[PlanRow]:
    """
    Return the plan of some messages that may move: the messages, and the relatives that move with them.

    Args:
        finals: the state of each message.
        ages: decides whether a relative may move too.

    Raises:
        TooMany: their families are large.
    """
    parents = parents_of(lambda ids: _find_pairs(connection, "live_parents", ids), finals)
    heads = {msg_id: _topmost_ancestor(msg_id, parents) for msg_id in finals}
    roots = _heads_by_member(connection, {head for head in heads.values() if head is not None})
    outside = [msg_id for msg_id in roots if msg_id not in finals]
    joining: dict[int, str] = {}
    staying: dict[int, list[str]] = defaultdict(list)
    for msg_id, state, may_go in statements.run_statement(
        connection, "outsider_states", {**ages, "ids": outside}
    ):
        if may_go:
            joining[msg_id] = state
        else:
            staying[roots[msg_id]].append(state)
    verdicts = {root: _reason_to_stay(states, ages["final_states"]) for root, states in staying.items()}
    return [
        (ChunkContent.MESSAGES.value, roots[msg_id], msg_id, state, verdicts.get(roots[msg_id]))
        if msg_id in roots
        else (ChunkContent.MESSAGES.value, msg_id, msg_id, state, str(SkipReason.PARENT_CYCLE))
        for msg_id, state in {**finals, **joining}.items()
    ]


def parents_of(look_up: LookUp, ids: Iterable[int]) -> dict[int, int | None]:
    """Return the parent of each message and of all its ancestors that `look_up` finds."""
    parents: dict[int, int | None] = {}
    above = set(ids)
    while above:
        links = dict(look_up(above))
        parents |= links
        above = {parent for parent in links.values() if parent is not None} - parents.keys()
    return parents


def _topmost_ancestor(msg_id: int, parents: Mapping[int, int | None]) -> int | None:
    """Return the topmost ancestor, live or not; None if the parent links form a cycle."""
    path = set()
    head: int | None = msg_id
    while head is not None and head in parents and head not in path:
        path.add(head)
        head = parents[head]
    return None if head in path else head


def _heads_by_member(connection: psycopg.Connection, heads: Collection[int]) -> dict[int, int]:
    """Return the head of every member of the families, including the heads themselves."""
    roots = {head: head for head in heads}
    below = set(roots)
    while below:
        children = _find_pairs(connection, "live_children", below, most=_MAX_MEMBERS)
        below = {msg_id for msg_id, _ in children} - roots.keys()
        roots |= {msg_id: roots[parent] for msg_id, parent in children if msg_id in below}
        if max(len(children), len(roots)) >= _MAX_MEMBERS:
            raise TooMany
    return roots


def _find_pairs(
    connection: psycopg.Connection, name: str, ids: Collection[int], **values: int
) -> list[tuple[int, int]]:
    return statements.fetch_rows(connection, name, {"ids": sorted(ids), **values})


def _reason_to_stay(states: Iterable[str], final_states: Collection[str]) -> str:
    """Return why a family stays, given the states of its members that may not move."""
    are_final = all(state in final_states for state in states)
    return str(SkipReason.FAMILY_TOO_YOUNG if are_final else SkipReason.FAMILY_NOT_FINAL)


# A member of a family outside the set, with its current row.
_OUTSIDER = {"msg_id": "long", "root_msg_id": "long", "state": "string", "may_go": "boolean"}


def join_families(
    finals: DataFrame, *, dsn: str, parents: tuple[int, int], tasks: int, ages: Ages
) -> DataFrame:
    """
    Return the plan of messages that may move, one row per message as plans.PlanRow, like closed_families.

    Args:
        finals: one row per message: msg_id and state, checkpointed.
        parents: two ids between which most parents are.
        tasks: of the reading of all links.
    """
    roots = find_family_roots(
        read_links(finals.sparkSession, dsn, parents, tasks).to_frame()
    ).localCheckpoint()
    read = _state_reader(dsn, ages)
    states = find_outsiders(finals, roots).mapInArrow(read, schema_of(_OUTSIDER)).localCheckpoint()
    joining = states.filter("may_go").select("msg_id", "state")
    verdicts = decide_families(states.filter("NOT may_go"), final_states=ages["final_states"])
    members = finals.select("msg_id", "state").unionByName(joining)
    return join_items(members, roots, verdicts).select(
        F.lit(str(ChunkContent.MESSAGES)).alias("content"),
        F.col("root_msg_id").alias("root_id"),
        F.col("msg_id").alias("id"),
        "state",
        "reason",
    )


def read_links(spark: SparkSession, dsn: str, parents: tuple[int, int], tasks: int) -> Reading:
    """Return the parent of each message that has one, by at most `tasks` tasks; parents as join_families."""
    first, last = parents
    return read_ranges(
        spark,
        dsn=dsn,
        query="family_links",
        ranges=cover_ids(first=first, last=last, parts=tasks),
        params={},
        columns={"msg_id": "long", "parent_msg_id": "long"},
    )


def _state_reader(dsn: str, ages: Ages) -> Task:
    """
    Return a task that yields the state of each live message and whether it may move, and drops the others.
    """

    def read(batches: Batches) -> Batches:
        with connect_to_database(dsn) as connection:
            for batch in batches:
                roots = dict(zip(*(column.to_pylist() for column in batch.columns), strict=True))
                rows = statements.run_statement(connection, "outsider_states", {**ages, "ids": list(roots)})
                live = [(msg_id, roots[msg_id], state, may_go) for msg_id, state, may_go in rows]
                yield to_batch(live, _OUTSIDER)

    return read
