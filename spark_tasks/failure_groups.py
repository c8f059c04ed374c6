"""
Groups the failures of the whole history, live and archived, including those from before the console.

A message that is already in a group is not changed, so a repeated run adds nothing. New failures wait.
Source: docs/decisions/0009-failure-groups.md.
"""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping

import psycopg
from pyspark.sql import DataFrame, Row, SparkSession

from messages_app.shared.sql_files import SqlFiles
from spark_tasks.counts import one_snapshot, snapshot_parts
from spark_tasks.database import only_row
from spark_tasks.ranges import Reading, schema_of
from spark_tasks.transforms import failure_groups, grouped_failures

shared_statements = SqlFiles("messages_app.shared")
statements = SqlFiles("spark_tasks")


_COLUMNS = {
    "msg_id": "long",
    "second": "long",
    "service_name": "string",
    "operation_name": "string",
    "failed_error_code": "string",
    "text": "string",
}
# Number of failures that are added to their minutes at a time.
_AT_ONCE = 50_000


def group_history(spark: SparkSession, *, dsn: str) -> int:
    """
    Group every failed message that is in no group, and return their number.

    Raises:
        psycopg.errors.LockNotAvailable: a pass, or another run of this, is in progress.
    """
    with one_snapshot(dsn, "hubconsole failure_group") as (connection, snapshot):
        grouped = _grouped_failures(spark, connection, dsn=dsn, snapshot=snapshot).localCheckpoint()
        groups = failure_groups(grouped).collect()
        if not groups:
            return 0
        ids = dict(connection.execute(shared_statements.text("join_groups"), _arguments(groups)).fetchall())
        members = grouped.select("msg_id", "fingerprint", "second")
        _write_members(connection, members.toLocalIterator(), ids)
        return sum(group.failures for group in groups)


def count_history(spark: SparkSession, *, dsn: str) -> int:
    """Return the number of failed messages that are in no group. Raises as group_history."""
    with one_snapshot(dsn, "hubconsole failure_group") as (connection, snapshot):
        return _failed_messages(spark, connection, dsn=dsn, snapshot=snapshot).count()


def _grouped_failures(
    spark: SparkSession, connection: psycopg.Connection, *, dsn: str, snapshot: str
) -> DataFrame:
    return grouped_failures(_failed_messages(spark, connection, dsn=dsn, snapshot=snapshot))


def _failed_messages(
    spark: SparkSession, connection: psycopg.Connection, *, dsn: str, snapshot: str
) -> DataFrame:
    first, last, *_ = only_row(connection.execute(statements.text("count_bounds")))
    parts = snapshot_parts(dsn, snapshot, "failed_messages", (first, last), _COLUMNS)
    return Reading(spark, parts, schema_of(_COLUMNS)).frame()


def _arguments(groups: Iterable[Row]) -> dict[str, list[object]]:
    """Return the arguments of join_groups.sql: one list for each column."""
    return {
        "fingerprints": [group.fingerprint for group in groups],
        "services": [group.service_name for group in groups],
        "operations": [group.operation_name for group in groups],
        "codes": [group.failed_error_code for group in groups],
        "summaries": [group.summary for group in groups],
        "examples": [group.example for group in groups],
        "failures": [group.failures for group in groups],
        "firsts": [_time(group.first_second) for group in groups],
        "lasts": [_time(group.last_second) for group in groups],
    }


def _write_members(connection: psycopg.Connection, members: Iterator[Row], ids: Mapping[str, int]) -> None:
    part: list[tuple[int, int, dt.datetime]] = []
    for msg_id, fingerprint, second in members:
        part.append((msg_id, ids[fingerprint], _time(second)))
        if len(part) == _AT_ONCE:
            _write_part(connection, part)
            part = []
    _write_part(connection, part)


def _write_part(connection: psycopg.Connection, part: list[tuple[int, int, dt.datetime]]) -> None:
    with connection.cursor() as cursor, cursor.copy(statements.text("copy_members")) as copy:
        for row in part:
            copy.write_row(row)
    minutes = {"groups": [group_id for _, group_id, _ in part], "ats": [at for *_, at in part]}
    connection.execute(shared_statements.text("join_minutes"), minutes)


def _time(second: int) -> dt.datetime:
    return dt.datetime.fromtimestamp(second, dt.UTC)
