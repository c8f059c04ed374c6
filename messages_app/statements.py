"""Reads hand-written SQL, one statement a file, kept in a room's `sql` package. Imports nothing of Django."""

from collections.abc import Callable
from functools import cache
from importlib import resources


def reader(package: str) -> Callable[[str], str]:
    """Return a function that gives the statement of a name: the text of name.sql, with %(name)s arguments."""

    @cache
    def statement(name: str) -> str:
        return resources.files(package).joinpath(f"{name}.sql").read_text(encoding="utf-8")

    return statement
