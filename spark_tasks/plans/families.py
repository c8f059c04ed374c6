"""
Completes the families of a few live messages by looking up their relatives. Uses psycopg only, no Django.

For many messages, plans/archive.py does the same with Spark joins. Both must return the same for a family.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypedDict

import psycopg

from messages_app.shared.job_states import ChunkContent, SkipReason
from messages_app.shared.sql_files import SqlFiles
from spark_tasks.plans.plans import PlanRow
from spark_tasks.plans.selection import MOST, TooMany

statements = SqlFiles("spark_tasks")


# Maximum number of members of the families of a small set, so that one task can hold them all.
_MOST_MEMBERS = 3 * MOST


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
    parents = parents_of(lambda ids: _find(connection, "live_parents", ids), finals)
    heads = {msg_id: _head(msg_id, parents) for msg_id in finals}
    roots = _members(connection, {head for head in heads.values() if head is not None})
    outside = [msg_id for msg_id in roots if msg_id not in finals]
    joining: dict[int, str] = {}
    staying: dict[int, list[str]] = defaultdict(list)
    for msg_id, state, may_go in connection.execute(
        statements.text("outsider_states"), {**ages, "ids": outside}
    ):
        if may_go:
            joining[msg_id] = state
        else:
            staying[roots[msg_id]].append(state)
    verdicts = {root: _verdict(states, ages["final_states"]) for root, states in staying.items()}
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
        found = dict(look_up(above))
        parents |= found
        above = {parent for parent in found.values() if parent is not None} - parents.keys()
    return parents


def _head(msg_id: int, parents: Mapping[int, int | None]) -> int | None:
    """Return the topmost ancestor, live or not; None if the parent links form a cycle."""
    path = set()
    head: int | None = msg_id
    while head is not None and head in parents and head not in path:
        path.add(head)
        head = parents[head]
    return None if head in path else head


def _members(connection: psycopg.Connection, heads: Collection[int]) -> dict[int, int]:
    """Return the head of every member of the families, including the heads themselves."""
    roots = {head: head for head in heads}
    below = set(roots)
    while below:
        children = _find(connection, "live_children", below, most=_MOST_MEMBERS)
        below = {msg_id for msg_id, _ in children} - roots.keys()
        roots |= {msg_id: roots[parent] for msg_id, parent in children if msg_id in below}
        if max(len(children), len(roots)) >= _MOST_MEMBERS:
            raise TooMany
    return roots


def _find(
    connection: psycopg.Connection, name: str, ids: Collection[int], **values: int
) -> list[tuple[int, int]]:
    return connection.execute(statements.text(name), {"ids": sorted(ids), **values}).fetchall()


def _verdict(states: Iterable[str], final_states: Collection[str]) -> str:
    """Return why a family stays, given the states of its members that may not move."""
    are_final = all(state in final_states for state in states)
    return str(SkipReason.FAMILY_TOO_YOUNG if are_final else SkipReason.FAMILY_NOT_FINAL)
