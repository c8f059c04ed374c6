"""
Groups the failures of the whole history, live and archived, including those from before the console.

A message that is already in a group is not changed, so a repeated run adds nothing. New failures wait.
Source: docs/contributing/decisions/0009-failure-groups.md.
"""

import io
import time
from collections.abc import Iterator, Sequence

import psycopg
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv
from pyspark.sql import Row, SparkSession

from messages_app.shared.failure_texts import Failure, KnownFailures, first_line
from spark_tasks.counts import count_bounds, one_snapshot, snapshot_parts
from spark_tasks.database import TaskStatements
from spark_tasks.ranges import Reading, schema_of

shared_statements = TaskStatements("messages_app.shared")
statements = TaskStatements("spark_tasks")


COLUMNS = {
    "msg_id": "long",
    "second": "long",
    "service_name": "string",
    "operation_name": "string",
    "failed_error_code": "string",
    "text": "string",
}
# Rows of some thousand failures each: their groups and their members, two tables as streams of Arrow.
_GROUPED = "groups binary, members binary"
_TIME = pa.timestamp("s", tz="UTC")
# Counts older than this have no minutes, even if the clock of this machine is an hour ahead (kept_minute).
_OLD_SECONDS = 26 * 3600


def group_history(spark: SparkSession, *, dsn: str) -> int:
    """
    Group every failed message that is in no group, and return their number.

    Tasks find the groups of their parts, while this process writes those of the parts before.

    Raises:
        psycopg.errors.LockNotAvailable: a pass, or another run of this, is in progress.
    """
    with one_snapshot(dsn, "hubconsole failure_group") as (connection, snapshot):
        failures = _failed_messages(spark, connection, dsn=dsn, snapshot=snapshot)
        parts = failures.mapInArrow(_group_parts, _GROUPED).to_frame().toLocalIterator()
        written = 0
        for groups, members in map(_read_tables, parts):
            _write_members(connection, members, _join_groups(connection, groups))
            written += members.num_rows
        return written


def count_history(spark: SparkSession, *, dsn: str) -> int:
    """Return the number of failed messages that are in no group. Raises as group_history."""
    with one_snapshot(dsn, "hubconsole failure_group") as (connection, snapshot):
        return _failed_messages(spark, connection, dsn=dsn, snapshot=snapshot).to_frame().count()


def _failed_messages(
    spark: SparkSession, connection: psycopg.Connection, *, dsn: str, snapshot: str
) -> Reading:
    parts = snapshot_parts(dsn, snapshot, "failed_messages", count_bounds(connection)[:2], COLUMNS)
    return Reading(spark, parts, schema_of(COLUMNS))


def _group_parts(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    failures = KnownFailures()
    for batch in batches:
        if batch.num_rows:
            streams = [pa.array([_as_stream(table)], pa.binary()) for table in group_batch(batch, failures)]
            yield pa.RecordBatch.from_arrays(streams, names=["groups", "members"])


def group_batch(batch: pa.RecordBatch, failures: KnownFailures) -> tuple[pa.Table, pa.Table]:
    """
    Group failures by the same rule as new ones (messages_app/shared/failure_texts.py).

    Args:
        batch: one row per failed message: msg_id, second (of the failure, since 1970), service_name,
            operation_name, failed_error_code, text (the beginning of its error).

    Returns:
        One row per group, the columns of join_groups.sql with seconds since 1970, and one row per message:
        msg_id, second, number (the row of its group).
    """
    numbers: dict[Failure, int] = {}
    columns = [column.to_pylist() for column in batch.columns[2:]]
    placed = [
        numbers.setdefault(failures.failure_of(*one), len(numbers)) for one in zip(*columns, strict=True)
    ]
    members = pa.table(
        {"msg_id": batch["msg_id"], "second": batch["second"], "number": pa.array(placed, pa.int64())}
    )
    rows = members.append_column("row", pa.array(range(batch.num_rows), pa.int64()))
    # In the order of times, so that the last row of a group is its newest.
    summed = (
        rows.sort_by("second")
        .group_by("number", use_threads=False)
        .aggregate([("second", "min"), ("second", "max"), ("second", "count"), ("row", "last")])
        .sort_by("number")
    )
    texts = columns[-1]
    groups = pa.table(
        {
            "fingerprints": [failure.fingerprint for failure in numbers],
            "services": [failure.service_name for failure in numbers],
            "operations": [failure.operation_name for failure in numbers],
            "codes": [failure.failed_error_code for failure in numbers],
            "summaries": [failure.summary for failure in numbers],
            "examples": [first_line(texts[row]) for row in summed["row_last"].to_pylist()],
            "failures": summed["second_count"],
            "firsts": summed["second_min"],
            "lasts": summed["second_max"],
        }
    )
    return groups, members


def _as_stream(table: pa.Table) -> bytes:
    stream = io.BytesIO()
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)
    return stream.getvalue()


def _read_tables(row: Row) -> tuple[pa.Table, pa.Table]:
    groups, members = (pa.ipc.open_stream(stream).read_all() for stream in row)
    return groups, members


def _join_groups(connection: psycopg.Connection, groups: pa.Table) -> list[int]:
    """Add the failures to their groups, and return the id of each group."""
    columns = groups.to_pydict()
    for name in ("firsts", "lasts"):
        columns[name] = groups[name].cast(_TIME).to_pylist()
    joined = shared_statements.run_statement(connection, "join_groups", columns)
    ids: dict[str, int] = dict(joined.fetchall())
    return [ids[fingerprint] for fingerprint in columns["fingerprints"]]


def _write_members(connection: psycopg.Connection, members: pa.Table, ids: Sequence[int]) -> None:
    at = members["second"].cast(_TIME)
    group = pa.array(ids, pa.int64()).take(members["number"].combine_chunks())
    rows = pa.table({"msg_id": members["msg_id"], "group_id": group, "at": at})
    text = io.BytesIO()
    csv.write_csv(rows, text, csv.WriteOptions(include_header=False))
    with connection.cursor() as cursor, cursor.copy(statements.read_text("copy_members")) as copy:
        copy.write(text.getvalue())
    counted = _count_by_time(members["second"], group)
    values = {"groups": counted["group"], "ats": counted["at"].cast(_TIME), "failures": counted["at_count"]}
    statement = shared_statements.read_text("join_minutes")
    connection.execute(statement, {name: column.to_pylist() for name, column in values.items()})


def _count_by_time(seconds: pa.ChunkedArray, groups: pa.Array) -> pa.Table:
    """
    Count failures by group and time: a minute, or an hour if they are older than minutes are kept.

    This only makes the statement smaller. The statement decides which times are kept.
    """
    hour, minute = (pc.subtract(seconds, pc.remainder(seconds, length)) for length in (3600, 60))
    is_old = pc.less(seconds, int(time.time()) - _OLD_SECONDS)
    times = pa.table({"group": groups, "at": pc.if_else(is_old, hour, minute)})
    return times.group_by(["group", "at"]).aggregate([("at", "count")])
