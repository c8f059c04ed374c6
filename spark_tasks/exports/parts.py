"""
The parts of an export: an executor writes one for each chunk, and the driver joins them to one file.

A part is complete and on disk before its chunk is committed with its name in the ledger, so a file left by a
crash is not in the ledger. Messages are passed on row by row. The joined file is read back before it is
offered. Parts and file are in the same storage. Uses psycopg only, no Django.
"""

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from typing import BinaryIO

import psycopg
import pyarrow as pa
from psycopg import sql

from messages_app.shared.job_states import SkipReason, skipped_outcome
from spark_tasks.contract import Decided, Item, JobKey
from spark_tasks.database import TaskStatements, format_array
from spark_tasks.exports.expressions import Columns
from spark_tasks.exports.files import PART, HashedFile, is_as_named, sha256_of, write_part, write_whole
from spark_tasks.exports.formats import ARCHIVED, FORMATS
from spark_tasks.storage.addresses import Storage
from spark_tasks.storage.faults import StorageFault

statements = TaskStatements("spark_tasks")


@dataclass(frozen=True, kw_only=True)
class ExportParts:
    """
    The action of an export job.

    Args:
        storage, folder: where parts are written; the same for every executor and the console.
        format: of formats.FORMATS.
        columns: of the message table. A last column is added that shows whether a message is archived.
    """

    storage: Storage
    folder: str
    format: str
    columns: Columns

    new_state = None
    may_be_repeated = True

    def process_items(self, connection: psycopg.Connection, key: JobKey, items: Sequence[Item]) -> Decided:
        """Write one part with the messages. Raises as contract.Action, and OSError."""
        # The tasks work in parallel already, and starting a worker takes as long as a small part.
        connection.execute("SET LOCAL max_parallel_workers_per_gather = 0")
        ids = sorted(item.msg_id for item in items)
        existing, moved = ids, Counter[str]()
        while existing and not moved:
            try:
                moved = self._write(connection, existing)
            except _Vanished:
                existing = _existing_messages(connection, existing)
        vanished = set(ids).difference(existing)
        gone = dict.fromkeys(vanished, skipped_outcome(SkipReason.VANISHED))
        return Decided(refusals=gone, moved=moved)

    def _write(self, connection: psycopg.Connection, ids: list[int]) -> Counter[str]:
        """Write a part with all of these messages, or raise _Vanished without one."""
        counted: list[int] = []
        columns = (*self.columns, ARCHIVED)

        def write(file: HashedFile) -> None:
            with connection.cursor() as cursor, cursor.copy(self._copy(), {"ids": format_array(ids)}) as rows:
                counted.append(FORMATS[self.format].write_part(file, columns, rows))
            if counted[0] < len(ids):
                raise _Vanished

        name = write_part(self.storage, self.folder, f"{ids[0]}-{ids[-1]}-{{hash}}.{self.format}", write)
        return Counter({f"{PART}{name}": counted[0]})

    def _copy(self) -> sql.Composed:
        format = FORMATS[self.format]
        rows = sql.SQL(statements.read_text("export_messages")).format(
            row=format.row((*self.columns, ARCHIVED)),
            columns=sql.SQL(", ").join(sql.Identifier(column.name) for column in self.columns),
        )
        return sql.SQL("COPY ({}) TO STDOUT ({})").format(rows, sql.SQL(format.options))


class _Vanished(Exception):
    """Some of the messages no longer exist."""


def _existing_messages(connection: psycopg.Connection, ids: list[int]) -> list[int]:
    rows = statements.run_statement(connection, "existing_messages", {"ids": ids})
    return [msg_id for (msg_id,) in rows]


MANIFEST = "manifest.json"


class BrokenExport(Exception):
    """The exported file differs from the ledger; the message describes the difference."""


@dataclass(frozen=True, kw_only=True)
class ExportedFile:
    name: str
    rows: int
    bytes: int
    sha256: str


def join_parts(
    storage: Storage,
    *,
    folder: str,
    parts_folder: str,
    parts: Sequence[tuple[str, int]],
    name: str,
    format: str,
    columns: Columns,
) -> ExportedFile:
    """
    Write the file and its manifest.

    Args:
        folder, parts_folder: paths in the storage.
        parts: (name, rows) in the order of the file, as recorded in the ledger.

    Raises:
        BrokenExport: a part is missing or altered, or the file reads back differently.
        StorageFault, OSError: the file could not be written.
    """
    rows = sum(part_rows for _, part_rows in parts)
    opened = _open_parts(storage, parts_folder, [part_name for part_name, _ in parts])
    path = f"{folder}/{name}"
    sha256 = write_whole(storage, path, lambda file: FORMATS[format].join(file, columns, opened))
    size = _read_back(storage, path, format, rows=rows, sha256=sha256)
    made = ExportedFile(name=name, rows=rows, bytes=size, sha256=sha256)
    write_whole(storage, f"{folder}/{MANIFEST}", lambda file: file.write(json.dumps(asdict(made)).encode()))
    return made


def made_before(storage: Storage, folder: str) -> ExportedFile | None:
    """
    Return the file that an earlier attempt wrote and verified; None if there is no complete one.

    Raises:
        StorageFault: the storage cannot be read.
    """
    try:
        with storage.open_to_read(f"{folder}/{MANIFEST}") as file:
            made = ExportedFile(**json.loads(file.read()))
        return made if sha256_of(storage, f"{folder}/{made.name}") == made.sha256 else None
    except StorageFault:
        raise
    except (OSError, ValueError, TypeError):
        return None


def _open_parts(storage: Storage, folder: str, names: Sequence[str]) -> Iterator[BinaryIO]:
    paths = [f"{folder}/{name}" for name in names]
    # Parts are read and hashed by a thread while others are joined.
    with ThreadPoolExecutor(1) as pool:
        for path, is_whole in zip(paths, pool.map(partial(_is_whole, storage), paths), strict=True):
            if not is_whole:
                raise BrokenExport(f"The part {path} of the export was altered after it was written.")
            with storage.open_to_read(path) as file:
                yield file


def _is_whole(storage: Storage, path: str) -> bool:
    try:
        return is_as_named(storage, path)
    except FileNotFoundError as error:
        raise BrokenExport(
            f"The part {path} of the export is not in {storage.uri}. Every executor and the console must"
            " reach that place under one address."
        ) from error


def _read_back(storage: Storage, path: str, format: str, *, rows: int, sha256: str) -> int:
    """Return the bytes of a file that has these rows and this sha256. Raises BrokenExport."""
    with ThreadPoolExecutor(1) as pool, storage.open_to_read(path) as file:
        hashed = pool.submit(sha256_of, storage, path)
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        try:
            count = FORMATS[format].count(file)
        except pa.ArrowInvalid as error:
            raise BrokenExport(f"The export cannot be read back: {error}") from error
    if count != rows:
        raise BrokenExport(f"The export should have {rows} rows, but reads back with {count}.")
    if hashed.result() != sha256:
        raise BrokenExport("The export reads back with other bytes than were written.")
    return size
