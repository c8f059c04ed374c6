"""
The storage of the Parquet archive and of exports, given by one address: a folder, or a bucket. While its
files are moved there from another one, they are read from both.
"""

import errno
import secrets
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from spark_tasks.storage.faults import StillKept, StorageRefused
from spark_tasks.storage.files import Files, Link
from spark_tasks.storage.folders import FolderFiles
from spark_tasks.storage.options import BucketOptions

_BUCKET = "s3://"


@dataclass(frozen=True)
class Storage:
    """
    Args:
        uri: an absolute path, s3://bucket/prefix, or another address of pyarrow (file:, gs:, hdfs:).
        options: of a bucket.
        former: the address that the files are moved from; empty: they are not moved. It has the same options.
    """

    uri: str
    options: BucketOptions = field(default_factory=BucketOptions)
    former: str = ""

    @contextmanager
    def open_to_write(self, path: str) -> Iterator[BinaryIO]:
        """
        Yield a file to write. It is complete at `path` when the block ends, and absent if the block raises.

        Raises:
            psycopg.errors.DiskFull: the disk is full. The database's error is reused because the remedy is
                the same.
            StorageFault, OSError: it could not be written.
        """
        with self._open_files().open_to_write(_path_inside(path)) as file:
            yield file

    @contextmanager
    def open_to_read(self, path: str) -> Iterator[BinaryIO]:
        """
        Yield a file to read.

        Raises:
            FileNotFoundError: it does not exist.
            StorageFault, OSError: it cannot be read, or is outside the storage.
        """
        with self._open_files().open_to_read(_path_inside(path)) as file:
            yield file

    def list_paths(self) -> list[str]:
        """Return the paths of all files. Those of incomplete ones end with `.tmp`."""
        return list(self.list_sizes())

    def list_sizes(self) -> dict[str, int]:
        """Return the bytes of all files, by path."""
        return self._open_files().list_sizes()

    def size_of(self, path: str) -> int:
        """Return the bytes of a file. Raises FileNotFoundError."""
        return self._open_files().size_of(_path_inside(path))

    def make_link(self, path: str, link: Link) -> str:
        """Return a link to a file in a bucket. Raises StorageRefused for other storages."""
        address = self._open_files().make_link(_path_inside(path), link)
        if address is None:
            raise StorageRefused(f"{self.uri} has no links to its files.")
        return address

    def remove(self, path: str) -> None:
        """Remove a file. Raises StillKept if a lock of the storage protects it."""
        self._open_files().remove(_path_inside(path))

    def is_same_place(self, other: "Storage") -> bool:
        """Whether a file that is written here is found there, whatever the addresses look like."""
        path, body = f"place-{secrets.token_hex(8)}", secrets.token_bytes(16)
        with self.open_to_write(path) as file:
            file.write(body)
        try:
            with other.open_to_read(path) as file:
                return file.read() == body
        except FileNotFoundError:
            return False
        finally:
            self.remove(path)

    def remove_folder(self, path: str) -> None:
        """Remove all files below a path, if there are any. Raises StillKept."""
        self._open_files().remove_folder(_path_inside(path))

    def find_local(self, path: str) -> Path | None:
        """Return the path of a file on this machine; None if it is elsewhere."""
        return None if "://" in self.uri else Path(self.uri, _path_inside(path))

    def remove_each(self, paths: Iterable[str]) -> dict[str, str]:
        """Remove files; return the reasons why files stay that a lock of the storage protects, by path."""
        reasons = {}
        for path in paths:
            try:
                self.remove(path)
            except StillKept as error:
                reasons[path] = str(error)
        return reasons

    def _open_files(self) -> Files:
        new = _open_address(self.uri, self.options)
        return MovingFiles(new=new, former=_open_address(self.former, self.options)) if self.former else new


def _open_address(uri: str, options: BucketOptions) -> Files:
    if "://" not in uri:
        return FolderFiles(uri)
    # Imported here, because Arrow costs 40 MB, and boto3 is an extra.
    if not uri.startswith(_BUCKET):
        from spark_tasks.storage.elsewhere import ArrowFiles

        return ArrowFiles(uri)
    try:
        from spark_tasks.storage.buckets import BucketFiles
    except ModuleNotFoundError as error:
        raise StorageRefused(f'{uri} needs boto3: pip install "hubconsole[s3]".') from error
    return BucketFiles(uri, options)


def _path_inside(path: str) -> str:
    """Return a path of the storage; raise PermissionError if it leads outside."""
    if not path or path.startswith("/") or ".." in path.split("/") or "\0" in path:
        raise PermissionError(errno.EACCES, "Leads outside the archive", path)
    return path


class MovingFiles:
    """The files of a new storage, and those of a former one that were not moved yet."""

    def __init__(self, *, new: Files, former: Files) -> None:
        self._new, self._former = new, former

    def open_to_write(self, path: str) -> AbstractContextManager[BinaryIO]:
        return self._new.open_to_write(path)

    @contextmanager
    def open_to_read(self, path: str) -> Iterator[BinaryIO]:
        with ExitStack() as stack:
            yield self._open(path, stack)

    def list_sizes(self) -> dict[str, int]:
        return self._former.list_sizes() | self._new.list_sizes()

    def size_of(self, path: str) -> int:
        try:
            return self._new.size_of(path)
        except FileNotFoundError:
            return self._former.size_of(path)

    def make_link(self, path: str, link: Link) -> str | None:
        return self._new.make_link(path, link)

    def remove(self, path: str) -> None:
        """Remove the file from both storages. Raises FileNotFoundError if neither has it."""
        missing = []
        for files in (self._new, self._former):
            try:
                files.remove(path)
            except FileNotFoundError as error:
                missing.append(error)
        if len(missing) == 2:
            raise missing[0]

    def remove_folder(self, path: str) -> None:
        self._new.remove_folder(path)
        self._former.remove_folder(path)

    def _open(self, path: str, stack: ExitStack) -> BinaryIO:
        # A file that is in neither was moved in between, or is missing.
        for files in (self._new, self._former):
            try:
                return stack.enter_context(files.open_to_read(path))
            except FileNotFoundError:
                continue
        return stack.enter_context(self._new.open_to_read(path))
