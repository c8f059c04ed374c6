"""
Writes a plan: its parts in tasks, each part's chunks and items in one transaction.

psycopg only, no Django.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

import psycopg
import pyarrow as pa
from psycopg.types.json import Jsonb
from pyspark.sql import DataFrame

from messages_app.jobs.states import ChunkContent, JobState, SkipReason, skipped
from spark_tasks.actions import Item, JobKey
from spark_tasks.chunks import hold_fence, write_refusals
from spark_tasks.claims import taken_by_others
from spark_tasks.database import array, connect
from spark_tasks.failpoints import Step, failpoint
from spark_tasks.ranges import to_batch
from spark_tasks.reading import Reading
from spark_tasks.sql import statement
from spark_tasks.workers import settle_in

# Chunk numbers of one part of the plan; parts number theirs without talking to each other.
_NUMBERS_A_PART = 100_000

# (content, root, id, state, reason): one row of the plan.
PlanRow = tuple[str, int, int, str | None, str | None]

COUNTS = {"name": "string", "rows": "long"}


def write_plan(planned: DataFrame | Reading, *, key: JobKey, chunk_size: int, claims: bool = True) -> int:
    """
    Write the job's items and chunks, and return how many chunks there are.

    Args:
        planned: PlanRows, no family in two partitions.
        chunk_size: messages a chunk, about.
        claims: whether a message that another active job has is left to that one.

    Raises:
        Exception: Spark's, carrying Fenced when the job was taken over meanwhile.
    """

    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        settle_in()
        rows = sorted(rows_of(batches), key=_place)
        if not rows:
            return
        with connect(key.dsn) as connection:
            part_no = TaskContext.get().partitionId()
            written = write_part(connection, key, part_no, rows, size=chunk_size, claims=claims)
        yield to_batch([("chunks", written)], COUNTS)

    counts = planned.mapInArrow(write, "name string, rows long").collect()
    return sum(row.rows for row in counts)


def rows_of(batches: Iterator[pa.RecordBatch]) -> list[PlanRow]:
    return [
        row
        for batch in batches
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)
    ]


def _place(row: PlanRow) -> tuple[str, int, int]:
    return row[:3]


def cut_chunks(rows: Sequence[PlanRow], *, size: int) -> Iterator[list[PlanRow]]:
    """
    Yield chunks of about `size` rows, of one content each, that never part a family.

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
    Write one part of a plan, and return how many chunks it has; a part written before is left as it is.

    A message that another active job has is refused: of two jobs, the one that wrote first keeps it (I-32).

    Raises:
        Fenced: the job is no longer planning under this attempt.
    """
    chunks = list(cut_chunks(rows, size=size))
    first_no = part_no * _NUMBERS_A_PART
    failpoint(Step.PART_BEGUN)
    with connection.transaction():
        hold_fence(connection, key, state=JobState.PLANNING)
        if not _is_written(connection, key, first_no):
            taken = _taken(connection, key, rows) if claims else set()
            for chunk_no, chunk in enumerate(chunks, start=first_no):
                _write_chunk(connection, key, chunk_no, chunk, taken)
        failpoint(Step.PART_WRITTEN)
    failpoint(Step.PART_COMMITTED)
    return len(chunks)


def _is_written(connection: psycopg.Connection, key: JobKey, first_no: int) -> bool:
    values = {"job_id": key.job_id, "chunk_no": first_no}
    return connection.execute(statement("chunk_exists"), values).fetchone() is not None


def _taken(connection: psycopg.Connection, key: JobKey, rows: Sequence[PlanRow]) -> set[int]:
    return taken_by_others(connection, key, [row[2] for row in rows if row[0] == ChunkContent.MESSAGES])


def _write_chunk(
    connection: psycopg.Connection, key: JobKey, chunk_no: int, chunk: list[PlanRow], taken: set[int]
) -> None:
    content = chunk[0][0]
    is_of_messages = content == ChunkContent.MESSAGES
    refused = _refused(chunk, taken) if is_of_messages else []
    outcomes = Counter(outcome for _, outcome in refused)
    connection.execute(
        statement("write_chunk"),
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
    connection.execute(
        statement("insert_items"),
        {
            "job_id": key.job_id,
            "chunk_no": chunk_no,
            "msg_ids": array(msg_ids),
            "root_ids": array(roots),
            "states": list(states),
        },
    )
    if refused:
        write_refusals(connection, key, refused)


def _refused(chunk: list[PlanRow], taken: set[int]) -> list[tuple[Item, str]]:
    """Return who is left out already: a whole family where another job has one of it."""
    held = {root for _, root, msg_id, _, _ in chunk if msg_id in taken}
    refused = []
    for _, root, msg_id, state, reason in chunk:
        why = reason or (SkipReason.IN_JOB if root in held else None)
        if why:
            refused.append((Item(msg_id, root, state), skipped(why)))
    return refused
