"""
Writes the files of an export, with the hash of their bytes.

The name of a part depends on its contents, so a second attempt at it, or a straggler, can only write the same
bytes there.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from typing import BinaryIO

from spark_tasks.failpoints import Step, pass_failpoint
from spark_tasks.storage.addresses import Storage

# The ledger's name of a part: see moved_rows.sql of the console.
PART = "file/"

# Written data is synced after this many bytes, because a single sync at the end could take minutes.
_SYNCED_BYTES = 64 * 1024 * 1024
_HASH_CHARACTERS = 32
_PIECE = 1 << 20


class HashedFile:
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
            self._sync()
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

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()

    def _sync(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._unsynced = 0


def write_part(storage: Storage, folder: str, name: str, write: Callable[[HashedFile], object]) -> str:
    """
    Write a part, and return its name.

    Args:
        name: contains {hash}, which is replaced by the beginning of the sha256.

    Raises:
        StorageFault, OSError: it could not be written; any part of it was removed.
    """
    with tempfile.TemporaryFile() as file:
        hashed = HashedFile(file)
        write(hashed)
        file.seek(0)
        whole_name = name.format(hash=hashed.sha256[:_HASH_CHARACTERS])
        with storage.open_to_write(f"{folder}/{whole_name}") as target:
            shutil.copyfileobj(file, target, _PIECE)
            pass_failpoint(Step.FILE_WRITTEN)
    pass_failpoint(Step.FILE_NAMED)
    return whole_name


def write_whole(storage: Storage, path: str, write: Callable[[HashedFile], object]) -> str:
    """
    Write a file, and return its sha256.

    Raises:
        StorageFault, OSError: it could not be written; any part of it was removed.
    """
    with storage.open_to_write(path) as file:
        hashed = HashedFile(file)
        write(hashed)
        pass_failpoint(Step.FILE_WRITTEN)
    pass_failpoint(Step.FILE_NAMED)
    return hashed.sha256


def sha256_of(storage: Storage, path: str) -> str:
    digest = hashlib.sha256()
    with storage.open_to_read(path) as file:
        while block := file.read(_PIECE):
            digest.update(block)
    return digest.hexdigest()


def is_as_named(storage: Storage, path: str) -> bool:
    """Return whether the contents of a part match its name."""
    stem = path.rpartition("/")[2].rpartition(".")[0]
    return stem.rpartition("-")[2] == sha256_of(storage, path)[:_HASH_CHARACTERS]
