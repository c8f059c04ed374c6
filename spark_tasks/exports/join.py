"""
Joins the parts of an export to one file, and reads it back before anyone is offered it. Memory stays flat.

Runs where the job's driver runs: parts and file lie in one folder.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from spark_tasks.exports.columns import Columns
from spark_tasks.exports.files import is_as_named, sha256_of, write_whole
from spark_tasks.exports.formats import FORMATS

MANIFEST = "manifest.json"


class BrokenExport(Exception):
    """What was written is not what the ledger says; the message says what is wrong."""


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
        parts: (name, rows) in the order of the file, as the ledger has them.

    Raises:
        BrokenExport: a part is missing or altered, or the file does not read back as it was written.
        OSError: the file could not be written.
    """
    rows = sum(part_rows for _, part_rows in parts)
    opened = _opened(parts_folder, [part_name for part_name, _ in parts])
    _, sha256 = write_whole(folder, name, lambda file: FORMATS[format].join(file, columns, opened))
    path = folder / name
    _read_back(path, format, rows=rows, sha256=sha256)
    made = ExportedFile(name=name, rows=rows, bytes=path.stat().st_size, sha256=sha256)
    write_whole(folder, MANIFEST, lambda file: file.write(json.dumps(asdict(made)).encode()))
    return made


def made_before(folder: Path) -> ExportedFile | None:
    """Return the file that an earlier attempt has made and read back; None where it is not there, whole."""
    try:
        made = ExportedFile(**json.loads((folder / MANIFEST).read_text()))
        return made if sha256_of(folder / made.name) == made.sha256 else None
    except (OSError, ValueError, TypeError):
        return None


def _opened(folder: Path, names: Sequence[str]) -> Iterator[BinaryIO]:
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
        raise BrokenExport(f"The export was to have {rows} rows, and reads back with {found}.")
    if sha256_of(path) != sha256:
        raise BrokenExport("The export reads back with other bytes than were written.")
