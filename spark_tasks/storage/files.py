"""The interface of a storage to its files."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import BinaryIO, Protocol


@dataclass(frozen=True, kw_only=True)
class Link:
    """
    A link to a file, for a reader without credentials.

    Args:
        name, content_type: of the download.
        seconds: after which it ends.
    """

    name: str
    content_type: str
    seconds: int


class Files(Protocol):
    """The files of one storage, by paths that do not lead outside. See addresses.Storage."""

    def open_to_write(self, path: str) -> AbstractContextManager[BinaryIO]: ...

    def open_to_read(self, path: str) -> AbstractContextManager[BinaryIO]: ...

    def list_sizes(self) -> dict[str, int]: ...

    def size_of(self, path: str) -> int: ...

    def remove(self, path: str) -> None: ...

    def remove_folder(self, path: str) -> None: ...

    def make_link(self, path: str, link: Link) -> str | None: ...
