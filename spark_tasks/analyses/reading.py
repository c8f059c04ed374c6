"""
Reads the messages of both sides from the database, part by part on executors.

Uses psycopg only, no Django. Source: docs/contributing/decisions/0041-analyses.md, "Comparison group".
"""

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial

import psycopg
from pyspark.sql import SparkSession

from messages_app.shared.sql_files import SqlFiles
from spark_tasks.analyses.comparison import SHARES, Minute, Sample, choose_enough, split_samples
from spark_tasks.analyses.message_facts import MAX_TEXT_BYTES, MESSAGE_COLUMNS
from spark_tasks.database import connect_to_database
from spark_tasks.plans.selection import COLUMNS, Query
from spark_tasks.ranges import Batches, Reading, fetch_batches_of, read_query, schema_of, to_batch

statements = SqlFiles("spark_tasks")

# Messages at a time. Each may have two texts of MAX_TEXT_BYTES.
_BATCH_ROWS = 100
_MAX_PARTS = 64
# Processed messages of one service that are counted to choose among them.
MAX_COUNTED = 2_000_000
# Days before and after the failing messages in which processed ones are counted, until there are enough.
MARGINS = (0, 1, 7, 30)

_MINUTE, _DAY = 60, 86_400
_STRATA = {"service_name": "string", "second": "long", "messages": "long"}


def read_failing(spark: SparkSession, *, dsn: str, queries: Sequence[Query], share: int = SHARES) -> Reading:
    """
    Return the failing messages, with MESSAGE_COLUMNS.

    Args:
        queries: as of selection.read_selection.
        share: out of SHARES, chosen by ids.
    """
    parts = tuple(partial(_read_failing, dsn, query, share) for query in queries)
    return Reading(spark, parts, schema_of(MESSAGE_COLUMNS))


def _read_failing(dsn: str, query: Query, share: int) -> Batches:
    statement = statements.read_text("analysed_messages")
    all_ids = _read_ids(dsn, query, share)
    with connect_to_database(dsn) as connection:
        for ids in _split_ids(all_ids):
            rows = connection.execute(statement, {"ids": ids, "most": MAX_TEXT_BYTES}).fetchall()
            yield to_batch(rows, MESSAGE_COLUMNS)


def _read_ids(dsn: str, query: Query, share: int = SHARES) -> Sequence[int]:
    """
    Return all ids of a query, because a transaction that is open while texts are parsed is ended as idle.
    """
    ids = array("q")
    for batch in read_query(dsn, *query, COLUMNS):
        ids.extend(msg_id for msg_id in batch["msg_id"].to_pylist() if msg_id % SHARES < share)
    return ids


def _split_ids(ids: Sequence[int]) -> Iterator[list[int]]:
    return (list(ids[start : start + _BATCH_ROWS]) for start in range(0, len(ids), _BATCH_ROWS))


def count_failing(spark: SparkSession, *, dsn: str, queries: Sequence[Query]) -> Counter[Minute]:
    """Count the failing messages by service and minute of their receipt."""
    parts = tuple(partial(_count_failing, dsn, query) for query in queries)
    counts: Counter[Minute] = Counter()
    for row in Reading(spark, parts, schema_of(_STRATA)).to_frame().toLocalIterator():
        counts[Minute(row.service_name, row.second)] += row.messages
    return counts


def _count_failing(dsn: str, query: Query) -> Batches:
    counts: Counter[tuple[str, int]] = Counter()
    with connect_to_database(dsn) as connection:
        for ids in _split_ids(_read_ids(dsn, query)):
            rows = connection.execute(statements.read_text("failing_strata"), {"ids": ids})
            counts.update({(service_name, second): messages for service_name, second, messages in rows})
    yield to_batch([(*minute, messages) for minute, messages in counts.items()], _STRATA)


def count_passing(
    connection: psycopg.Connection, service_names: Sequence[str], start: int, end: int
) -> Counter[Minute]:
    """
    Count processed messages by service and minute of their receipt.

    Args:
        start, end: seconds since 1970, without the end.
    """
    counts: Counter[Minute] = Counter()
    for service_name in service_names:
        values = {"service_name": service_name, "most": MAX_COUNTED, **_as_times(start, end)}
        for second, messages in connection.execute(statements.read_text("passing_strata"), values):
            counts[Minute(service_name, second)] += messages
    return counts


def count_nearby(
    connection: psycopg.Connection, failing: Mapping[Minute, int]
) -> tuple[Counter[Minute], int]:
    """
    Count the processed messages of the services of failing ones, at their times. Where a service processed
    few at that time, those of the days before and after are counted too.

    Returns:
        The counts, and the largest number of these days.
    """
    seconds = [minute.second for minute in failing]
    of_services: Counter[str] = Counter()
    for minute, messages in failing.items():
        of_services[minute.service_name] += messages
    counts: Counter[Minute] = Counter()
    most_days = 0
    for service_name, messages in sorted(of_services.items()):
        nearest: Counter[Minute] = Counter()
        for days in MARGINS:
            margin = days * _DAY
            near = count_passing(
                connection, [service_name], min(seconds) - margin, max(seconds) + _MINUTE + margin
            )
            if near.total() > nearest.total():
                nearest, most_days = near, max(most_days, days)
            if near.total() >= choose_enough(messages):
                break
        counts += nearest
    return counts, most_days


def read_passing(spark: SparkSession, *, dsn: str, samples: Sequence[Sample]) -> Reading:
    """Return the processed messages of a comparison group, with MESSAGE_COLUMNS."""
    parts = tuple(partial(_read_samples, dsn, part) for part in split_samples(samples, _MAX_PARTS))
    return Reading(spark, parts, schema_of(MESSAGE_COLUMNS))


def _read_samples(dsn: str, samples: Sequence[Sample]) -> Batches:
    with connect_to_database(dsn) as connection:
        for service_name, start, end, share in samples:
            values = {"service_name": service_name, "share": share, "shares": SHARES, "most": MAX_TEXT_BYTES}
            with connection.transaction():
                yield from fetch_batches_of(
                    connection,
                    statements.read_text("compared_messages"),
                    {**values, **_as_times(start, end)},
                    MESSAGE_COLUMNS,
                    rows_a_batch=_BATCH_ROWS,
                )


def _as_times(start: int, end: int) -> dict[str, datetime]:
    return {"start": datetime.fromtimestamp(start, UTC), "end": datetime.fromtimestamp(end, UTC)}
