"""Hands the chunks of a job to executors, many at once. What became of them stands in the ledger."""

from collections import Counter
from collections.abc import Iterator, Sequence

import psycopg
import pyarrow as pa
from pyspark.sql import SparkSession

from spark_tasks.chunks import Action, Fenced, JobKey, do_slice
from spark_tasks.database import connect
from spark_tasks.pacing import wait_for_turn
from spark_tasks.ranges import to_batch

# Many more tasks than cores, so that a slow chunk holds few others up.
_MAX_TASKS = 512
_TRIES = 3

# May go well when tried again: the connection broke, or a deadlock was cut.
_PASSING = (psycopg.OperationalError, psycopg.InterfaceError)

_COUNTS = {"name": "string", "rows": "long"}


def run_chunks(
    spark: SparkSession,
    *,
    key: JobKey,
    action: Action,
    chunk_nos: Sequence[int],
    most: int | None = None,
) -> None:
    """
    Do the given chunks.

    Ends early, without an error, once the job is stopped, paused or taken over.

    Args:
        most: only so many messages of each chunk (a canary); None: all.

    Raises:
        Exception: Spark's, when a chunk failed on every try; the chunks before it stay done.
    """
    if not chunk_nos:
        return
    chosen = list(chunk_nos)

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        mine = [chosen[index] for batch in batches for index in batch.column(0).to_pylist()]
        decided = do_chunks(key, action, mine, most)
        yield to_batch([("decided", decided)], _COUNTS)

    tasks = min(len(chosen), _MAX_TASKS)
    spark.range(0, len(chosen), 1, tasks).mapInArrow(work, "name string, rows long").collect()


def do_chunks(key: JobKey, action: Action, chunk_nos: Sequence[int], most: int | None) -> int:
    """Do chunks one after the other, and return how many rows were decided; stops where the job does."""
    decided = Counter()
    try:
        for chunk_no in chunk_nos:
            decided["rows"] += _do_chunk(key, action, chunk_no, most)
    except Fenced:
        pass  # stopped, paused or taken over: whoever has the job now goes on
    return decided["rows"]


def _do_chunk(key: JobKey, action: Action, chunk_no: int, most: int | None) -> int:
    for attempt in range(1, _TRIES + 1):
        try:
            with connect(key.dsn) as connection:
                return _do_slices(connection, key, action, chunk_no, most)
        except _PASSING:
            if attempt == _TRIES:
                raise
    return 0


def _do_slices(
    connection: psycopg.Connection, key: JobKey, action: Action, chunk_no: int, most: int | None
) -> int:
    total = 0
    while most is None or total < most:
        size = wait_for_turn(connection, key)
        left = None if most is None else most - total
        limit = min((n for n in (size, left) if n is not None), default=None)
        decided = do_slice(connection, key, chunk_no, action, limit)
        if not decided:
            return total
        total += decided
    return total
