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


# The assignment of the time in a restart, so that the hub takes the message up some time later.
# The argument "zone" is the time zone of an attached hub.
_OWN = "last_process_timestamp = clock_timestamp()"
# A view cannot write to last_process_timestamp, which it computes from this column of the hub.
_OF_HUB = "hub_last_update = timezone(%(zone)s, clock_timestamp())"


def with_restart_time(text: str, *, zone: str | None) -> str:
    """
    Return a statement with its {stamp} replaced by the assignment of the time.

    Args:
        zone: the time zone of an attached hub; None for the console's own tables.
    """
    return text.replace("{stamp}", _OF_HUB if zone else _OWN)
