"""
Readers and processors: the hub's own code for other kinds of data, and for steps after the writing.

A source definition names one of each.

Source: docs/contributing/spec/message_store.md, "Receiving" (message readers), "Processing" step 7.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Generic, TypeVar

from django.conf import settings

from messages_app.shared.store_states import Status


@dataclass(frozen=True, kw_only=True)
class Source:
    """
    The text that a reader reads.

    Args:
        identifier: of the message.
        data: the column, which may hold the data or say where they are.
        path: the message's file, inside the file store; None where it has none.
        options: of the message.
    """

    identifier: str
    data: str | None
    path: Path | None
    options: Mapping[str, object]


@dataclass(frozen=True, kw_only=True)
class Written:
    """
    The argument of a processor: the message and the records that it has written.

    Args:
        options: of the message: its sender decides what they say.
        records: (entity, key, data) of each, the message's own entity first.
        argument: the text after the processor's name and a colon in the definition, which administrators set.
    """

    identifier: str
    system: str
    entity: str
    options: Mapping[str, object]
    records: Sequence[tuple[str, str, Mapping[str, object]]]
    argument: str = ""


@dataclass(frozen=True)
class Ending:
    """
    The result with which a processor ends a message: an error of 20 or more, and its reason. The records stay
    written.
    """

    status: int
    message: str


def argument_of(name: str) -> str:
    """Return the argument that follows the name of a reader or processor and a colon."""
    return name.partition(":")[2]


Reader = Callable[[Source], Iterable[object]]
Processor = Callable[[Written], Ending | None]


class UnreadableData(Exception):
    """Raised by a reader if it cannot read the data. The message ends in 25."""


class UnknownExtension(Exception):
    """This process has no extension with this name."""


_Kept = TypeVar("_Kept", bound=Callable)


class Registry(Generic[_Kept]):
    """
    Callables by name; the modules of the setting MESSAGE_STORE_EXTENSIONS register theirs when imported.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._known: dict[str, _Kept] = {}
        self._checks: dict[str, Callable[[str], object]] = {}

    def register(
        self, name: str, *, check: Callable[[str], object] | None = None
    ) -> Callable[[_Kept], _Kept]:
        """
        Register under a name.

        Args:
            check: raises ValueError for an argument that may not follow the name; None: none may.

        Raises:
            ValueError: another has the name.
        """

        def register_one(one: _Kept) -> _Kept:
            if self._known.setdefault(name, one) is not one:
                raise ValueError(f"Another {self._what} is registered as {name!r}.")
            if check is not None:
                self._checks[name] = check
            return one

        return register_one

    def unregister(self, name: str) -> None:
        """Remove one, if it is registered."""
        self._known.pop(name, None)
        self._checks.pop(name, None)

    def problem_of(self, text: str) -> str:
        """Return in one sentence why a definition cannot use this name; empty if it can."""
        name, colon, argument = text.partition(":")
        if name not in self.list_names():
            names = ", ".join(self.list_names()) or "none"
            return f"There is no {self._what} with this name. Registered: {names}."
        if not colon:
            return ""
        if name not in self._checks:
            return f"The {self._what} {name} takes no argument after a colon."
        try:
            self._checks[name](argument)
        except ValueError as error:
            return str(error)
        return ""

    def list_names(self) -> list[str]:
        _import_modules()
        return sorted(self._known)

    def find(self, name: str) -> _Kept:
        """
        Return what has this name; an argument after a colon is not part of it.

        Raises:
            UnknownExtension: nothing has.
            ImportError: a module of the setting cannot be imported.
        """
        _import_modules()
        try:
            return self._known[name.partition(":")[0]]
        except KeyError:
            raise UnknownExtension(f"There is no {self._what} named {name!r}.") from None


readers: Registry[Reader] = Registry("reader")
processors: Registry[Processor] = Registry("processor")


def is_error(status: object) -> bool:
    """Return whether a processor may end a message with this status."""
    return isinstance(status, int) and not isinstance(status, bool) and status >= Status.GENERAL_ERROR


@cache
def _import_modules() -> None:
    """Import the hub's own modules. A failed import is repeated at the next call."""
    for name in settings.MESSAGE_STORE_EXTENSIONS:
        import_module(name)
