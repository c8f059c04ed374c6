"""The functions by which incidents read the failures of a store, which they do not import."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from messages_app.core.statements import Statements

# Of the failing rows of a store, this many of the newest are compared.
_FENCE = 20_000


class OpenRows(NamedTuple):
    """
    The rows of an incident that need attention.

    Attributes:
        failing: rows that are failed at this moment.
        waiting: rows that are neither processed nor cancelled, including the failing ones.
    """

    failing: int = 0
    waiting: int = 0


class TrafficRow(NamedTuple):
    """Rows of a service and sender that ended in one minute (since 1970), failed or not."""

    service_name: str
    source_system: str
    minute: int
    messages: int


class PlacedRow(NamedTuple):
    """The incident of a row, and the time and the cell of its newest failure."""

    incident_id: int | None
    at: datetime
    cell_id: int | None


class NewItem(NamedTuple):
    """
    A failure of a store without counts of its own.

    Attributes:
        key: of the row.
        at: the time of its newest failure.
        weight: its number of failures.
    """

    key: str
    at: datetime
    service_name: str
    operation_name: str
    source_system: str
    error_code: str
    text: str
    weight: int = 1


@dataclass(frozen=True, kw_only=True)
class ItemSource:
    """
    Failures that the pass itself finds, counts and follows.

    Args:
        name: of the store, in `failure_cell`.
        read_new: takes a number, and returns up to as many failures that are newer than in `failure_item`.
        find_failing: returns the keys that are failing now, of these.
    """

    name: str
    read_new: Callable[[int], Sequence[NewItem]]
    find_failing: Callable[[Collection[str]], Collection[str]]


def make_item_source(name: str, statements: Statements, *, new: str, failing: str) -> ItemSource:
    """
    Return the source of failures that two statements of a store read.

    Args:
        new: returns the columns of NewItem of failures that are not counted yet.
        failing: returns those of the keys that are failing now.
    """

    def read_new(most: int) -> list[NewItem]:
        values = {"store": name, "fence": _FENCE, "most": most}
        return [NewItem(*row) for row in statements.fetch_rows(new, values)]

    def find_failing(keys: Collection[str]) -> list[str]:
        return statements.fetch_column(failing, {"keys": list(keys)})

    return ItemSource(name=name, read_new=read_new, find_failing=find_failing)


@dataclass(frozen=True, kw_only=True)
class MessageSource:
    """
    Failures that a pass of the store itself counts.

    Args:
        count_traffic: returns the traffic since a time.
        count_affected: returns for each of these incidents the number of its rows, up to a maximum.
        count_open: returns the open rows of these incidents. Incidents without any may be absent.
        place_rows: returns the incidents of rows by their numbers.
    """

    count_traffic: Callable[[datetime], Sequence[TrafficRow]]
    count_affected: Callable[[Collection[int], int], Mapping[int, int]]
    count_open: Callable[[Collection[int]], Mapping[int, OpenRows]]
    place_rows: Callable[[Collection[int]], Mapping[int, PlacedRow]]
