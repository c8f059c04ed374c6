"""
Reads the messages of both sides from the database, part by part on executors.

Uses psycopg only, no Django. Source: docs/contributing/decisions/0041-analyses.md, "Comparison group".
"""

from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

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
# Archived messages that are read to find those of a service and a time.
MAX_ARCHIVED = 200_000
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


def count_archived(
    connection: psycopg.Connection, service_names: Sequence[str], start: int, end: int
) -> Counter[Minute]:
    """Count archived processed messages. Arguments as of count_passing."""
    values = {"service_names": list(service_names), "most": MAX_ARCHIVED, **_as_times(start, end)}
    rows = connection.execute(statements.read_text("archived_strata"), values)
    return Counter({Minute(service_name, second): messages for service_name, second, messages in rows})


class Nearby(NamedTuple):
    """
    The processed messages to choose from.

    Args:
        passing: by service and minute, with the archived ones.
        archived: those of them that are archived.
        days: the largest number of days before and after the failing messages.
    """

    passing: Counter[Minute]
    archived: Counter[Minute]
    days: int


def count_nearby(connection: psycopg.Connection, failing: Mapping[Minute, int]) -> Nearby:
    """
    Count the processed messages of the services of failing ones, at their times. Where few of a service are
    live, archived ones are counted too, and then those of the days before and after.
    """
    seconds = [minute.second for minute in failing]
    of_services: Counter[str] = Counter()
    for minute, messages in failing.items():
        of_services[minute.service_name] += messages
    total = Nearby(Counter(), Counter(), 0)
    for service_name, messages in sorted(of_services.items()):
        nearest = Nearby(Counter(), Counter(), 0)
        for days in MARGINS:
            start, end = min(seconds) - days * _DAY, max(seconds) + _MINUTE + days * _DAY
            near = _count_service(connection, service_name, (start, end), choose_enough(messages))
            if near.passing.total() > nearest.passing.total():
                nearest = near._replace(days=days)
            if near.passing.total() >= choose_enough(messages):
                break
        total = Nearby(
            total.passing + nearest.passing,
            total.archived + nearest.archived,
            max(total.days, nearest.days),
        )
    return total


def _count_service(
    connection: psycopg.Connection, service_name: str, times: tuple[int, int], enough: int
) -> Nearby:
    live = count_passing(connection, [service_name], *times)
    if live.total() >= enough:
        return Nearby(live, Counter(), 0)
    archived = count_archived(connection, [service_name], *times)
    return Nearby(live + archived, archived, 0)


def read_passing(
    spark: SparkSession, *, dsn: str, samples: Sequence[Sample], archived: Collection[str] = ()
) -> Reading:
    """
    Return the processed messages of a comparison group, with MESSAGE_COLUMNS.

    Args:
        archived: services of which archived messages are read too.
    """
    of_archive = [sample for sample in samples if sample.service_name in archived]
    parts = (
        partial(_read_samples, dsn, statement, part)
        for statement, each in (("compared_messages", samples), ("compared_archived_messages", of_archive))
        for part in split_samples(each, _MAX_PARTS)
    )
    return Reading(spark, tuple(parts), schema_of(MESSAGE_COLUMNS))


def _read_samples(dsn: str, statement: str, samples: Sequence[Sample]) -> Batches:
    with connect_to_database(dsn) as connection:
        for service_name, start, end, share in samples:
            values = {
                "service_name": service_name,
                "share": share,
                "shares": SHARES,
                "most": MAX_TEXT_BYTES,
                "most_rows": MAX_ARCHIVED,
            }
            with connection.transaction():
                yield from fetch_batches_of(
                    connection,
                    statements.read_text(statement),
                    {**values, **_as_times(start, end)},
                    MESSAGE_COLUMNS,
                    rows_a_batch=_BATCH_ROWS,
                )


def _as_times(start: int, end: int) -> dict[str, datetime]:
    return {"start": datetime.fromtimestamp(start, UTC), "end": datetime.fromtimestamp(end, UTC)}
