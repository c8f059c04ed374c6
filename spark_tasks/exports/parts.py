"""
The parts of an export: an executor writes one for each chunk, and the driver joins them to one file.

A part is complete and on disk before its chunk is committed with its name in the ledger, so a file left by a
crash is not in the ledger. Messages are read a few megabytes at a time. The joined file is read back before
it is offered. Parts and file are in the same folder. Uses psycopg only, no Django.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

import psycopg
import pyarrow as pa
from psycopg import sql

from messages_app.shared.job_states import SkipReason, skipped_outcome
from messages_app.shared.sql_files import SqlFiles
from spark_tasks.contract import Decided, Item, JobKey
from spark_tasks.exports.files import PART, is_as_named, sha256_of, write_whole
from spark_tasks.exports.formats import ARCHIVED, FORMATS, Columns, Rows

statements = SqlFiles("spark_tasks")


# Bytes and messages in memory at a time.
_GROUP_BYTES, _GROUP_ROWS = 16 * 1024 * 1024, 2_000


@dataclass(frozen=True, kw_only=True)
class ExportParts:
    """
    The action of an export job.

    Args:
        folder: where parts are written; the same for every executor and the console.
        format: of formats.FORMATS.
        columns: of the message table. A last column is added that shows whether a message is archived.
    """

    folder: str
    format: str
    columns: Columns

    new_state = None
    may_be_repeated = True

    def act(self, connection: psycopg.Connection, key: JobKey, items: Sequence[Item]) -> Decided:
        """Write one part with the messages. Raises as contract.Action.act, and OSError."""
        ids = sorted(item.msg_id for item in items)
        found: set[int] = set()
        groups = self._groups(connection, ids, found)
        first = next(groups, None)
        moved = Counter() if first is None else self._write(ids, first, groups)
        gone = {msg_id: skipped_outcome(SkipReason.VANISHED) for msg_id in ids if msg_id not in found}
        return Decided(refusals=gone, moved=moved)

    def _write(self, ids: list[int], first: Rows, others: Iterator[Rows]) -> Counter[str]:
        counted: list[int] = []

        def groups() -> Iterator[Rows]:
            yield first
            yield from others

        folder = Path(self.folder)
        folder.mkdir(parents=True, exist_ok=True)
        columns = (*self.columns, ARCHIVED)
        name, _ = write_whole(
            folder,
            f"{ids[0]}-{ids[-1]}-{{hash}}.{self.format}",
            lambda file: counted.append(FORMATS[self.format].write_part(file, columns, groups())),
        )
        return Counter({f"{PART}{name}": counted[0]})

    def _groups(self, connection: psycopg.Connection, ids: list[int], found: set[int]) -> Iterator[Rows]:
        """Yield the existing messages in the order of their ids, and note them."""
        place = [column.name for column in self.columns].index("msg_id")
        for group in _by_size(self._sizes(connection, ids)):
            rows = connection.execute(self._select(), {"ids": group}).fetchall()
            found.update(row[place] for row in rows)
            if rows:
                yield rows

    def _sizes(self, connection: psycopg.Connection, ids: list[int]) -> list[tuple[int, int]]:
        """Return (id, bytes of the wide columns) of each existing message."""
        wide = [
            sql.SQL("coalesce(octet_length({}), 0)").format(sql.Identifier(column.name))
            for column in self.columns
            if column.is_wide
        ]
        query = sql.SQL(statements.text("export_sizes")).format(
            size=sql.SQL(" + ").join([sql.SQL("0"), *wide])
        )
        return connection.execute(query, {"ids": ids}).fetchall()

    def _select(self) -> sql.Composed:
        listed = sql.SQL(", ").join(sql.Identifier(column.name) for column in self.columns)
        return sql.SQL(statements.text("export_messages")).format(columns=listed)


def _by_size(sizes: Sequence[tuple[int, int]]) -> Iterator[list[int]]:
    """
    Split ids into groups, limited by bytes and by number of messages. A larger message is a group of its own.
    """
    group: list[int] = []
    held = 0
    for msg_id, size in sizes:
        if group and (held + size > _GROUP_BYTES or len(group) == _GROUP_ROWS):
            yield group
            group, held = [], 0
        group.append(msg_id)
        held += size
    if group:
        yield group


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
    *,
    folder: Path,
    parts_folder: Path,
    parts: Sequence[tuple[str, int]],
    name: str,
    format: str,
    columns: Columns,
) -> ExportedFile:
    """
    Write the file and its manifest.

    Args:
        parts: (name, rows) in the order of the file, as recorded in the ledger.

    Raises:
        BrokenExport: a part is missing or altered, or the file reads back differently.
        OSError: the file could not be written.
    """
    rows = sum(part_rows for _, part_rows in parts)
    opened = _open_parts(parts_folder, [part_name for part_name, _ in parts])
    _, sha256 = write_whole(folder, name, lambda file: FORMATS[format].join(file, columns, opened))
    path = folder / name
    _read_back(path, format, rows=rows, sha256=sha256)
    made = ExportedFile(name=name, rows=rows, bytes=path.stat().st_size, sha256=sha256)
    write_whole(folder, MANIFEST, lambda file: file.write(json.dumps(asdict(made)).encode()))
    return made


def made_before(folder: Path) -> ExportedFile | None:
    """Return the file that an earlier attempt wrote and verified; None if there is no complete one."""
    try:
        made = ExportedFile(**json.loads((folder / MANIFEST).read_text()))
        return made if sha256_of(folder / made.name) == made.sha256 else None
    except (OSError, ValueError, TypeError):
        return None


def _open_parts(folder: Path, names: Sequence[str]) -> Iterator[BinaryIO]:
    for name in names:
        path = folder / name
        if not path.is_file():
            raise BrokenExport(
                f"The part {name} of the export is not in {folder}. Every executor and the console must reach"
                " that folder under one path."
            )
        if not is_as_named(path):
            raise BrokenExport(f"The part {name} of the export was altered after it was written.")
        with path.open("rb") as file:
            yield file


def _read_back(path: Path, format: str, *, rows: int, sha256: str) -> None:
    try:
        with path.open("rb") as file:
            found = FORMATS[format].count(file)
    except pa.ArrowInvalid as error:
        raise BrokenExport(f"The export cannot be read back: {error}") from error
    if found != rows:
        raise BrokenExport(f"The export should have {rows} rows, but reads back with {found}.")
    if sha256_of(path) != sha256:
        raise BrokenExport("The export reads back with other bytes than were written.")
