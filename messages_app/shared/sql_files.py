"""Loads hand-written SQL, one statement a file. Imports nothing of Django: executors use it."""

from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class SqlFiles:
    """
    The statements in the folder `sql` of one package. A class, no closure: Spark ships it with its functions.

    Attributes:
        package: the dotted name of the package.
    """

    package: str

    def text(self, name: str) -> str:
        """Return the text of sql/<name>.sql, with %(name)s arguments."""
        return _read(self.package, name)


@cache
def _read(package: str, name: str) -> str:
    return resources.files(package).joinpath("sql", f"{name}.sql").read_text(encoding="utf-8")
