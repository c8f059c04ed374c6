"""Cuts what a plan reads into ranges, and reads one range as Arrow."""

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

import psycopg
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from spark_tasks.database import connect
from spark_tasks.sql import statement
from spark_tasks.workers import settle_in

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
    ranges: list[tuple[object, object]],
    params: Mapping[str, object],
    columns: Mapping[str, str],
) -> DataFrame:
    """
    Read `query` once for each of `ranges`, one task each, as a DataFrame of `columns` (name to Spark type).

    The query takes %(start)s and %(end)s beside `params`. Its rows never cross the driver.
    """
    schema = ", ".join(f"{name} {kind}" for name, kind in columns.items())
    if not ranges:
        return spark.createDataFrame([], schema)
    task = _range_reader(
        dsn=dsn, query=query, ranges=list(ranges), params=dict(params), columns=dict(columns)
    )
    return spark.range(0, len(ranges), 1, len(ranges)).mapInArrow(task, schema)


def _range_reader(
    *,
    dsn: str,
    query: str,
    ranges: list[tuple[object, object]],
    params: dict[str, object],
    columns: dict[str, str],
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        settle_in()
        for batch in batches:
            for index in batch.column(0).to_pylist():
                start, end = ranges[index]
                yield from _read_one(dsn, query, params | {"start": start, "end": end}, columns)

    return read


def _read_one(
    dsn: str, query: str, params: dict[str, object], columns: dict[str, str]
) -> Iterator[pa.RecordBatch]:
    with connect(dsn) as connection:
        yield from fetch_batches(connection, statement(query), params, columns)


def fetch_batches(
    connection: psycopg.Connection, sql: str, params: object, columns: Mapping[str, str]
) -> Iterator[pa.RecordBatch]:
    """Read through a server-side cursor, so that memory stays flat whatever the query gives."""
    with connection.transaction(), connection.cursor("range") as cursor:
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
