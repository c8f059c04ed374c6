"""
Maps PostgreSQL columns to Parquet and back without changing a bit.

Whole numbers, truth values, texts and times have Parquet types of their own. For any other type the file has
PostgreSQL's text, which PostgreSQL reads back as the same value.

PostgreSQL and Arrow convert whole groups of rows in the form of COPY, because a value of Python's for each
takes longer than the rest of an archive job. Only times that are in no calendar become one.
"""

import datetime as dt
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import psycopg
import pyarrow as pa
from psycopg import sql
from psycopg.rows import TupleRow
from pyarrow import compute, csv

from messages_app.shared.far_times import time_at

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND = dt.timedelta(microseconds=1)
_INFINITIES = {2**63 - 1: "infinity", -(2**63): "-infinity"}
_MICROS_OF_INFINITIES = {text: micros for micros, text in _INFINITIES.items()}

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


def read_copied(text: bytes, schema: pa.Schema) -> pa.Table:
    """
    Return rows of `COPY ... TO STDOUT (FORMAT csv)`, which has NULL as nothing, and an empty text in quotes.

    Raises:
        pyarrow.ArrowInvalid: a value is not of the type of its column.
    """
    return csv.read_csv(
        pa.BufferReader(text),
        # One block: Arrow refuses a row that is larger than its block.
        read_options=csv.ReadOptions(column_names=schema.names, block_size=len(text), use_threads=False),
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types=schema,
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            true_values=["t"],
            false_values=["f"],
        ),
    )


def batch_of_copied(text: bytes, columns: Sequence[Column]) -> pa.RecordBatch:
    """
    Return rows as parts.archive_part copies them out.

    Raises:
        CannotKeep: a time is before the year 1 or after 9999.
    """
    schema = schema_of(columns)
    try:
        table = read_copied(text, schema)
    except pa.ArrowInvalid:  # Most likely a time in no calendar.
        table = _with_odd_times(text, columns)
    arrays = [column.combine_chunks() for column in table.columns]
    return pa.record_batch(arrays, schema=schema)


def _with_odd_times(text: bytes, columns: Sequence[Column]) -> pa.Table:
    texts = pa.schema([(one.name, pa.string() if one.is_time else one.arrow) for one in columns])
    table = read_copied(text, texts)
    for place, column in enumerate(columns):
        if column.is_time:
            micros = [_parse_micros(value) for value in table.column(place).to_pylist()]
            table = table.set_column(place, column.name, pa.array(micros, pa.int64()).cast(column.arrow))
    return table


def _parse_micros(value: str | None) -> int | None:
    """Return microseconds since 1970, UTC; of infinity the smallest or largest whole number."""
    if value is None or value in _MICROS_OF_INFINITIES:
        return None if value is None else _MICROS_OF_INFINITIES[value]
    try:
        moment = dt.datetime.fromisoformat(value)
    except ValueError as error:
        raise CannotKeep(
            "A time before the year 1 or after 9999 cannot be kept in a Parquet file."
        ) from error
    return (moment.replace(tzinfo=dt.UTC) - _EPOCH) // _MICROSECOND


def as_copied(rows: pa.Table) -> pa.Buffer:
    """Return rows of a file as `COPY ... FROM STDIN (FORMAT csv)` reads them."""
    for place, column in enumerate(columns_of(rows.schema)):
        if column.is_time and _has_infinity(rows.column(place)):
            texts = [as_text(column, value) for value in rows.column(place).cast(pa.int64()).to_pylist()]
            rows = rows.set_column(place, column.name, pa.array(texts, pa.string()))
    text = pa.BufferOutputStream()
    csv.write_csv(rows, text, csv.WriteOptions(include_header=False))
    return text.getvalue()


def _has_infinity(times: pa.ChunkedArray) -> bool:
    ends = compute.min_max(times.cast(pa.int64())).as_py()
    return not _INFINITIES.keys().isdisjoint(ends.values())


def as_text(column: Column, value: Value) -> Value:
    """Return a value in the format of COPY."""
    if not column.is_time or not isinstance(value, int):
        return value
    if value in _INFINITIES:
        return _INFINITIES[value]
    zone = "+00" if column.type == "timestamp with time zone" else ""
    return f"{(_EPOCH + value * _MICROSECOND).replace(tzinfo=None).isoformat(sep=' ')}{zone}"


def as_python(row: Mapping[str, Value], columns: Iterable[Column]) -> dict[str, object]:
    """Return a row as the ORM returns it: times as datetimes."""
    kinds = {column.name: column for column in columns}
    return {name: _as_moment(value) if kinds[name].is_time else value for name, value in row.items()}


def _as_moment(value: Value) -> dt.datetime | None:
    return time_at(value) if isinstance(value, int) else None


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
    yield _view_numbers(column.is_null().cast(pa.int8()))
    if pa.types.is_string(column.type):
        texts = column.fill_null("")
        lengths = compute.binary_length(texts)
        yield _view_numbers(lengths)
        yield _view_texts(texts)
        return
    is_truth = pa.types.is_boolean(column.type)
    numbers = column.cast(pa.int8()) if is_truth else column
    if pa.types.is_timestamp(column.type):
        numbers = column.cast(pa.int64())
    yield _view_numbers(numbers.fill_null(0))


def _view_numbers(array: pa.Array) -> memoryview:
    width = array.type.bit_width // 8
    return memoryview(array.buffers()[1])[array.offset * width : (array.offset + len(array)) * width]


def _view_texts(array: pa.Array) -> memoryview:
    ends = memoryview(array.buffers()[1]).cast("i")
    data = array.buffers()[2]
    if data is None:
        return memoryview(b"")
    return memoryview(data)[ends[array.offset] : ends[array.offset + len(array)]]
