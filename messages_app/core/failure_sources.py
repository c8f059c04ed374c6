"""The functions by which incidents read the failures of a store, which they do not import."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple


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


@dataclass(frozen=True, kw_only=True)
class FailureSource:
    """
    The failures of a store.

    Args:
        count_traffic: returns the traffic since a time.
        count_affected: returns for each of these incidents the number of its rows. More than `most` are
            counted as `most`.
        count_open: returns the open rows of these incidents. Incidents without any may be absent.
        place_rows: returns the incidents of rows by their numbers; None: its rows have no numbers.
        count_new: counts failures that are not counted yet, in a transaction of its own, and returns their
            number; None: another task of the store does it.
    """

    count_affected: Callable[[Collection[int], int], Mapping[int, int]]
    count_open: Callable[[Collection[int]], Mapping[int, OpenRows]]
    count_traffic: Callable[[datetime], Sequence[TrafficRow]] | None = None
    place_rows: Callable[[Collection[int]], Mapping[int, PlacedRow]] | None = None
    count_new: Callable[[], int] | None = None
