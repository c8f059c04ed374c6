"""
The storage of the Parquet archive, given by one address: a folder, or a location in an object store.

On a local disk a file becomes visible only when it is complete and on disk: it is written under another name,
synced, renamed, and its folder synced. An object store shows only complete files.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import psycopg
from pyarrow import fs

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}
_HALF = ".tmp"


@dataclass(frozen=True)
class Storage:
    """
    Args:
        uri: an absolute path, or an address that pyarrow supports (file:, s3:, gs:, hdfs:).
    """

    uri: str

    @contextmanager
    def open_to_write(self, path: str) -> Iterator[BinaryIO]:
        """
        Yield a file to write. It is complete at `path` when the block ends.

        Raises:
            psycopg.errors.DiskFull: the disk is full. The database's error is reused because the remedy is
                the same.
            OSError: it could not be written.
        """
        filesystem, base = self._open()
        write = self._writing_here if isinstance(filesystem, fs.LocalFileSystem) else self._writing_there
        try:
            with write(filesystem, f"{base}/{_path_inside(path)}") as file:
                yield file
        except OSError as error:
            if error.errno in _NO_ROOM:
                raise psycopg.errors.DiskFull(
                    f"No space left for the Parquet archive: {error.strerror}."
                ) from error
            raise

    @contextmanager
    def open_to_read(self, path: str) -> Iterator[BinaryIO]:
        """
        Yield a file to read.

        Raises:
            FileNotFoundError: it does not exist.
            OSError: it cannot be read, or is outside the archive.
        """
        filesystem, base = self._open()
        with filesystem.open_input_file(f"{base}/{_path_inside(path)}") as file:
            yield file

    def list_paths(self) -> list[str]:
        """Return the paths of all files, including incomplete ones."""
        filesystem, base = self._open()
        entries = filesystem.get_file_info(fs.FileSelector(base, recursive=True, allow_not_found=True))
        return [info.path.removeprefix(f"{base}/") for info in entries if info.type == fs.FileType.File]

    def remove(self, path: str) -> None:
        filesystem, base = self._open()
        filesystem.delete_file(f"{base}/{_path_inside(path)}")

    def _open(self) -> tuple[fs.FileSystem, str]:
        filesystem, base = fs.FileSystem.from_uri(self.uri)
        return filesystem, base.rstrip("/")

    @contextmanager
    def _writing_here(self, _: fs.FileSystem, path: str) -> Iterator[BinaryIO]:
        whole, half = Path(path), Path(f"{path}{_HALF}")
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

    @contextmanager
    def _writing_there(self, filesystem: fs.FileSystem, path: str) -> Iterator[BinaryIO]:
        with filesystem.open_output_stream(path) as file:
            yield file


def _path_inside(path: str) -> str:
    """Return a path of the archive; raise PermissionError if it leads outside."""
    if not path or path.startswith("/") or ".." in path.split("/") or "\0" in path:
        raise PermissionError(errno.EACCES, "Leads outside the archive", path)
    return path


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
