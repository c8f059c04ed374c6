"""
Distributes the chunks of a job to executors, many at a time, and keeps to the job's rate. The ledger has the
outcomes.

Executors book slices of the rate, one after the other, in the job's own row. The rate may be changed while
they wait.

`run_empty_job` warms up a server by planning and running an empty job. Otherwise the first job pays for a
cold JVM, for Python workers that are not forked yet, and for code that they have not loaded.

Source: docs/contributing/spec/design.md, "Bulk work"; docs/contributing/spec/interfaces.md, "Jobs".
"""

import math
import os
import time
from collections import deque
from collections.abc import Iterator, Sequence
from importlib import import_module

import psycopg
import pyarrow as pa
from psycopg.rows import TupleRow
from pyspark.sql import SparkSession

from messages_app.shared.job_states import JobState
from spark_tasks.chunks import do_slice
from spark_tasks.contract import Action, Fenced, JobKey, TaskTimes
from spark_tasks.database import CONNECTIONS, TaskStatements, connect_to_database, init_worker
from spark_tasks.plans.plan_writer import COUNTS
from spark_tasks.ranges import Task, schema_of, to_batch

statements = TaskStatements("spark_tasks")


# Fraction of a second's work that is done at a time: an even load for the target, and few transactions.
_SLICE_SECONDS = 0.5
_MAX_NAP = 0.5  # seconds until a pause, a stop or another rate is noticed

# Messages a second that one executor easily achieves. More executors would sleep in slots that other jobs
# need.
_SLOW = 1000


class OtherPace(Exception):
    """The job's rate was changed so that it needs more executors, or fewer."""


def is_slow(rate: float | None) -> bool:
    """Return whether one executor is enough for this many messages a second; None: no limit."""
    return rate is not None and rate <= _SLOW


def slice_size(rate: float | None) -> int | None:
    """Return the number of messages of one slice at `rate` a second; None: no limit."""
    return None if rate is None else max(1, int(rate * _SLICE_SECONDS))


def wait_for_turn(connection: psycopg.Connection, key: JobKey, *, slowly: bool | None = None) -> int | None:
    """
    Wait until the rate allows a slice, and return its size; None: no limit.

    Args:
        slowly: the pace that the executors were started for, see is_slow; None: any.

    Raises:
        Fenced: the job is paused, stopped or taken over.
        OtherPace: it has another pace now.
    """
    while True:
        rate = current_rate(connection, key)
        if slowly not in (None, is_slow(rate)):
            raise OtherPace(f"Job {key.job_id} does {rate} messages a second now.")
        size = slice_size(rate)
        if size is None:
            return None
        booked_rate, seconds = _row_of_statement(connection, key, "book_slice", messages=size)
        if booked_rate == rate and _sleep_until_booked(connection, key, rate=rate, seconds=seconds):
            return size


def current_rate(connection: psycopg.Connection, key: JobKey) -> float | None:
    """
    Return the job's rate, in messages a second.

    Raises:
        Fenced: the job is no longer running under this attempt.
    """
    (rate,) = _row_of_statement(connection, key, "is_current")
    return None if rate is None else float(rate)


def _sleep_until_booked(
    connection: psycopg.Connection, key: JobKey, *, rate: float | None, seconds: float
) -> bool:
    """Sleep until the booked moment; return False as soon as the rate has changed."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(left, _MAX_NAP))
        if current_rate(connection, key) != rate:
            return False
    return True


def _row_of_statement(connection: psycopg.Connection, key: JobKey, name: str, **values: object) -> TupleRow:
    row = statements.run_statement(
        connection, name, {"job_id": key.job_id, "attempt": key.attempt, "state": JobState.RUNNING, **values}
    ).fetchone()
    if row is None:
        raise Fenced(f"Job {key.job_id} is no longer running under attempt {key.attempt}.")
    return row


# Used if CONNECTIONS is not set: more tasks than cores, so that a slow chunk delays few others. But a task
# costs a twentieth of a second.
_CHUNKS_A_TASK = 4
_MANY_TASKS = 8
_MAX_TASKS = 512
_TRIES = 3

# A task begins no chunk after this time, because other jobs need a turn and Spark does not preempt tasks.
_SECONDS_A_TASK = 15

_TIMES = dict.fromkeys(TaskTimes._fields, "long")

# Errors that a retry may solve: a broken connection, or a deadlock.
_PASSING = (psycopg.OperationalError, psycopg.InterfaceError)


def run_chunks(
    spark: SparkSession,
    *,
    key: JobKey,
    action: Action,
    chunk_nos: Sequence[int],
    rate: float | None,
    until: int | None = None,
) -> list[TaskTimes]:
    """
    Process the given chunks, and return the times of the tasks. At a low rate one executor is enough, because
    it sleeps most of the time.

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
        return []
    chosen, slowly = list(chunk_nos), is_slow(rate)
    tasks = 1 if slowly else tasks_for(spark, len(chosen))

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        began = time.time_ns()
        init_worker()
        numbers = [number for batch in batches for number in batch.column(0).to_pylist()]
        # Dealt out like cards: an archive's last chunks, of orphans, are quicker than its first.
        mine = [chunk_no for number in numbers for chunk_no in chosen[number::tasks]]
        seconds = math.inf if slowly else _SECONDS_A_TASK
        decided = do_chunks(key, action, mine, until, slowly=slowly, seconds=seconds)
        yield to_batch([TaskTimes(began, time.time_ns(), decided)], _TIMES)

    rows = spark.range(0, tasks, 1, tasks).mapInArrow(work, schema_of(_TIMES)).collect()
    return [TaskTimes(*row) for row in rows]


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
