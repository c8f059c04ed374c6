"""
Writes a plan in tasks: one transaction for the chunks and items of each part.

If two jobs want a message, the one that wrote first keeps it (docs/contributing/spec/promises.md, I-32).
Parts of one plan have no message in common, so they are written at the same time if no other job is active.
If another job is active, its parts and ours take turns; otherwise both could take a message without seeing
each other.

Uses psycopg only, no Django.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TypeVar

import psycopg
import pyarrow as pa
from psycopg import sql
from psycopg.types.json import Jsonb
from pyspark.sql import DataFrame

from messages_app.shared.job_states import ACTIVE_STATES, ChunkContent, JobState, SkipReason, skipped_outcome
from spark_tasks.chunks import hold_fence, write_refusals
from spark_tasks.contract import Item, JobKey
from spark_tasks.database import TaskStatements, connect_to_database, format_array, init_worker
from spark_tasks.failpoints import Step, pass_failpoint
from spark_tasks.moves.rows import reduce_work
from spark_tasks.ranges import Reading, Task, schema_of, to_batch

statements = TaskStatements("spark_tasks")


# Chunk numbers reserved for each part of the plan, so that parts number theirs without coordination.
_NUMBERS_A_PART = 100_000

# Statements that choose the members of a part inside the database.
SINGLE_MESSAGES, WHOLE_FAMILIES = "single_messages", "whole_families"

# (content, root, id, state, reason): one row of the plan.
PlanRow = tuple[str, int, int, str | None, str | None]

COUNTS = {"name": "string", "rows": "long"}

Written = TypeVar("Written", int, int | None)


def write_plan(
    planned: DataFrame | Reading, *, key: JobKey, chunk_size: int, claims: bool = True, first_part: int = 0
) -> int:
    """
    Write the job's items and chunks, and return the number of chunks.

    Args:
        planned: PlanRows; each family is in one partition.
        chunk_size: approximate number of messages a chunk.
        claims: whether messages of other active jobs are left to them.
        first_part: the number of the first part; the plan may have earlier ones.

    Raises:
        Exception: Spark's, with Fenced as its cause if the job was taken over meanwhile.
    """
    task = make_part_writer(key=key, chunk_size=chunk_size, claims=claims, first_part=first_part)
    return count_chunks(planned.mapInArrow(task, schema_of(COUNTS)))


def make_part_writer(*, key: JobKey, chunk_size: int, claims: bool = True, first_part: int = 0) -> Task:
    """Return a task that writes its PlanRows as a part, as write_plan does, and returns its COUNTS."""

    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        init_worker()
        # Even without rows: an earlier attempt may have written some for this part.
        rows = sort_rows(rows_of(batches))
        with connect_to_database(key.dsn) as connection:
            part = first_part + part_no()
            written = write_part(connection, key, part, rows, size=chunk_size, claims=claims)
        yield to_batch([("chunks", written)], COUNTS)

    return write


def count_chunks(counts: DataFrame | Reading) -> int:
    """Run the tasks that write parts, and return the total number of chunks."""
    return sum(row.rows for row in counts.collect())


def part_no() -> int:
    """Return which part of a plan this task has."""
    from pyspark import TaskContext

    context = TaskContext.get()
    if context is None:
        raise RuntimeError("Only a Spark task has a part of a plan.")
    return context.partitionId()


def rows_of(batches: Iterator[pa.RecordBatch]) -> list[PlanRow]:
    return [
        row
        for batch in batches
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)
    ]


def sort_rows(rows: Iterable[PlanRow]) -> list[PlanRow]:
    return sorted(rows, key=lambda row: row[:3])


def cut_chunks(rows: Sequence[PlanRow], *, size: int) -> Iterator[list[PlanRow]]:
    """
    Yield chunks of about `size` rows, of one content each, without splitting families.

    Args:
        rows: sorted by content, root and id.
    """
    chunk: list[PlanRow] = []
    for (content, _), family in groupby(rows, key=lambda row: (row[0], row[1])):
        if chunk and (len(chunk) >= size or chunk[0][0] != content):
            yield chunk
            chunk = []
        chunk.extend(family)
    if chunk:
        yield chunk


def write_part(
    connection: psycopg.Connection,
    key: JobKey,
    part_no: int,
    rows: Sequence[PlanRow],
    *,
    size: int,
    claims: bool,
) -> int:
    """
    Write one part of a plan, and return its number of chunks. A part that exists is not changed.

    A message of another active job is refused: the job that wrote first keeps it
    (docs/contributing/spec/promises.md, I-32).

    Raises:
        Fenced: the job is no longer planning under this attempt.
    """

    def write(first_no: int) -> int:
        msg_ids = [row[2] for row in rows if row[0] == ChunkContent.MESSAGES]
        of_others = find_items_of_others(connection, key, msg_ids) if claims and rows else set()
        chunks = list(cut_chunks(rows, size=size))
        for chunk_no, chunk in enumerate(chunks, start=first_no):
            _write_chunk(connection, key, chunk_no, chunk, of_others)
        return len(chunks)

    return _write_once(connection, key, part_no, write)


def write_inside(
    connection: psycopg.Connection,
    key: JobKey,
    part_no: int,
    statement: str,
    query: str,
    values: Mapping[str, object],
    *,
    size: int,
    claims: bool = True,
) -> int | None:
    """
    Write a part, as write_part does, inside the database from a query.

    Args:
        statement: SINGLE_MESSAGES, each a family of its own, or WHOLE_FAMILIES, with the members of each.
        query: returns msg_id and state, and for families parent_msg_id.
        values: of the query, and for families those of plans.families.Ages.
        claims: whether messages of other active jobs are left to them.

    Returns:
        The number of chunks; None, with nothing written, if another job may have one of the messages.

    Raises:
        Fenced: the job is no longer planning under this attempt.
    """

    def write(first_no: int) -> int | None:
        if claims and not is_alone(connection, key):
            return None
        reduce_work(connection)
        names = {"job_id": key.job_id, "first_no": first_no, "size": size}
        members = sql.SQL(statements.read_text(statement)).format(messages=sql.SQL(query))
        composed = sql.SQL(statements.read_text("write_members")).format(members=members)
        named = {**values, **names, "content": ChunkContent.MESSAGES.value}
        return connection.execute(composed, named).rowcount

    return _write_once(connection, key, part_no, write)


def _write_once(
    connection: psycopg.Connection, key: JobKey, part_no: int, write: Callable[[int], Written]
) -> Written:
    """Write a part from its first chunk number on, unless it exists, because a task may run twice."""
    first_no = part_no * _NUMBERS_A_PART
    names = {"job_id": key.job_id, "first_no": first_no, "end_no": first_no + _NUMBERS_A_PART}
    pass_failpoint(Step.PART_BEGUN)
    with connection.transaction():
        hold_fence(connection, key, state=JobState.PLANNING)
        chunks = statements.only_row(connection, "part_chunks", names)[0]
        written = chunks or write(first_no)
        pass_failpoint(Step.PART_WRITTEN)
    pass_failpoint(Step.PART_COMMITTED)
    return written


def _write_chunk(
    connection: psycopg.Connection, key: JobKey, chunk_no: int, chunk: list[PlanRow], of_others: set[int]
) -> None:
    content = chunk[0][0]
    is_of_messages = content == ChunkContent.MESSAGES
    refused = _refused_items(chunk, of_others) if is_of_messages else []
    outcomes = Counter(outcome for _, outcome in refused)
    statements.run_statement(
        connection,
        "write_chunk",
        {
            "job_id": key.job_id,
            "chunk_no": chunk_no,
            "content": content,
            "planned": len(chunk),
            "orphan_ids": None if is_of_messages else Jsonb([row[2] for row in chunk]),
            "outcomes": Jsonb(dict(outcomes)),
        },
    )
    if not is_of_messages:
        return
    _, roots, msg_ids, states, _ = zip(*chunk, strict=True)
    statements.run_statement(
        connection,
        "insert_items",
        {
            "job_id": key.job_id,
            "chunk_no": chunk_no,
            "msg_ids": format_array(msg_ids),
            "root_ids": format_array(roots),
            "states": list(states),
        },
    )
    if refused:
        write_refusals(connection, key, refused)


def _refused_items(chunk: list[PlanRow], of_others: set[int]) -> list[tuple[Item, str]]:
    """Return the messages to refuse: the whole family if another job has one of its members."""
    held = {root for _, root, msg_id, _, _ in chunk if msg_id in of_others}
    refused = []
    for _, root, msg_id, state, reason in chunk:
        why = reason or (SkipReason.IN_JOB if root in held else None)
        if why:
            refused.append((Item(msg_id, root, state or ""), skipped_outcome(why)))
    return refused


# A part of a plan takes seconds to write, and other parts may be first.
_MAX_WAIT = "100s"


def find_items_of_others(connection: psycopg.Connection, key: JobKey, ids: Sequence[int]) -> set[int]:
    """
    Return the messages that other active jobs have. The caller must write until the transaction ends.

    Raises:
        psycopg.errors.LockNotAvailable: writing other jobs' plans took too long.
    """
    if is_alone(connection, key):
        return set()
    statements.run_statement(connection, "lock_plans")
    jobs = _other_jobs(connection, key)
    if not jobs:
        return set()
    values = {"job_ids": jobs, "ids": list(ids)}
    return set(statements.fetch_column(connection, "items_of_jobs", values))


def is_alone(connection: psycopg.Connection, key: JobKey) -> bool:
    """
    Return whether there is no other job. Our lock blocks parts of later jobs until the transaction ends.

    A later job sees ours from its beginning, so it requests the lock that waits for ours.

    Raises:
        psycopg.errors.LockNotAvailable: writing other jobs' plans took too long.
    """
    connection.execute(f"SET LOCAL lock_timeout = '{_MAX_WAIT}'")
    with connection.transaction() as attempt:
        statements.run_statement(connection, "lock_plans_together")
        if not _other_jobs(connection, key):
            return True
        raise psycopg.Rollback(attempt)  # Releases the lock.
    return False


def _other_jobs(connection: psycopg.Connection, key: JobKey) -> list[int]:
    values = {
        "job_id": key.job_id,
        "active_states": sorted(ACTIVE_STATES),
        "rivals": list(key.rivals),
    }
    return statements.fetch_column(connection, "other_active_jobs", values)
