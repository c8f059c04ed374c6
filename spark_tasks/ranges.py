"""Cuts what a plan reads into ranges, and reads one range as Arrow."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise

import psycopg
import pyarrow as pa
from pyspark.sql import SparkSession

from spark_tasks.database import connect
from spark_tasks.reading import Reading
from spark_tasks.sql import statement

_BATCH_ROWS = 50_000


def split_times(*, first: dt.datetime, end: dt.datetime, parts: int) -> list[tuple[dt.datetime, dt.datetime]]:
    """
    Split [first, end) into at most `parts` adjoining, non-empty ranges; none when first is not before end.

    Raises:
        ValueError: parts is below 1.
    """
    if parts < 1:
        raise ValueError(f"parts must be at least 1, not {parts}.")
    if first >= end:
        return []
    bounds = sorted({first + (end - first) * part / parts for part in range(parts)} | {end})
    return list(pairwise(bounds))


def split_ids(*, first: int, end: int, parts: int) -> list[tuple[int, int]]:
    """
    Split [first, end) into at most `parts` adjoining, non-empty ranges; none when first is not before end.

    Raises:
        ValueError: parts is below 1.
    """
    if parts < 1:
        raise ValueError(f"parts must be at least 1, not {parts}.")
    if first >= end:
        return []
    width = -(-(end - first) // parts)
    return [(start, min(start + width, end)) for start in range(first, end, width)]


def read_ranges(
    spark: SparkSession,
    *,
    dsn: str,
    query: str,
    ranges: Sequence[tuple[object, object]],
    params: Mapping[str, object],
    columns: Mapping[str, str],
) -> Reading:
    """
    Read `query` once for each of `ranges`, one task each, as rows of `columns` (name to Spark type).

    The query takes %(start)s and %(end)s beside `params`. Its rows never cross the driver.
    """
    parts = (
        partial(read_query, dsn, statement(query), {**params, "start": start, "end": end}, columns)
        for start, end in ranges
    )
    return Reading(spark, tuple(parts), schema_of(columns))


def schema_of(columns: Mapping[str, str]) -> str:
    """Return columns (name to Spark type) as Spark writes a schema."""
    return ", ".join(f"{name} {kind}" for name, kind in columns.items())


def read_query(dsn: str, sql: str, params: object, columns: Mapping[str, str]) -> Iterator[pa.RecordBatch]:
    """Read what one query gives over a connection of its own."""
    with connect(dsn) as connection:
        yield from fetch_batches(connection, sql, params, columns)


def fetch_batches(
    connection: psycopg.Connection, sql: str, params: object, columns: Mapping[str, str]
) -> Iterator[pa.RecordBatch]:
    """Read through a server-side cursor, so that memory stays flat whatever the query gives."""
    with connection.transaction():
        yield from fetch_batches_of(connection, sql, params, columns)


def fetch_batches_of(
    connection: psycopg.Connection, sql: str, params: object, columns: Mapping[str, str]
) -> Iterator[pa.RecordBatch]:
    """Do the same in the transaction that the caller has open."""
    with connection.cursor("range") as cursor:
        cursor.execute(sql, params)
        while rows := cursor.fetchmany(_BATCH_ROWS):
            yield to_batch(rows, columns)


_ARROW_TYPES = {"long": pa.int64(), "int": pa.int32(), "string": pa.string(), "boolean": pa.bool_()}


def to_batch(rows: list[tuple[object, ...]], columns: Mapping[str, str]) -> pa.RecordBatch:
    """Return `rows` as one Arrow batch with `columns` (name to Spark type)."""
    schema = pa.schema([(name, _ARROW_TYPES[kind]) for name, kind in columns.items()])
    values = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in columns]
    return pa.record_batch(
        [pa.array(column, field.type) for column, field in zip(values, schema, strict=True)], schema=schema
    )
