"""The storage of the Parquet archive and of exports, given by one address: a folder, or a bucket."""

import errno
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol

from spark_tasks.storage.faults import StillKept, StorageRefused
from spark_tasks.storage.folders import FolderFiles
from spark_tasks.storage.options import BucketOptions

_BUCKET = "s3://"


class Files(Protocol):
    """The files of one storage, by paths that do not lead outside."""

    def open_to_write(self, path: str) -> AbstractContextManager[BinaryIO]: ...

    def open_to_read(self, path: str) -> AbstractContextManager[BinaryIO]: ...

    def list_paths(self) -> list[str]: ...

    def remove(self, path: str) -> None: ...


@dataclass(frozen=True)
class Storage:
    """
    Args:
        uri: an absolute path, s3://bucket/prefix, or another address of pyarrow (file:, gs:, hdfs:).
        options: of a bucket.
    """

    uri: str
    options: BucketOptions = field(default_factory=BucketOptions)

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
        return self._open_files().list_paths()

    def remove(self, path: str) -> None:
        """Remove a file. Raises StillKept if a lock of the storage protects it."""
        self._open_files().remove(_path_inside(path))

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
        return _open_bucket(self) if self.uri.startswith(_BUCKET) else FolderFiles(self.uri)


def _open_bucket(storage: Storage) -> Files:
    try:
        # boto3 is an extra.
        from spark_tasks.storage.buckets import BucketFiles
    except ModuleNotFoundError as error:
        raise StorageRefused(f'{storage.uri} needs boto3: pip install "hubconsole[s3]".') from error
    return BucketFiles(storage.uri, storage.options)


def _path_inside(path: str) -> str:
    """Return a path of the storage; raise PermissionError if it leads outside."""
    if not path or path.startswith("/") or ".." in path.split("/") or "\0" in path:
        raise PermissionError(errno.EACCES, "Leads outside the archive", path)
    return path
