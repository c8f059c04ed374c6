"""A generated day of a hub: traffic, failures by cell and minute, and the outage that each failure is of."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from messages_app.incidents.gathering.records import Cell, Minutes, Window
from messages_app.incidents.gathering.traffic import Traffic
from messages_app.shared.failure_texts import KnownFailures

DAY = 24 * 60
MIN_INSIDE, MAX_STRANGERS = 0.95, 0.02


@dataclass
class Day:
    """
    A day that ends now.

    Attributes:
        shape: the kind of its outages.
        truths: by cell and minute, the failures of each outage; '' is the background.
        messages: by service, sender and minute.
    """

    shape: str
    window: Window
    outages: tuple[str, ...]
    truths: dict[tuple[Cell, int], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    messages: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    causes: KnownFailures = field(default_factory=KnownFailures)

    def add_failure(
        self,
        minute: int,
        truth: str,
        *,
        service: str,
        operation: str,
        sender: str,
        system: str,
        code: str,
        text: str,
    ) -> None:
        """Count a failure, unless the message is still in a retry now."""
        if minute <= self.window.now:
            summary = self.causes.failure_of(service, operation, code, text).summary
            self.truths[Cell(service, operation, sender, system, code, summary), minute][truth] += 1

    def list_failures(self, until: int | None = None) -> dict[Cell, Minutes]:
        """Return the failures of each cell by minute, up to a minute."""
        failures: dict[Cell, Minutes] = defaultdict(dict)
        for (cell, minute), truths in self.truths.items():
            if until is None or minute <= until:
                failures[cell][minute] = truths.total()
        return failures

    def make_traffic(self, until: int | None = None) -> Traffic:
        """Return the traffic up to a minute."""
        now = self.window.now if until is None else until
        traffic = Traffic(Window(max(now - self.window.length + 1, self.window.start), now))
        for (service, sender, minute), count in self.messages.items():
            if minute <= now:
                traffic.add_messages(service, sender, minute, count)
        return traffic

    def count_failures(self) -> Counter[str]:
        """Return the failures of each outage."""
        return sum(self.truths.values(), Counter[str]())


@dataclass(frozen=True)
class Score:
    """How well an outage is one incident: its failures in its largest incident, and strangers there."""

    outage: str
    size: int
    inside: int
    strangers: int

    @property
    def is_right(self) -> bool:
        total = self.inside + self.strangers
        return self.inside >= MIN_INSIDE * self.size and self.strangers <= MAX_STRANGERS * total


def find_places(day: Day, clusters) -> dict[tuple[Cell, int], int]:
    """Return the number of the cluster of each cell and minute; at most one, or an error is raised."""
    members = defaultdict(list)
    for number, cluster in enumerate(clusters):
        for member in cluster.members:
            members[member.cell].append((number, member))
    places: dict[tuple[Cell, int], int] = {}
    for cell, minute in day.truths:
        numbers = {number for number, member in members.get(cell, ()) if member.has_minute(minute)}
        if len(numbers) > 1:
            raise AssertionError(f"{cell} at {minute} is in {len(numbers)} clusters")
        if numbers:
            places[cell, minute] = numbers.pop()
    return places


def score_day(day: Day, clusters) -> list[Score]:
    """Return the score of each outage."""
    places = find_places(day, clusters)
    sizes = day.count_failures()
    totals: Counter[int] = Counter()
    parts: dict[str, Counter[int]] = defaultdict(Counter)
    for place, number in places.items():
        totals[number] += day.truths[place].total()
        for truth, count in day.truths[place].items():
            parts[truth][number] += count
    scores = []
    for outage in day.outages:
        number, inside = parts[outage].most_common(1)[0] if parts[outage] else (-1, 0)
        scores.append(Score(outage, sizes[outage], inside, totals[number] - inside))
    return scores
