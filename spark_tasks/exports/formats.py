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
import pyarrow.parquet as pq
from psycopg import sql

from messages_app.shared.text_safety import CSV_MARK
from spark_tasks.exports.expressions import Column, Columns, csv_row, json_row, parquet_row
from spark_tasks.parquet.column_types import read_copied
from spark_tasks.parquet.files import Copied, group_rows

_ARROW = {
    "long": pa.int64(),
    "int": pa.int32(),
    "text": pa.string(),
    "time": pa.timestamp("us", tz="UTC"),
    "flag": pa.bool_(),
}

# In addition to the hub's columns: whether the message was in the archive.
ARCHIVED = Column(name="archived", kind="flag")


def names_of_columns(columns: Columns) -> list[str]:
    return [column.name for column in columns]


def schema_of_columns(columns: Columns) -> pa.Schema:
    return pa.schema([(column.name, _ARROW[column.kind]) for column in columns])


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
    write_part: Callable[[Output, Columns, Iterable[Copied]], int]
    join: Callable[[Output, Columns, Iterable[BinaryIO]], None]
    count: Callable[[BinaryIO], int]


def _write_csv(file: Output, columns: Columns, rows: Iterable[Copied]) -> int:
    """Write the rows with the line ends of Python's module csv, and of RFC 4180."""
    written = 0
    for group in group_rows(rows, len, size=COPIED_BYTES):
        file.write(b"".join(part for row in group for part in (row[:-1], b"\r\n")))
        written += len(group)
    return written


def _join_csv(file: Output, columns: Columns, parts: Iterable[BinaryIO]) -> None:
    header = io.StringIO(newline="")
    csv.writer(header).writerow(names_of_columns(columns))
    file.write(f"{CSV_MARK}{header.getvalue()}".encode())
    _copy_parts(file, parts)


def _count_csv(file: BinaryIO) -> int:
    """Count the line ends outside quotes, without the header's."""
    lines = quotes = 0
    for block in _iterate_blocks(file):
        pieces = block.split(b'"')
        lines += b"".join(pieces[quotes % 2 :: 2]).count(b"\n")
        quotes += len(pieces) - 1
    return lines - 1


def _write_lines(file: Output, columns: Columns, rows: Iterable[Copied]) -> int:
    written = 0
    for group in group_rows(rows, len, size=COPIED_BYTES):
        file.write(b"".join(group))
        written += len(group)
    return written


def _join_lines(file: Output, columns: Columns, parts: Iterable[BinaryIO]) -> None:
    _copy_parts(file, parts)


def _count_lines(file: BinaryIO) -> int:
    return sum(block.count(b"\n") for block in _iterate_blocks(file))


def _write_parquet(file: Output, columns: Columns, rows: Iterable[Copied]) -> int:
    written = 0
    with pq.ParquetWriter(file, schema_of_columns(columns), compression="zstd") as writer:
        for group in group_rows(rows, len, size=_PART_GROUP_BYTES):
            writer.write_table(_parse_table(b"".join(group), columns))
            written += len(group)
    return written


def _parse_table(text: bytes, columns: Columns) -> pa.Table:
    whole = schema_of_columns(columns)
    kinds = pa.schema(
        [(field.name, pa.int64() if pa.types.is_timestamp(field.type) else field.type) for field in whole]
    )
    return read_copied(text, kinds).cast(whole)


def _join_parquet(file: Output, columns: Columns, parts: Iterable[BinaryIO]) -> None:
    with pq.ParquetWriter(file, schema_of_columns(columns), compression="zstd") as writer:
        for table in _large_groups(_iterate_row_groups(parts)):
            writer.write_table(table)


def _iterate_row_groups(parts: Iterable[BinaryIO]) -> Iterator[pa.Table]:
    for part in parts:
        parquet_file = pq.ParquetFile(part)
        for number in range(parquet_file.num_row_groups):
            yield parquet_file.read_row_group(number)


def _large_groups(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    group: list[pa.Table] = []
    for table in tables:
        group.append(table)
        is_large = sum(each.nbytes for each in group) >= _GROUP_BYTES
        if is_large or sum(each.num_rows for each in group) >= _GROUP_ROWS:
            yield pa.concat_tables(group)
            group = []
    if group:
        yield pa.concat_tables(group)


def _count_parquet(file: BinaryIO) -> int:
    """Read every column of every row group, because an export with unreadable values is not valid."""
    return sum(table.num_rows for table in _iterate_row_groups([file]))


def _copy_parts(file: Output, parts: Iterable[BinaryIO]) -> None:
    for part in parts:
        for block in _iterate_blocks(part):
            file.write(block)


def _iterate_blocks(file: BinaryIO) -> Iterator[bytes]:
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
