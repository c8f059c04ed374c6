"""Files that are moved to another storage while they are used: written to the new one, read from both."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import BinaryIO

from spark_tasks.storage.files import Files, Link


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
