"""
Writes files that exist complete or not at all: written next to their final name, synced, then renamed.

The name of a part depends on its contents, so a second attempt at it, or a straggler, can only write the same
bytes there.
"""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from spark_tasks.failpoints import Step, pass_failpoint

# The ledger's name of a part: see moved_rows.sql of the console.
PART = "file/"

# Written data is synced after this many bytes, because a single sync at the end could take minutes.
_SYNCED_BYTES = 64 * 1024 * 1024
_HASH_CHARACTERS = 32


class SyncedFile:
    """A writable file that computes the hash of its bytes."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._hash = hashlib.sha256()
        self._unsynced = 0
        self.closed = False

    def write(self, block: bytes) -> int:
        self._hash.update(block)
        written = self._file.write(block)
        self._unsynced += len(block)
        if self._unsynced >= _SYNCED_BYTES:
            self.sync()
        return written

    def tell(self) -> int:
        return self._file.tell()

    def flush(self) -> None:
        self._file.flush()

    def writable(self) -> bool:
        return True

    def readable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False

    def close(self) -> None:
        """
        Does nothing, because pyarrow closes the file after writing. The code that opened the file closes it.
        """

    def sync(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._unsynced = 0

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()


@contextmanager
def _unfinished_files(folder: Path) -> Iterator[tuple[Path, SyncedFile]]:
    path = folder / f"{uuid4().hex}.tmp"
    try:
        with path.open("xb") as file:
            yield path, SyncedFile(file)
    finally:
        path.unlink(missing_ok=True)


def write_whole(folder: Path, name: str, write: Callable[[SyncedFile], object]) -> tuple[str, str]:
    """
    Write a file, and return its name and its sha256.

    Args:
        name: may contain {hash}, which is replaced by the beginning of the sha256.

    Raises:
        OSError: it could not be written; any part of it was removed.
    """
    with _unfinished_files(folder) as (path, file):
        write(file)
        file.sync()
        whole_name = name.format(hash=file.sha256[:_HASH_CHARACTERS])
        pass_failpoint(Step.FILE_WRITTEN)
        path.rename(folder / whole_name)
    sync_folder(folder)
    pass_failpoint(Step.FILE_NAMED)
    return whole_name, file.sha256


def sync_folder(folder: Path) -> None:
    """Sync the folder, so that the names of its files are on disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove_folder(folder: Path) -> None:
    """Remove a folder with its contents, if it exists."""
    if folder.is_dir():
        shutil.rmtree(folder)


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_as_named(path: Path) -> bool:
    """Return whether the contents of a part match its name."""
    return path.stem.rpartition("-")[2] == sha256_of(path)[:_HASH_CHARACTERS]
