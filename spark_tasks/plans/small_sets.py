"""
Plans a small set in one task that sees all of it.

Spark's joins, sorts and checkpoints take seconds before they have read a row, and a set of a few thousand
messages fits a task. psycopg only, no Django.
"""

from collections.abc import Callable, Iterator, Sequence

import psycopg
import pyarrow as pa
from psycopg.rows import TupleRow

from spark_tasks.contract import JobKey
from spark_tasks.database import connect, settle_in
from spark_tasks.plans.plans import COUNTS, PlanRow, part_no, write_part
from spark_tasks.ranges import Part, Reading, schema_of, to_batch

# Messages; a set with more is planned by many tasks.
MOST = 10_000
# A set that PostgreSQL expects to be large is read in more parts than this.
_MOST_PARTS = 8

Placing = Callable[[psycopg.Connection, list[TupleRow]], list[PlanRow]]

_WRITTEN, _TOO_MANY = "chunks", "too many"


class TooMany(Exception):
    """The set, or what comes along with it, is not small."""


def write_small_plan(chosen: Reading, place: Placing, *, key: JobKey, chunk_size: int) -> int | None:
    """
    Write the plan of a small set, and return how many chunks it has; None, nothing written: it is larger.

    Args:
        chosen: the set, as the job's filter has it.
        place: turns all rows of the set into the plan's; raises TooMany where they are not few.
        chunk_size: messages a chunk, about.

    Raises:
        Exception: Spark's, carrying Fenced when the job was taken over meanwhile.
    """
    if len(chosen.parts) > _MOST_PARTS:
        return None
    parts = chosen.parts

    def write(_: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        settle_in()
        yield to_batch([_written(parts, place, key, chunk_size)], COUNTS)

    [row] = chosen.spark.range(0, 1, 1, 1).mapInArrow(write, schema_of(COUNTS)).collect()
    return row.rows if row.name == _WRITTEN else None


def _written(parts: Sequence[Part], place: Placing, key: JobKey, chunk_size: int) -> tuple[str, int]:
    try:
        rows = few_rows(parts)
        with connect(key.dsn) as connection:
            planned = sorted(place(connection, rows), key=lambda row: row[:3])
            return _WRITTEN, write_part(connection, key, part_no(), planned, size=chunk_size, claims=True)
    except TooMany:
        return _TOO_MANY, 0


def few_rows(parts: Sequence[Part]) -> list[TupleRow]:
    """
    Return the rows of all parts.

    Raises:
        TooMany: there are more than MOST; no more of them were read than it takes to know.
    """
    rows: list[TupleRow] = []
    for part in parts:
        for batch in part():
            if len(rows) + batch.num_rows > MOST:
                raise TooMany
            rows += zip(*(column.to_pylist() for column in batch.columns), strict=True)
    return rows
