"""Reads hand-written SQL, one statement a file, kept in a room's `sql` package. Imports nothing of Django."""

from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class Statements:
    """The statements of one package. A class, no closure: Spark ships it with the functions that use it."""

    package: str

    def __call__(self, name: str) -> str:
        """Return the statement of this name: the text of name.sql, with %(name)s arguments."""
        return _read(self.package, name)


@cache
def _read(package: str, name: str) -> str:
    return resources.files(package).joinpath(f"{name}.sql").read_text(encoding="utf-8")
