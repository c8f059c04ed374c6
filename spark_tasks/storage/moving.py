"""Files that are moved to another storage while they are used: written to the new one, read from both."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import BinaryIO

from spark_tasks.storage.files import Files


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

    def list_paths(self) -> list[str]:
        return sorted({*self._new.list_paths(), *self._former.list_paths()})

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

    def _open(self, path: str, stack: ExitStack) -> BinaryIO:
        # A file that is in neither was moved in between, or is missing.
        for files in (self._new, self._former):
            try:
                return stack.enter_context(files.open_to_read(path))
            except FileNotFoundError:
                continue
        return stack.enter_context(self._new.open_to_read(path))
