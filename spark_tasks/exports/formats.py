"""
The columns and formats of an export: write rows to a part, join parts to one file, and count its rows.

Columns are pickled to executors. Times have an offset. JSON lines and Parquet distinguish NULL from an empty
text; CSV does not.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from messages_app.shared.text_safety import CSV_MARK, cell, text_of

_ARROW = {
    "long": pa.int64(),
    "int": pa.int32(),
    "text": pa.string(),
    "time": pa.timestamp("us", tz="UTC"),
    "flag": pa.bool_(),
}


@dataclass(frozen=True, kw_only=True)
class Column:
    """
    Args:
        name: of the hub's column.
        kind: long, int, text, time or flag.
        is_wide: a text that may have megabytes.
    """

    name: str
    kind: str
    is_wide: bool = False


Columns = tuple[Column, ...]

# In addition to the hub's columns: whether the message was in the archive.
ARCHIVED = Column(name="archived", kind="flag")


def names(columns: Columns) -> list[str]:
    return [column.name for column in columns]


def schema(columns: Columns) -> pa.Schema:
    return pa.schema([(column.name, _ARROW[column.kind]) for column in columns])


Rows = Sequence[tuple[object, ...]]

COPIED_BYTES = 1024 * 1024
# Rows in a row group of the whole file; those of parts are smaller.
_GROUP_BYTES, _GROUP_ROWS = 64 * 1024 * 1024, 100_000


class Output(Protocol):
    """The output of a format: a file, which may also compute the hash of its bytes."""

    def write(self, block: bytes, /) -> int: ...


@dataclass(frozen=True, kw_only=True)
class Format:
    """
    Args:
        write_part: writes groups of rows to an open file, and returns the number of rows.
        join: writes the parts, given as open files one after the other, to an open file.
        count: reads an open file completely and returns the number of its rows.
    """

    write_part: Callable[[Output, Columns, Iterable[Rows]], int]
    join: Callable[[Output, Columns, Iterable[BinaryIO]], None]
    count: Callable[[BinaryIO], int]


def _write_csv(file: Output, columns: Columns, groups: Iterable[Rows]) -> int:
    written = 0
    for rows in groups:
        file.write(_csv_text([cell(value) for value in row] for row in rows))
        written += len(rows)
    return written


def _csv_text(rows: Iterable[Sequence[object]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def _join_csv(file: Output, columns: Columns, parts: Iterable[BinaryIO]) -> None:
    file.write(CSV_MARK.encode() + _csv_text([names(columns)]))
    _copy(file, parts)


def _count_csv(file: BinaryIO) -> int:
    """Count the line ends outside quotes, without the header's."""
    lines, is_quoted = 0, False
    for block in _blocks(file):
        for number, piece in enumerate(block.split(b'"')):
            is_quoted = is_quoted if number == 0 else not is_quoted
            lines += 0 if is_quoted else piece.count(b"\n")
    return lines - 1


def _write_json_lines(file: Output, columns: Columns, groups: Iterable[Rows]) -> int:
    written, keys = 0, names(columns)
    for rows in groups:
        for row in rows:
            values = dict(zip(keys, row, strict=True))
            file.write(json.dumps(values, default=text_of, ensure_ascii=False).encode() + b"\n")
        written += len(rows)
    return written


def _join_lines(file: Output, columns: Columns, parts: Iterable[BinaryIO]) -> None:
    _copy(file, parts)


def _count_lines(file: BinaryIO) -> int:
    return sum(block.count(b"\n") for block in _blocks(file))


def _write_parquet(file: Output, columns: Columns, groups: Iterable[Rows]) -> int:
    written = 0
    with pq.ParquetWriter(file, schema(columns), compression="zstd") as writer:
        for rows in groups:
            writer.write_table(_table(rows, columns))
            written += len(rows)
    return written


def _table(rows: Rows, columns: Columns) -> pa.Table:
    fields = schema(columns)
    values = zip(*rows, strict=True)
    arrays = [pa.array(column, field.type) for column, field in zip(values, fields, strict=True)]
    return pa.Table.from_arrays(arrays, schema=fields)


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


FORMATS = {
    "csv": Format(write_part=_write_csv, join=_join_csv, count=_count_csv),
    "jsonl": Format(write_part=_write_json_lines, join=_join_lines, count=_count_lines),
    "parquet": Format(write_part=_write_parquet, join=_join_parquet, count=_count_parquet),
}
