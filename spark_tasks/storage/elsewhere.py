"""A place in another file system that Arrow supports, such as gs: or hdfs:. It was tested with file: only."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from pyarrow import fs

from spark_tasks.storage.files import Link
from spark_tasks.storage.folders import HALF


class ArrowFiles:
    """The files below an address of Arrow."""

    def __init__(self, uri: str) -> None:
        self._filesystem, base = fs.FileSystem.from_uri(uri)
        self._base = base.rstrip("/")

    @contextmanager
    def open_to_write(self, path: str) -> Iterator[BinaryIO]:
        """Yield a file that is renamed when the block ends."""
        whole = f"{self._base}/{path}"
        half = f"{whole}{HALF}"
        self._filesystem.create_dir(whole.rpartition("/")[0], recursive=True)
        try:
            with self._filesystem.open_output_stream(half) as file:
                yield file
            self._filesystem.move(half, whole)
        except BaseException:
            with suppress(OSError):
                self._filesystem.delete_file(half)
            raise

    @contextmanager
    def open_to_read(self, path: str) -> Iterator[BinaryIO]:
        with self._filesystem.open_input_file(f"{self._base}/{path}") as file:
            yield file

    def list_sizes(self) -> dict[str, int]:
        selector = fs.FileSelector(self._base, recursive=True, allow_not_found=True)
        files = [info for info in self._filesystem.get_file_info(selector) if info.type == fs.FileType.File]
        return {info.path.removeprefix(f"{self._base}/"): info.size for info in files}

    def size_of(self, path: str) -> int:
        info = self._filesystem.get_file_info(f"{self._base}/{path}")
        if info.type != fs.FileType.File:
            raise FileNotFoundError(errno.ENOENT, "No such file", path)
        return int(info.size)

    def remove(self, path: str) -> None:
        self._filesystem.delete_file(f"{self._base}/{path}")

    def remove_folder(self, path: str) -> None:
        with suppress(FileNotFoundError):
            self._filesystem.delete_dir(f"{self._base}/{path}")

    def make_link(self, path: str, link: Link) -> None:
        """Such files have no links."""
