"""How an executor talks to PostgreSQL: one connection a task, short waits, psycopg and no Django."""

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache

import psycopg
from psycopg.rows import TupleRow

# jit: a stock server compiles plans that look expensive, which takes longer than most of these statements.
# A chunk takes about a second. What takes far longer has lost its way and must not hold the hub's rows.
_OPTIONS = (
    "-c statement_timeout=120000 -c lock_timeout=2000 -c idle_in_transaction_session_timeout=30000"
    " -c timezone=UTC -c jit=off"
)


@contextmanager
def connect(dsn: str) -> Iterator[psycopg.Connection]:
    """Open a connection; the caller opens its transactions. Statements are planned with their values."""
    with psycopg.connect(
        dsn,
        autocommit=True,
        prepare_threshold=None,  # a generic plan would not see that a partial index fits
        options=_OPTIONS,
        application_name="hubconsole-executor",
        connect_timeout=10,
    ) as connection:
        yield connection


def only_row(cursor: psycopg.Cursor) -> TupleRow:
    """
    Return the row of a statement that always gives one.

    Raises:
        LookupError: it gave none.
    """
    row = cursor.fetchone()
    if row is None:
        raise LookupError("The statement gave no row.")
    return row


def array(values: Iterable[int]) -> str:
    """Return ids as PostgreSQL writes an array: one text, which five statements then share."""
    return "{" + ",".join(map(str, values)) + "}"


# What every task does first in the Python process that Spark gave it.


@cache
def settle_in() -> None:
    """
    Take what is loaded out of Python's garbage collection, once a process.

    Spark's workers collect all garbage after each task. With pyarrow and pandas loaded that takes 40 ms, most
    of what a task costs that has little to do.
    """
    gc.freeze()
