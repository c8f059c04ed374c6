"""
Maps PostgreSQL columns to Parquet and back without changing a bit.

Whole numbers, truth values, texts and times have Parquet types of their own. For any other type the file has
PostgreSQL's text, which PostgreSQL reads back as the same value. Pure except for psycopg's loaders.
"""

import datetime as dt
import hashlib
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import psycopg
import pyarrow as pa
from psycopg import sql
from psycopg.adapt import Loader
from psycopg.pq import Format
from psycopg.rows import TupleRow
from pyarrow import compute

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND = dt.timedelta(microseconds=1)
# PostgreSQL counts from 2000.
_SHIFT = (dt.datetime(2000, 1, 1, tzinfo=dt.UTC) - _EPOCH) // _MICROSECOND
_FIRST = (dt.datetime.min.replace(tzinfo=dt.UTC) - _EPOCH) // _MICROSECOND
_LAST = (dt.datetime.max.replace(tzinfo=dt.UTC) - _EPOCH) // _MICROSECOND
_INFINITIES = {2**63 - 1: "infinity", -(2**63): "-infinity"}

_TIMES = {
    "timestamp with time zone": pa.timestamp("us", "UTC"),
    "timestamp without time zone": pa.timestamp("us"),
}
_TYPES = {
    "bigint": pa.int64(),
    "integer": pa.int32(),
    "smallint": pa.int16(),
    "boolean": pa.bool_(),
    "text": pa.string(),
    "character varying": pa.string(),
    **_TIMES,
}


# The value of a column as it is read: a time is a whole number.
Value = int | bool | str | None


class CannotKeep(psycopg.DataError):
    """A value that Parquet cannot hold: a time before the year 1 or after 9999."""


class Micros(Loader):
    """Loads a time as microseconds since 1970, UTC; infinity as the smallest or largest whole number."""

    format = Format.BINARY

    def load(self, data: bytes) -> int:
        micros: int = struct.unpack("!q", data)[0]
        if micros in _INFINITIES:
            return micros
        micros += _SHIFT
        if not _FIRST <= micros <= _LAST:
            raise CannotKeep("A time before the year 1 or after 9999 cannot be kept in a Parquet file.")
        return micros


@dataclass(frozen=True)
class Column:
    """A column of a table, with the name of its type in PostgreSQL, without a length."""

    name: str
    type: str

    @property
    def arrow(self) -> pa.DataType:
        return _TYPES.get(self.type, pa.string())

    @property
    def is_time(self) -> bool:
        return self.type in _TIMES

    @property
    def expression(self) -> sql.Composable:
        """The SQL expression to select: the column, or its text."""
        name = sql.Identifier(self.name)
        return name if self.type in _TYPES else sql.SQL("{}::text").format(name)


def schema_of(columns: Sequence[Column]) -> pa.Schema:
    """Return the schema of a file. Each field has the name of its PostgreSQL type."""
    return pa.schema([pa.field(one.name, one.arrow, metadata={"postgresql": one.type}) for one in columns])


def columns_of(schema: pa.Schema) -> list[Column]:
    """Return the columns that a file was written from."""
    return [Column(field.name, field.metadata[b"postgresql"].decode()) for field in schema]


def values_of(batch: pa.RecordBatch | pa.Table) -> Iterable[TupleRow]:
    """Yield rows as they were read from PostgreSQL: times as microseconds."""
    lists = [
        (column.cast(pa.int64()) if pa.types.is_timestamp(column.type) else column).to_pylist()
        for column in batch.columns
    ]
    return zip(*lists, strict=True)


def as_text(column: Column, value: Value) -> Value:
    """Return a value in the format of COPY."""
    if not column.is_time or not isinstance(value, int):
        return value
    if value in _INFINITIES:
        return _INFINITIES[value]
    zone = "+00" if column.type == "timestamp with time zone" else ""
    return f"{(_EPOCH + value * _MICROSECOND).replace(tzinfo=None).isoformat(sep=' ')}{zone}"


def as_python(row: Mapping[str, Value], columns: Iterable[Column]) -> dict[str, object]:
    """Return a row as the ORM returns it: times as datetimes; an infinite one as None."""
    kinds = {column.name: column for column in columns}
    return {name: _moment(value) if kinds[name].is_time else value for name, value in row.items()}


def _moment(value: Value) -> dt.datetime | None:
    if not isinstance(value, int) or value in _INFINITIES:
        return None
    return _EPOCH + value * _MICROSECOND


class RowHash:
    """
    One hash over all values of rows, which depends on the rows and on their groups.

    Computed from whole columns, because hashing row by row takes longer than the rest of an archive job.
    """

    def __init__(self) -> None:
        self.rows = 0
        self._hash = hashlib.blake2b(digest_size=32)

    def add(self, group: pa.RecordBatch | pa.Table) -> None:
        self.rows += group.num_rows
        for column in group.columns:
            whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
            for part in _bytes_of(whole):
                self._hash.update(part)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RowHash) and (self.rows, self._hash.digest()) == (
            other.rows,
            other._hash.digest(),
        )

    __hash__ = None  # type: ignore[assignment]  # one that still takes rows cannot be a key


def _bytes_of(column: pa.Array) -> Iterator[memoryview]:
    """Yield the null mask, the lengths of texts, and the values, without any padding."""
    yield _numbers(column.is_null().cast(pa.int8()))
    if pa.types.is_string(column.type):
        texts = column.fill_null("")
        lengths = compute.binary_length(texts)
        yield _numbers(lengths)
        yield _texts(texts)
        return
    is_truth = pa.types.is_boolean(column.type)
    numbers = column.cast(pa.int8()) if is_truth else column
    if pa.types.is_timestamp(column.type):
        numbers = column.cast(pa.int64())
    yield _numbers(numbers.fill_null(0))


def _numbers(array: pa.Array) -> memoryview:
    width = array.type.bit_width // 8
    return memoryview(array.buffers()[1])[array.offset * width : (array.offset + len(array)) * width]


def _texts(array: pa.Array) -> memoryview:
    ends = memoryview(array.buffers()[1]).cast("i")
    data = array.buffers()[2]
    if data is None:
        return memoryview(b"")
    return memoryview(data)[ends[array.offset] : ends[array.offset + len(array)]]
