"""
The formats of an export: write rows to a part, join parts to one file, and count its rows.

PostgreSQL formats the rows (expressions.py). JSON lines and Parquet distinguish NULL from an empty text; CSV
does not.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Protocol

import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
from psycopg import sql

from messages_app.shared.text_safety import CSV_MARK
from spark_tasks.exports.expressions import Column, Columns, csv_row, json_row, parquet_row

_ARROW = {
    "long": pa.int64(),
    "int": pa.int32(),
    "text": pa.string(),
    "time": pa.timestamp("us", tz="UTC"),
    "flag": pa.bool_(),
}

# In addition to the hub's columns: whether the message was in the archive.
ARCHIVED = Column(name="archived", kind="flag")


def names(columns: Columns) -> list[str]:
    return [column.name for column in columns]


def schema(columns: Columns) -> pa.Schema:
    return pa.schema([(column.name, _ARROW[column.kind]) for column in columns])


# A row as COPY gives it, with a line end.
Row = bytes | memoryview

COPIED_BYTES = 1024 * 1024
# Bytes that a task converts to Arrow at a time: a row group of its part.
_PART_GROUP_BYTES = 16 * 1024 * 1024
# Rows in a row group of the whole file; those of parts are smaller.
_GROUP_BYTES, _GROUP_ROWS = 64 * 1024 * 1024, 100_000


class Output(Protocol):
    """The output of a format: a file, which may also compute the hash of its bytes."""

    def write(self, block: bytes, /) -> int: ...


@dataclass(frozen=True, kw_only=True)
class Format:
    """
    Args:
        row: the SQL of a row, which COPY writes with `options`.
        write_part: writes rows of COPY to an open file, and returns their number.
        join: writes the parts, given as open files one after the other, to an open file.
        count: reads an open file completely and returns the number of its rows.
    """

    row: Callable[[Columns], sql.Composed]
    options: str
    write_part: Callable[[Output, Columns, Iterable[Row]], int]
    join: Callable[[Output, Columns, Iterable[BinaryIO]], None]
    count: Callable[[BinaryIO], int]


def _write_csv(file: Output, columns: Columns, rows: Iterable[Row]) -> int:
    """Write the rows with the line ends of Python's module csv, and of RFC 4180."""
    written = 0
    for group in _groups_of(rows, COPIED_BYTES):
        file.write(b"".join(part for row in group for part in (row[:-1], b"\r\n")))
        written += len(group)
    return written


def _groups_of(rows: Iterable[Row], size: int) -> Iterator[list[Row]]:
    """Yield the rows in groups of at least `size` bytes, except for the last one."""
    group: list[Row] = []
    held = 0
    for row in rows:
        group.append(row)
        held += len(row)
        if held >= size:
            yield group
            group, held = [], 0
    if group:
        yield group


def _join_csv(file: Output, columns: Columns, parts: Iterable[BinaryIO]) -> None:
    header = io.StringIO(newline="")
    csv.writer(header).writerow(names(columns))
    file.write(f"{CSV_MARK}{header.getvalue()}".encode())
    _copy(file, parts)


def _count_csv(file: BinaryIO) -> int:
    """Count the line ends outside quotes, without the header's."""
    lines = quotes = 0
    for block in _blocks(file):
        pieces = block.split(b'"')
        lines += b"".join(pieces[quotes % 2 :: 2]).count(b"\n")
        quotes += len(pieces) - 1
    return lines - 1


def _write_lines(file: Output, columns: Columns, rows: Iterable[Row]) -> int:
    written = 0
    for group in _groups_of(rows, COPIED_BYTES):
        file.write(b"".join(group))
        written += len(group)
    return written


def _join_lines(file: Output, columns: Columns, parts: Iterable[BinaryIO]) -> None:
    _copy(file, parts)


def _count_lines(file: BinaryIO) -> int:
    return sum(block.count(b"\n") for block in _blocks(file))


def _write_parquet(file: Output, columns: Columns, rows: Iterable[Row]) -> int:
    written = 0
    with pq.ParquetWriter(file, schema(columns), compression="zstd") as writer:
        for group in _groups_of(rows, _PART_GROUP_BYTES):
            writer.write_table(_table(b"".join(group), columns))
            written += len(group)
    return written


def _table(text: bytes, columns: Columns) -> pa.Table:
    """Return the rows of a CSV text, which has NULL as nothing, and an empty text in quotes."""
    whole = schema(columns)
    kinds = {field.name: pa.int64() if pa.types.is_timestamp(field.type) else field.type for field in whole}
    return arrow_csv.read_csv(
        pa.BufferReader(text),
        # One block: Arrow refuses a row that is larger than its block.
        read_options=arrow_csv.ReadOptions(column_names=whole.names, block_size=len(text), use_threads=False),
        parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
        convert_options=arrow_csv.ConvertOptions(
            column_types=kinds,
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            true_values=["t"],
            false_values=["f"],
        ),
    ).cast(whole)


def _join_parquet(file: Output, columns: Columns, parts: Iterable[BinaryIO]) -> None:
    with pq.ParquetWriter(file, schema(columns), compression="zstd") as writer:
        for table in _large_groups(_groups(parts)):
            writer.write_table(table)


def _groups(parts: Iterable[BinaryIO]) -> Iterator[pa.Table]:
    for part in parts:
        found = pq.ParquetFile(part)
        for number in range(found.num_row_groups):
            yield found.read_row_group(number)


def _large_groups(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    kept: list[pa.Table] = []
    for table in tables:
        kept.append(table)
        is_large = sum(each.nbytes for each in kept) >= _GROUP_BYTES
        if is_large or sum(each.num_rows for each in kept) >= _GROUP_ROWS:
            yield pa.concat_tables(kept)
            kept = []
    if kept:
        yield pa.concat_tables(kept)


def _count_parquet(file: BinaryIO) -> int:
    """Read every column of every row group, because an export with unreadable values is not valid."""
    return sum(table.num_rows for table in _groups([file]))


def _copy(file: Output, parts: Iterable[BinaryIO]) -> None:
    for part in parts:
        for block in _blocks(part):
            file.write(block)


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    while block := file.read(COPIED_BYTES):
        yield block


_CSV = "FORMAT csv, ENCODING 'UTF8'"

FORMATS = {
    "csv": Format(row=csv_row, options=_CSV, write_part=_write_csv, join=_join_csv, count=_count_csv),
    # COPY writes a text unchanged if it has neither of these characters, and JSON never has them.
    "jsonl": Format(
        row=json_row,
        options=f"{_CSV}, DELIMITER E'\\x01', QUOTE E'\\x02'",
        write_part=_write_lines,
        join=_join_lines,
        count=_count_lines,
    ),
    "parquet": Format(
        row=parquet_row, options=_CSV, write_part=_write_parquet, join=_join_parquet, count=_count_parquet
    ),
}
