"""A small hub with steady traffic, for tests of the rules of gathering."""

from collections import defaultdict
from collections.abc import Iterable

from messages_app.incidents.gathering.clusters import gather_clusters
from messages_app.incidents.gathering.records import Cell, Cluster, Minutes, Window
from messages_app.incidents.gathering.traffic import Traffic

NOW = 1440
WINDOW = Window(1, NOW)
REFUSED = "Connection refused by pay.example"
TIMED_OUT = "No answer in time"
BANK = "pay.example"


def make_cell(
    service: str = "billing",
    text: str = REFUSED,
    *,
    system: str = "",
    sender: str = "WEB",
    operation: str = "create",
) -> Cell:
    return Cell(service, operation, sender, system, "E1", text)


class SmallHub:
    """
    Failures by cell and minute, and traffic that is the same in every minute.

    Args:
        senders: messages of each sender in a minute, in each service.
    """

    def __init__(
        self, services: Iterable[str] = ("billing", "order", "stock"), senders: dict[str, int] | None = None
    ) -> None:
        self.failures: dict[Cell, Minutes] = defaultdict(dict)
        self.traffic = Traffic(WINDOW)
        for service in services:
            for sender, count in (senders or {"WEB": 10}).items():
                for minute in range(1, NOW + 1):
                    self.traffic.add_messages(service, sender, minute, count)

    def fail(self, cell: Cell, minutes: Iterable[int], count: int = 1) -> Cell:
        for minute in minutes:
            self.failures[cell][minute] = self.failures[cell].get(minute, 0) + count
        return cell

    def gather(self, **options) -> list[Cluster]:
        return gather_clusters(self.failures, self.traffic, **options)


def list_texts(cluster: Cluster) -> set[tuple[str, str]]:
    """Return the services and texts of a cluster."""
    return {(member.cell.service, member.cell.text) for member in cluster.members}
