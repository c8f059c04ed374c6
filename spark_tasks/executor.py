"""
Distributes the chunks of a job to executors, many at a time. The ledger has their outcomes.

`run_empty_job` warms up a server by planning and running an empty job. Otherwise the first job pays for a
cold JVM, for Python workers that are not forked yet, and for code that they have not loaded.
"""

import math
import os
import time
from collections import deque
from collections.abc import Iterator, Sequence
from importlib import import_module

import psycopg
import pyarrow as pa
from pyspark.sql import SparkSession

from spark_tasks.chunks import do_slice
from spark_tasks.contract import Action, Fenced, JobKey
from spark_tasks.database import connect_to_database, init_worker
from spark_tasks.pacing import CONNECTIONS, OtherPace, is_slow, wait_for_turn
from spark_tasks.plans.plan_writer import COUNTS
from spark_tasks.ranges import Task, schema_of, to_batch

# Used if CONNECTIONS is not set: more tasks than cores, so that a slow chunk delays few others. But a task
# costs a twentieth of a second.
_CHUNKS_A_TASK = 4
_MANY_TASKS = 8
_MAX_TASKS = 512
_TRIES = 3

# A task begins no chunk after this time, because other jobs need a turn and Spark does not preempt tasks.
_SECONDS_A_TASK = 15

# Errors that a retry may solve: a broken connection, or a deadlock.
_PASSING = (psycopg.OperationalError, psycopg.InterfaceError)

_COUNTS = {"name": "string", "rows": "long"}


def run_chunks(
    spark: SparkSession,
    *,
    key: JobKey,
    action: Action,
    chunk_nos: Sequence[int],
    rate: float | None,
    until: int | None = None,
) -> None:
    """
    Process the given chunks. At a low rate one executor is enough, because it sleeps most of the time.

    Ends early, without an error, if the job is stopped, paused or taken over, or its rate changes much. It
    also ends after some seconds, with at least one chunk done by each task, so that jobs take turns.

    Args:
        rate: messages a second, as the job has it now; None: no limit.
        until: rows of each chunk to decide at most (for a test batch); None: all.

    Raises:
        ValueError: the Spark server's setting CONNECTIONS is not a number above zero.
        Exception: Spark's, if a chunk failed on every attempt. The chunks before it stay done.
    """
    if not chunk_nos:
        return
    chosen, slowly = list(chunk_nos), is_slow(rate)
    tasks = 1 if slowly else tasks_for(spark, len(chosen))

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        init_worker()
        numbers = [number for batch in batches for number in batch.column(0).to_pylist()]
        # Dealt out like cards: an archive's last chunks, of orphans, are quicker than its first.
        mine = [chunk_no for number in numbers for chunk_no in chosen[number::tasks]]
        seconds = math.inf if slowly else _SECONDS_A_TASK
        decided = do_chunks(key, action, mine, until, slowly=slowly, seconds=seconds)
        yield to_batch([("decided", decided)], _COUNTS)

    spark.range(0, tasks, 1, tasks).mapInArrow(work, "name string, rows long").collect()


def tasks_for(spark: SparkSession, chunks: int) -> int:
    """Return the number of tasks for this many chunks."""
    connections = spark.conf.get(CONNECTIONS, None)
    if connections is not None:
        return min(chunks, _parse_number(connections))
    return min(_MAX_TASKS, max(min(chunks, _MANY_TASKS), chunks // _CHUNKS_A_TASK))


def _parse_number(connections: str) -> int:
    if not connections.isascii() or not connections.isdigit() or int(connections) == 0:
        raise ValueError(f"{CONNECTIONS} is {connections!r} in Spark; it must be a number above zero.")
    return int(connections)


def do_chunks(
    key: JobKey,
    action: Action,
    chunk_nos: Sequence[int],
    until: int | None,
    *,
    slowly: bool | None = None,
    seconds: float = math.inf,
) -> int:
    """
    Process chunks one after the other over one connection, and return the number of decided rows.

    Ends early if the job does. If the connection breaks, the chunk is retried over a new one.

    Args:
        slowly: continue only while the job's pace is this one (pacing.is_slow); None: at any pace.
        seconds: no chunk is begun after this time.
    """
    left, failures, decided = deque(chunk_nos), 0, 0
    ends = time.monotonic() + seconds
    while left:
        try:
            with connect_to_database(key.dsn) as connection:
                while left:
                    decided += _do_slices(connection, key, action, left[0], until, slowly)
                    left.popleft()
                    failures = 0
                    if time.monotonic() > ends:
                        return decided
        except (Fenced, OtherPace):
            break  # Stopped, paused, taken over or at another pace: the current owner of the job continues.
        except _PASSING:
            failures += 1
            if failures == _TRIES:
                raise
    return decided


def _do_slices(
    connection: psycopg.Connection,
    key: JobKey,
    action: Action,
    chunk_no: int,
    until: int | None,
    slowly: bool | None,
) -> int:
    total = 0
    while decided := do_slice(
        connection,
        key,
        chunk_no,
        action,
        most=wait_for_turn(connection, key, slowly=slowly),
        until=until,
    ):
        total += decided
    return total


# The modules that the tasks of jobs consist of.
_MODULES = (
    "spark_tasks.actions.archive_parquet",
    "spark_tasks.exports.files",
    "spark_tasks.actions.archive_plan",
    "spark_tasks.actions.reprocess",
    "spark_tasks.actions.restore_plan",
    "spark_tasks.set_summary",
    "spark_tasks.actions.transitions",
)
# No job has this id, so its chunks are fenced like those of a job that was taken over.
_NO_JOB = 0
_CHUNKS = 8
# After this many rounds the time no longer falls, because the JVM has compiled the code.
_ROUNDS = 8


def run_empty_job(spark: SparkSession, *, dsn: str, action: Action) -> None:
    """Plan and run a job that does not exist, several times. Nothing is read or changed."""
    key = JobKey(dsn=dsn, job_id=_NO_JOB, attempt=_NO_JOB, rivals=())
    for _ in range(_ROUNDS):
        spark.range(0, 1, 1, 1).mapInArrow(_make_import_task(dsn), schema_of(COUNTS)).collect()
        run_chunks(spark, key=key, action=action, chunk_nos=range(_CHUNKS), rate=None)


def keep_alive(spark: SparkSession) -> list[int]:
    """
    Run an empty task in each Python worker, and return the worker processes.

    Spark ends a worker without a task after a minute, and an unused session after an hour.
    """
    tasks = tasks_for(spark, _CHUNKS)
    processes = spark.range(0, tasks, 1, tasks).mapInArrow(_report_process, schema_of(COUNTS)).collect()
    return [row.rows for row in processes]


def _make_import_task(dsn: str) -> Task:
    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        init_worker()
        for name in _MODULES:
            import_module(name)
        with connect_to_database(dsn) as connection:
            connection.execute("SELECT 1")
        yield to_batch([("chunks", sum(batch.num_rows for batch in batches))], COUNTS)

    return work


def _report_process(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    init_worker()
    list(batches)
    yield to_batch([("process", os.getpid())], COUNTS)
