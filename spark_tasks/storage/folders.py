"""
A folder of the local disk.

A file becomes visible only when it is complete and on disk: it is written under another name, synced and
renamed, and its folder is synced.
"""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import psycopg

from spark_tasks.storage.files import Link

HALF = ".tmp"
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}


class FolderFiles:
    """The files below an absolute path."""

    def __init__(self, path: str) -> None:
        self._base = Path(path)

    @contextmanager
    def open_to_write(self, path: str) -> Iterator[BinaryIO]:
        try:
            with _write_whole(self._base / path) as file:
                yield file
        except OSError as error:
            if error.errno in _NO_ROOM:
                raise psycopg.errors.DiskFull(f"No space left in {self._base}: {error.strerror}.") from error
            raise

    @contextmanager
    def open_to_read(self, path: str) -> Iterator[BinaryIO]:
        # Arrow's own files are read faster. Imported here, because it costs 40 MB, which the web can save.
        from pyarrow import OSFile

        with OSFile(str(self._base / path)) as file:
            yield file

    def list_sizes(self) -> dict[str, int]:
        sizes = {}
        for folder, _, names in os.walk(self._base):
            for name in names:
                file = Path(folder, name)
                try:
                    sizes[str(file.relative_to(self._base))] = file.stat().st_size
                except FileNotFoundError:  # It was removed while this was listed.
                    continue
        return sizes

    def size_of(self, path: str) -> int:
        return (self._base / path).stat().st_size

    def remove(self, path: str) -> None:
        (self._base / path).unlink()

    def remove_folder(self, path: str) -> None:
        if (self._base / path).is_dir():
            shutil.rmtree(self._base / path)

    def make_link(self, path: str, link: Link) -> None:
        """Files of a folder have no links."""


@contextmanager
def _write_whole(whole: Path) -> Iterator[BinaryIO]:
    half = whole.with_name(f"{whole.name}{HALF}")
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
