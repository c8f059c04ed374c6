"""Cuts the reads of a plan into ranges, and reads one range as Arrow."""

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import psycopg
import pyarrow as pa
from psycopg.abc import Params
from pyspark.sql import DataFrame, Row, SparkSession

from messages_app.shared.sql_files import SqlFiles
from spark_tasks.database import connect_to_database, init_worker

statements = SqlFiles("spark_tasks")


Batches = Iterator[pa.RecordBatch]
Task = Callable[[Batches], Batches]
Part = Callable[[], Batches]


@dataclass(frozen=True)
class Reading:
    """
    Rows that tasks read from the database part by part; the same tasks run the following steps. Spark would
    start a Python process for each step, and pass all rows through the JVM in between.

    It is a minimal DataFrame: the functions that accept either call only mapInArrow and collect.

    Args:
        parts: each is read by one task.
        schema: of all parts, in Spark's notation.
    """

    spark: SparkSession
    parts: tuple[Part, ...]
    schema: str

    def mapInArrow(self, task: Task, schema: str) -> "Reading":  # noqa: N802 - named as Spark's
        """Pass each part's batches to `task`, which returns batches of `schema`."""
        return Reading(self.spark, tuple(partial(_run_on_part, task, part) for part in self.parts), schema)

    def union(self, other: "Reading") -> "Reading":
        """Return the parts of both, which have the same schema."""
        return Reading(self.spark, (*self.parts, *other.parts), self.schema)

    def to_frame(self) -> DataFrame:
        """Return the rows as a DataFrame, which Spark can join and sort; one partition a part."""
        if not self.parts:
            return self.spark.createDataFrame([], self.schema)
        return self.spark.range(0, len(self.parts), 1, len(self.parts)).mapInArrow(
            _make_reader(self.parts), self.schema
        )

    def collect(self) -> list[Row]:
        return self.to_frame().collect()


def read_to_end(batches: Batches) -> None:
    """Read the input of a task that ignores it. Spark ends a worker that leaves input unread."""
    for _ in batches:
        pass


def as_frame(rows: DataFrame | Reading) -> DataFrame:
    return rows.to_frame() if isinstance(rows, Reading) else rows


def _run_on_part(task: Task, part: Part) -> Batches:
    return task(part())


def _make_reader(parts: tuple[Part, ...]) -> Task:
    def read(batches: Batches) -> Batches:
        init_worker()
        for batch in batches:
            for index in batch.column(0).to_pylist():
                yield from parts[index]()

    return read


_BATCH_ROWS = 50_000


# There are few older rows, so they are not split. One of the year 1 would make a single range of all others.
_SPLIT = dt.timedelta(days=20 * 365)


def split_times(*, first: dt.datetime, end: dt.datetime, parts: int) -> list[tuple[dt.datetime, dt.datetime]]:
    """
    Split [first, end) into at most `parts` adjoining, non-empty ranges; none if first is not before end.

    All times that are older than twenty years are in the first range.

    Raises:
        ValueError: parts is below 1.
    """
    if parts < 1:
        raise ValueError(f"parts must be at least 1, not {parts}.")
    if first >= end:
        return []
    if end - first > _SPLIT and parts > 1:
        start = end - _SPLIT
        return [(first, start), *split_times(first=start, end=end, parts=parts - 1)]
    bounds = {first} | {first + (end - first) * part / parts for part in range(1, parts)} | {end}
    return list(pairwise(sorted(bounds)))


_LOWEST_ID, _HIGHEST_ID = -(2**63), 2**63 - 1


def split_ids(*, first: int, end: int, parts: int) -> list[tuple[int, int]]:
    """
    Split [first, end) into at most `parts` adjoining, non-empty ranges; none if first is not before end.

    Raises:
        ValueError: parts is below 1.
    """
    if parts < 1:
        raise ValueError(f"parts must be at least 1, not {parts}.")
    if first >= end:
        return []
    width = -(-(end - first) // parts)
    return [(start, min(start + width, end)) for start in range(first, end, width)]


def cover_ids(*, first: int, last: int, parts: int) -> list[tuple[int, int]]:
    """
    Return at most `parts` adjoining ranges (first and last id) with all ids of the type bigint.

    Args:
        first, last: the ids between are split evenly; few others exist, which are in the outer ranges.
    """
    cuts = [start for start, _ in split_ids(first=first, end=max(first, last) + 1, parts=parts)][1:]
    return list(zip([_LOWEST_ID, *cuts], [*(cut - 1 for cut in cuts), _HIGHEST_ID], strict=True))


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

    The query uses %(start)s and %(end)s in addition to `params`. Its rows never pass through the driver.
    """
    parts = (
        partial(read_query, dsn, statements.read_text(query), {**params, "start": start, "end": end}, columns)
        for start, end in ranges
    )
    return Reading(spark, tuple(parts), schema_of(columns))


def schema_of(columns: Mapping[str, str]) -> str:
    """Return columns (name to Spark type) as a Spark schema."""
    return ", ".join(f"{name} {kind}" for name, kind in columns.items())


def read_query(dsn: str, sql: str, params: Params, columns: Mapping[str, str]) -> Iterator[pa.RecordBatch]:
    """Read the result of one query over a connection of its own."""
    with connect_to_database(dsn) as connection:
        yield from fetch_batches(connection, sql, params, columns)


def fetch_batches(
    connection: psycopg.Connection, sql: str, params: Params, columns: Mapping[str, str]
) -> Iterator[pa.RecordBatch]:
    """Read through a server-side cursor, so that memory stays constant whatever the size of the result."""
    with connection.transaction():
        yield from fetch_batches_of(connection, sql, params, columns)


def fetch_batches_of(
    connection: psycopg.Connection,
    sql: str,
    params: Params,
    columns: Mapping[str, str],
    *,
    rows_a_batch: int = _BATCH_ROWS,
) -> Iterator[pa.RecordBatch]:
    """Read like fetch_batches, but in the caller's open transaction."""
    with connection.cursor("range") as cursor:
        cursor.execute(sql, params)
        while rows := cursor.fetchmany(rows_a_batch):
            yield to_batch(rows, columns)


_ARROW_TYPES = {"long": pa.int64(), "int": pa.int32(), "string": pa.string(), "boolean": pa.bool_()}


def to_batch(rows: Sequence[tuple[object, ...]], columns: Mapping[str, str]) -> pa.RecordBatch:
    """Return `rows` as one Arrow batch with `columns` (name to Spark type)."""
    schema = pa.schema([(name, _ARROW_TYPES[kind]) for name, kind in columns.items()])
    values = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in columns]
    return pa.record_batch(
        [pa.array(column, field.type) for column, field in zip(values, schema, strict=True)], schema=schema
    )
