"""
What one executor does to one part of a plan: writes its chunks and items in one transaction, or only counts.

psycopg only, no Django.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

import psycopg
from psycopg.types.json import Jsonb

from messages_app.jobs.states import ChunkContent, JobState, skipped
from spark_tasks.moves import ChunkWork, hold_fence
from spark_tasks.sql import statement

# Messages a chunk: about a second's work for one connection.
CHUNK_MESSAGES = 1_000
# Chunk numbers of one part of the plan; parts number theirs without talking to each other.
_NUMBERS_A_PART = 100_000

# (content, root, id, state, reason): one row of the plan.
PlanRow = tuple[str, int, int, str | None, str | None]


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


def write_part(connection: psycopg.Connection, work: ChunkWork, part_no: int, rows: Sequence[PlanRow]) -> int:
    """
    Write one part of a plan, and return how many chunks it has; a part written before is left as it is.

    Raises:
        moves.Fenced: the job is no longer planning under this attempt.
    """
    chunks = list(cut_chunks(rows, size=CHUNK_MESSAGES))
    first_no = part_no * _NUMBERS_A_PART
    with connection.transaction():
        hold_fence(connection, work, state=JobState.PLANNING)
        if not _is_written(connection, work, first_no):
            for chunk_no, chunk in enumerate(chunks, start=first_no):
                _write_chunk(connection, work, chunk_no, chunk)
    return len(chunks)


def _is_written(connection: psycopg.Connection, work: ChunkWork, first_no: int) -> bool:
    key = {"job_id": work.job_id, "chunk_no": first_no}
    return connection.execute(statement("chunk_exists"), key).fetchone() is not None


def _write_chunk(
    connection: psycopg.Connection, work: ChunkWork, chunk_no: int, chunk: list[PlanRow]
) -> None:
    content = chunk[0][0]
    orphan_ids = None if content == ChunkContent.MESSAGES else Jsonb([row[2] for row in chunk])
    connection.execute(
        statement("write_chunk"),
        {
            "job_id": work.job_id,
            "chunk_no": chunk_no,
            "content": content,
            "planned": len(chunk),
            "orphan_ids": orphan_ids,
        },
    )
    if content != ChunkContent.MESSAGES:
        return
    with connection.cursor() as cursor, cursor.copy(statement("copy_items")) as rows:
        for _, root, msg_id, state, reason in chunk:
            outcome = skipped(reason) if reason else None
            rows.write_row((work.job_id, msg_id, chunk_no, root, state, outcome))
