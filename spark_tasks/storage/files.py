"""The interface of a storage to its files."""

from contextlib import AbstractContextManager
from typing import BinaryIO, Protocol


class Files(Protocol):
    """The files of one storage, by paths that do not lead outside. See addresses.Storage."""

    def open_to_write(self, path: str) -> AbstractContextManager[BinaryIO]: ...

    def open_to_read(self, path: str) -> AbstractContextManager[BinaryIO]: ...

    def list_paths(self) -> list[str]: ...

    def remove(self, path: str) -> None: ...
