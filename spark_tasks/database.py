"""
Connects executors to PostgreSQL: one connection a task, with short timeouts. Uses psycopg only, no Django.
"""

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import psycopg
from psycopg import conninfo
from psycopg.abc import Params
from psycopg.rows import TupleRow

from messages_app.shared.far_times import register_far_times
from messages_app.shared.sql_files import SqlFiles

# jit is off because a stock server compiles plans that look expensive, which takes longer than most of these
# statements. A chunk takes about a second. A statement that takes far longer has gone wrong and must not lock
# the hub's rows. A machine that is cut off must not lock them either: the server notices within 35 seconds,
# before Spark repeats its tasks (two minutes). A task that was writing a file kept its locks for ten minutes.
# Arrow reads the times that COPY writes, so they have one style and one zone.
_OPTIONS = (
    "-c statement_timeout=120000 -c lock_timeout=2000 -c idle_in_transaction_session_timeout=30000"
    " -c tcp_keepalives_idle=20 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
    " -c client_connection_check_interval=10000 -c timezone=UTC -c datestyle=ISO -c jit=off"
)

# A setting of the Spark server: the number of connections a job has at a time. More than PostgreSQL has cores
# wait for each other, for the WAL and for the ends of the archive's tables
# (docs/contributing/decisions/0018-archive-speed.md).
CONNECTIONS = "spark.hubconsole.connections"

# The name of these connections in PostgreSQL. Where telemetry is on, the id of the trace follows.
APPLICATION = "hubconsole-executor"


@contextmanager
def connect_to_database(dsn: str) -> Iterator[psycopg.Connection]:
    """
    Open a connection without a transaction. Statements are planned with their values.

    Settings in the options of the address stay, such as search_path, unless they are set here.
    """
    own = conninfo.conninfo_to_dict(dsn)
    own_options, name = own.get("options", ""), str(own.get("application_name", ""))
    with psycopg.connect(
        dsn,
        autocommit=True,
        prepare_threshold=None,  # A generic plan would not see that a partial index fits.
        options=f"{own_options} {_OPTIONS}",
        application_name=name if name.startswith(f"{APPLICATION} ") else APPLICATION,
        connect_timeout=10,
    ) as connection:
        register_far_times(connection)
        yield connection


def only_row(cursor: psycopg.Cursor) -> TupleRow:
    """
    Return the row of a statement that always returns one.

    Raises:
        LookupError: it returned none.
    """
    row = cursor.fetchone()
    if row is None:
        raise LookupError("The statement gave no row.")
    return row


def format_array(values: Iterable[int]) -> str:
    """Return ids in PostgreSQL's array syntax: one text that five statements share."""
    return "{" + ",".join(map(str, values)) + "}"


@cache
def init_worker() -> None:
    """
    Exempt loaded objects from Python's garbage collection, once a process.

    Spark's workers collect garbage after each task. With pyarrow and pandas loaded this takes 40 ms, which is
    most of the time of a small task.
    """
    gc.freeze()


class TaskStatements(SqlFiles):
    """The SQL files of one package, run by name on an executor's connection."""

    def run_statement(
        self, connection: psycopg.Connection, name: str, values: Params | None = None
    ) -> psycopg.Cursor:
        return connection.execute(self.read_text(name), values)

    def only_row(self, connection: psycopg.Connection, name: str, values: Params | None = None) -> TupleRow:
        """Return the row of a statement that always returns one. Raises as the function only_row."""
        return only_row(self.run_statement(connection, name, values))

    def fetch_rows(self, connection: psycopg.Connection, name: str, values: Params) -> list[TupleRow]:
        return self.run_statement(connection, name, values).fetchall()

    def fetch_column(self, connection: psycopg.Connection, name: str, values: Params) -> list[Any]:
        """Run a statement with one column and return its values."""
        return [row[0] for row in self.run_statement(connection, name, values)]
