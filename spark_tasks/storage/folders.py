"""
A folder on a disk, or a location of Arrow's other file systems.

On a local disk a file becomes visible only when it is complete and on disk: it is written under another name,
synced, renamed, and its folder synced.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import psycopg
from pyarrow import fs

HALF = ".tmp"
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}


class FolderFiles:
    """The files below a path, or below an address that pyarrow supports (file:, gs:, hdfs:)."""

    def __init__(self, uri: str) -> None:
        self._filesystem, base = fs.FileSystem.from_uri(uri)
        self._base = base.rstrip("/")

    @contextmanager
    def open_to_write(self, path: str) -> Iterator[BinaryIO]:
        whole = f"{self._base}/{path}"
        is_local = isinstance(self._filesystem, fs.LocalFileSystem)
        try:
            with _write_here(whole) if is_local else write_elsewhere(self._filesystem, whole) as file:
                yield file
        except OSError as error:
            if error.errno in _NO_ROOM:
                raise psycopg.errors.DiskFull(
                    f"No space left for the Parquet archive: {error.strerror}."
                ) from error
            raise

    @contextmanager
    def open_to_read(self, path: str) -> Iterator[BinaryIO]:
        with self._filesystem.open_input_file(f"{self._base}/{path}") as file:
            yield file

    def list_paths(self) -> list[str]:
        selector = fs.FileSelector(self._base, recursive=True, allow_not_found=True)
        entries = self._filesystem.get_file_info(selector)
        return [info.path.removeprefix(f"{self._base}/") for info in entries if info.type == fs.FileType.File]

    def remove(self, path: str) -> None:
        self._filesystem.delete_file(f"{self._base}/{path}")


@contextmanager
def write_elsewhere(filesystem: fs.FileSystem, path: str) -> Iterator[BinaryIO]:
    """Yield a file of any file system of Arrow, which is renamed when the block ends."""
    half = f"{path}{HALF}"
    filesystem.create_dir(path.rpartition("/")[0], recursive=True)
    try:
        with filesystem.open_output_stream(half) as file:
            yield file
        filesystem.move(half, path)
    except BaseException:
        with suppress(OSError):
            filesystem.delete_file(half)
        raise


@contextmanager
def _write_here(path: str) -> Iterator[BinaryIO]:
    whole, half = Path(path), Path(f"{path}{HALF}")
    _make_folder(whole.parent)
    try:
        with half.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        half.rename(whole)
        _sync_folder(whole.parent)
    except BaseException:
        half.unlink(missing_ok=True)
        raise


def _make_folder(folder: Path) -> None:
    if folder.is_dir():
        return
    _make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
