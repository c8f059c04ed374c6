"""
One Parquet file of the archive: written in groups of rows, verified by reading it back, and read years later.

Memory is bounded by bytes: a row group is closed when its texts reach a few megabytes.
"""

import hashlib
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO, TypeVar

import pyarrow as pa
from psycopg.rows import TupleRow
from pyarrow import parquet

from spark_tasks.failpoints import Step, pass_failpoint
from spark_tasks.parquet.column_types import (
    Column,
    RowHash,
    batch_of_copied,
    columns_of,
    schema_of,
    values_of,
)
from spark_tasks.storage.addresses import Storage
from spark_tasks.storage.faults import StorageFault

_GROUP_BYTES = 4_000_000
_GROUP_ROWS = 2_000
_PIECE = 1 << 20

# The types of the values are in the columns of their file.
Row = TupleRow
# A row as COPY gives it, with a line end.
Copied = bytes | memoryview
AnyRow = TypeVar("AnyRow")


class Untrue(Exception):
    """A file that was just written reads back differently. Nothing was deleted."""


class Unreadable(Exception):
    """A file of the manifest is missing or damaged. The message, for a page, names it."""


@dataclass(frozen=True, kw_only=True)
class Written:
    """
    A complete file on disk that was verified by reading it back.

    Args:
        path: relative to the archive's address.
        keys: of its rows, in their order.
        bytes, sha256: of the file.
    """

    path: str
    keys: Sequence[int]
    bytes: int
    sha256: str


def write_file(
    storage: Storage, path: str, *, columns: Sequence[Column], key: str, groups: Iterator[pa.RecordBatch]
) -> Written | None:
    """
    Write rows, read them back, and return the file; None if there are no rows.

    Args:
        columns: of the rows, in their order.
        key: the column that is the primary key.
        groups: the rows of each row group, from `groups_of_copied` or `groups_of_rows`.

    Raises:
        Untrue: the file reads back differently.
        psycopg.errors.DiskFull, OSError: it could not be written.
    """
    first = next(groups, None)
    if first is None:
        return None
    keys: list[int] = []
    written = RowHash()
    with storage.open_to_write(path) as file, _open_writer(file, schema_of(columns)) as writer:
        for group in chain([first], groups):
            writer.write_batch(group)
            written.add(group)
            keys += group.column(key).to_pylist()
        pass_failpoint(Step.FILE_WRITTEN)
    pass_failpoint(Step.FILE_NAMED)
    size, digest = check_file(storage, path, written)
    return Written(path=path, keys=keys, bytes=size, sha256=digest)


def check_file(storage: Storage, path: str, written: RowHash) -> tuple[int, str]:
    """
    Return the size and the SHA-256 of a file that contains these rows.

    Raises:
        Untrue: it contains other rows.
    """
    contents = RowHash()
    with storage.open_to_read(path) as file:
        size, digest = _digest_file(file)
        file.seek(0)
        for group in _row_groups(_open_parquet(file)):
            contents.add(group)
    if contents != written:
        raise Untrue(f"{path} has {contents.rows} rows of {written.rows}, or other values, when read back.")
    return size, digest


def check_digest(storage: Storage, path: str, sha256: str) -> None:
    """
    Check a file against its manifest.

    Raises:
        Unreadable: the file is missing, or differs from its SHA-256 in the manifest.
    """
    with _describing_faults(path), storage.open_to_read(path) as file:
        if _digest_file(file)[1] != sha256:
            raise Unreadable(f"The archive's file {path} is damaged: it is not what was written.")


def read_columns(storage: Storage, path: str) -> list[Column]:
    """Return the columns of the file. Raises Unreadable."""
    with _describing_faults(path), storage.open_to_read(path) as file:
        return columns_of(_open_parquet(file).schema_arrow)


@dataclass(frozen=True)
class RowFilter:
    """
    A filter of rows.

    Args:
        columns: the columns that the filter reads.
        is_met: returns for their values in a row whether the row is wanted.
    """

    columns: tuple[str, ...]
    is_met: Callable[..., bool]


def with_one_of(column: str, values: Collection[object]) -> RowFilter:
    return RowFilter((column,), lambda value: value in values)


def read_rows(
    storage: Storage, path: str, *, rows: RowFilter, names: Sequence[str] | None = None
) -> Iterator[Row]:
    """
    Yield the wanted rows, with times as microseconds.

    Args:
        names: the columns to return; None: all, in the file's order.

    Raises:
        Unreadable: the file is missing or damaged.
    """
    for group in read_groups(storage, path, rows=rows, names=names):
        yield from values_of(group)


def read_groups(
    storage: Storage, path: str, *, rows: RowFilter, names: Sequence[str] | None = None
) -> Iterator[pa.Table]:
    """
    Yield the wanted rows of each row group. Only row groups with such rows are read completely.

    Args and Raises: as read_rows.
    """
    with _describing_faults(path), storage.open_to_read(path) as file:
        parquet_file = _open_parquet(file)
        for number in range(parquet_file.num_row_groups):
            keys = parquet_file.read_row_group(number, columns=list(rows.columns)).select(list(rows.columns))
            mask = [rows.is_met(*row) for row in values_of(keys)]
            if not any(mask):
                continue
            group = parquet_file.read_row_group(number, columns=None if names is None else list(names))
            chosen = group.filter(pa.array(mask))
            yield chosen if names is None else chosen.select(list(names))


@contextmanager
def _describing_faults(path: str) -> Iterator[None]:
    """Describe the fault of a file. Faults of its storage are described already."""
    try:
        yield
    except StorageFault:
        raise
    except FileNotFoundError as error:
        raise Unreadable(f"The archive's file {path} is missing.") from error
    except (OSError, pa.ArrowException) as error:
        raise Unreadable(
            f"The archive's file {path} cannot be read: it is damaged or out of reach."
        ) from error


def groups_of_copied(rows: Iterable[Copied], columns: Sequence[Column]) -> Iterator[pa.RecordBatch]:
    """Yield rows of COPY in row groups. Raises as column_types.batch_of_copied."""
    for group in group_rows(rows, len, size=_GROUP_BYTES, most=_GROUP_ROWS):
        yield batch_of_copied(b"".join(group), columns)


def groups_of_rows(rows: Iterable[Row], columns: Sequence[Column]) -> Iterator[pa.RecordBatch]:
    """Yield rows of another file in row groups."""
    for group in group_rows(rows, _length_of_row, size=_GROUP_BYTES, most=_GROUP_ROWS):
        yield _make_batch(group, columns)


def group_rows(
    rows: Iterable[AnyRow], length: Callable[[AnyRow], int], *, size: int, most: int = sys.maxsize
) -> Iterator[list[AnyRow]]:
    """Yield the rows in groups of at least `size` bytes or of `most` rows, except for the last one."""
    group: list[AnyRow] = []
    held = 0
    for row in rows:
        group.append(row)
        held += length(row)
        if held >= size or len(group) >= most:
            yield group
            group, held = [], 0
    if group:
        yield group


def _length_of_row(row: Row) -> int:
    return sum(len(value) for value in row if isinstance(value, str))


def _make_batch(rows: Sequence[Row], columns: Sequence[Column]) -> pa.RecordBatch:
    arrays = [
        pa.array(values, column.arrow)
        for values, column in zip(zip(*rows, strict=True), columns, strict=True)
    ]
    return pa.record_batch(arrays, schema=schema_of(columns))


def _open_writer(file: BinaryIO, schema: pa.Schema) -> parquet.ParquetWriter:
    return parquet.ParquetWriter(file, schema, compression="zstd", write_page_checksum=True)


def _open_parquet(file: BinaryIO) -> parquet.ParquetFile:
    return parquet.ParquetFile(file, page_checksum_verification=True)


def _row_groups(file: parquet.ParquetFile) -> Iterator[pa.Table]:
    for number in range(file.num_row_groups):
        yield file.read_row_group(number)


def _digest_file(file: BinaryIO) -> tuple[int, str]:
    size, digest = 0, hashlib.sha256()
    while piece := file.read(_PIECE):
        size += len(piece)
        digest.update(piece)
    return size, digest.hexdigest()
