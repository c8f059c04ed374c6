"""
Keeps to a job's rate: executors book slices of it, one after the other, in the job's own row.

The rate may be changed while executors wait.

Source: docs/contributing/spec/design.md, "Bulk work"; docs/contributing/spec/interfaces.md, "Jobs".
"""

import time

import psycopg
from psycopg.rows import TupleRow

from messages_app.shared.job_states import JobState
from messages_app.shared.sql_files import SqlFiles
from spark_tasks.contract import Fenced, JobKey

statements = SqlFiles("spark_tasks")


# Fraction of a second's work that is done at a time: an even load for the target, and few transactions.
_SLICE_SECONDS = 0.5
_MAX_NAP = 0.5  # seconds until a pause, a stop or another rate is noticed

# Messages a second that one executor easily achieves. More executors would sleep in slots that other jobs
# need.
_SLOW = 1000

# A setting of the Spark server: the number of connections a job has at a time. More than PostgreSQL has cores
# wait for each other, for the WAL and for the ends of the archive's tables
# (docs/contributing/decisions/0018-archive-speed.md).
CONNECTIONS = "spark.hubconsole.connections"


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
    row = connection.execute(
        statements.read_text(name),
        {"job_id": key.job_id, "attempt": key.attempt, "state": JobState.RUNNING, **values},
    ).fetchone()
    if row is None:
        raise Fenced(f"Job {key.job_id} is no longer running under attempt {key.attempt}.")
    return row
