"""Loads hand-written SQL, one statement per file. Imports no Django code, because executors use it."""

from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class SqlFiles:
    """
    The statements in the folder `sql` of one package. It is a class instead of a closure, because Spark ships
    it with functions.

    Attributes:
        package: the dotted name of the package.
    """

    package: str

    def read_text(self, name: str) -> str:
        """Return the text of sql/<name>.sql. Its arguments have the form %(name)s."""
        return _read_sql(self.package, name)


@cache
def _read_sql(package: str, name: str) -> str:
    return resources.files(package).joinpath("sql", f"{name}.sql").read_text(encoding="utf-8")
