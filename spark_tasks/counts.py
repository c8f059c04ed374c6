"""
Recounts all messages, and the number of times each state was entered, while the hub runs: exact at every
moment.

All tasks read one snapshot of the database, and their results replace the counts in it. Changes that
commit later are in `message_change`, and the next pass adds them. Source:
docs/contributing/decisions/0008-rollups.md.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

import psycopg
import pyarrow as pa
from psycopg import sql
from pyspark.sql import DataFrame, Row, SparkSession

from messages_app.shared.far_times import time_at
from spark_tasks.database import TaskStatements, connect_to_database, only_row
from spark_tasks.ranges import Part, Reading, cover_ids, fetch_batches_of, schema_of
from spark_tasks.transforms import sum_counts

statements = TaskStatements("spark_tasks")


COLUMNS = {
    "minute": "long",
    "state": "string",
    "service_name": "string",
    "operation_name": "string",
    "source_system": "string",
    "failed_error_code": "string",
    "present": "long",
    "entered": "long",
}

TOOK_COLUMNS = {"minute": "long", "service_name": "string", "step": "long", "messages": "long"}

# One task for this many ids. The hub's tables share one sequence, so at least a tenth of the ids are
# messages.
_IDS_A_TASK = 500_000
_MAX_TASKS = 128
_OF_POLLED = "_of_polled"


def replace_counts(spark: SparkSession, *, dsn: str, is_polled: bool = False) -> int:
    """
    Replace the counts, and return the new number of rows.

    Args:
        is_polled: count the messages as the last poll found them, because the next one adds the later
            changes.

    Raises:
        psycopg.errors.LockNotAvailable: a pass, or another recount, is in progress.
    """
    with one_snapshot(dsn, "hubconsole message_rollup") as (connection, snapshot):
        bounds = count_bounds(connection)
        counts = _count_in_parts(spark, bounds, dsn=dsn, snapshot=snapshot, is_polled=is_polled).collect()
        took = _timed_rows(spark, bounds, dsn=dsn, snapshot=snapshot).collect()
        statements.run_statement(connection, "forget_changes")
        _replace_rows(connection, "counts", counts)
        statements.run_statement(connection, "forget_totals")
        statements.run_statement(connection, "add_totals")
        statements.run_statement(connection, "record_recount")
        _replace_rows(connection, "took", took)
        return len(counts)


def count_bounds(connection: psycopg.Connection) -> Sequence[int | None]:
    """Return the bounds of the ids of most messages and of most changes; None for a table without rows."""
    return statements.only_row(connection, "count_bounds")


def _replace_rows(connection: psycopg.Connection, name: str, rows: Iterable[Row]) -> None:
    """
    Replace the rows of a table. The first column of the new rows is a second; that of an infinite time is one
    that the database cannot store.
    """
    statements.run_statement(connection, f"forget_{name}")
    with connection.cursor() as cursor, cursor.copy(statements.read_text(f"copy_{name}")) as copy:
        for second, *counted in rows:
            copy.write_row([time_at(second * 1_000_000), *counted])


@contextmanager
def one_snapshot(dsn: str, lock: str) -> Iterator[tuple[psycopg.Connection, str]]:
    """
    Yield a transaction and the name of its snapshot, under the lock of the pass whose counts are replaced.

    The lock is taken first, so that the snapshot includes everything that the previous pass committed.

    Raises:
        psycopg.errors.LockNotAvailable: another session holds the lock for seconds.
    """
    with connect_to_database(dsn) as connection:
        connection.execute("SET idle_in_transaction_session_timeout = 0")  # It is idle while the tasks run.
        connection.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", [lock])
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        with connection.transaction():
            (snapshot,) = only_row(connection.execute("SELECT pg_export_snapshot()"))
            yield connection, snapshot
        # The server ends a session some time after its client; until then the next pass would be locked out.
        connection.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [lock])


def read_snapshot(
    dsn: str, snapshot: str, query: str, values: Mapping[str, object], columns: Mapping[str, str]
) -> Iterator[pa.RecordBatch]:
    """Read the result of one query in a snapshot that another transaction holds open."""
    with connect_to_database(dsn) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        with connection.transaction():
            connection.execute(sql.SQL("SET TRANSACTION SNAPSHOT {}").format(sql.Literal(snapshot)))
            # A table that is empty when a query is planned can be filled while it runs: by the results of the
            # first parts.
            connection.execute("SET LOCAL enable_seqscan = off")
            yield from fetch_batches_of(connection, _text_of_query(query), values, columns)


def _text_of_query(query: str) -> str:
    """Return the text of a query; with the suffix, of the same query over the messages of the last poll."""
    name = query.removesuffix(_OF_POLLED)
    text = statements.read_text(name)
    return text if name == query else text.replace("FROM message\n", "FROM polled_message\n")


def snapshot_parts(
    dsn: str, snapshot: str, query: str, bounds: Sequence[int | None], columns: Mapping[str, str]
) -> tuple[Part, ...]:
    """
    Return the parts that read a query for ranges of ids, from %(first)s to %(last)s. Each id is in one part.

    Args:
        bounds: most ids are between these (count_bounds.sql); None if there are no ids, and so no parts.
    """
    first, last = bounds
    if first is None or last is None:
        return ()
    tasks = max(1, min(_MAX_TASKS, 1 + (last - first) // _IDS_A_TASK))
    return tuple(
        partial(read_snapshot, dsn, snapshot, query, {"first": start, "last": end}, columns)
        for start, end in cover_ids(first=first, last=last, parts=tasks)
    )


def _count_in_parts(
    spark: SparkSession, bounds: Sequence[int | None], *, dsn: str, snapshot: str, is_polled: bool
) -> DataFrame:
    messages, events = bounds[:2], bounds[2:]
    suffix = _OF_POLLED if is_polled else ""
    parts = (
        *snapshot_parts(dsn, snapshot, f"count_messages{suffix}", messages, COLUMNS),
        *snapshot_parts(dsn, snapshot, f"count_arrivals{suffix}", messages, COLUMNS),
        *snapshot_parts(dsn, snapshot, "count_entries", events, COLUMNS),
    )
    return sum_counts(Reading(spark, parts, schema_of(COLUMNS)).to_frame())


def _timed_rows(spark: SparkSession, bounds: Sequence[int | None], *, dsn: str, snapshot: str) -> DataFrame:
    parts = snapshot_parts(dsn, snapshot, "count_took", bounds[2:], TOOK_COLUMNS)
    return sum_counts(Reading(spark, parts, schema_of(TOOK_COLUMNS)).to_frame())
