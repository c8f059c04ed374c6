"""A generated day as a stream: gathered every few minutes, as failures come."""

from collections import Counter
from dataclasses import dataclass, field

from messages_app.incidents.gathering.matching import Match, gather_incidents
from messages_app.incidents.gathering.records import Cell, Incident
from tests.messages_app.incidents.days import Day


@dataclass
class Stream:
    """
    The incidents of a day while it passes.

    Attributes:
        first_places: the incident of each cell and minute, a pass after it failed; None for none.
        merged: the incident into which the rule merged another one.
    """

    day: Day
    incidents: dict[int, Incident] = field(default_factory=dict)
    first_places: dict[tuple[Cell, int], int | None] = field(default_factory=dict)
    merged: dict[int, int] = field(default_factory=dict)
    next_id: int = 1

    def gather_until(self, now: int) -> dict[tuple[Cell, int], int]:
        """Gather at a minute, and return the incident of each cell and minute."""
        matches = gather_incidents(
            self.day.list_failures(now), self.day.make_traffic(now), list(self.incidents.values())
        )
        for match in matches:
            self._store_match(match)
        return {
            (member.cell, minute): match.incident_id
            for match in matches
            for member in match.cluster.members
            for minute in range(member.first, member.last + 1)
            if (member.cell, minute) in self.day.truths and match.incident_id is not None
        }

    def _store_match(self, match: Match) -> None:
        if match.incident_id is None:
            match.incident_id, self.next_id = self.next_id, self.next_id + 1
        for number in match.absorbed:
            self.incidents.pop(number, None)
            self.merged[number] = match.incident_id
        self.incidents[match.incident_id] = Incident(
            incident_id=match.incident_id, key=match.cluster.key, members=tuple(match.cluster.members)
        )

    def find_survivor(self, number: int | None) -> int | None:
        while number in self.merged:
            number = self.merged[number]
        return number


def measure_stability(day: Day, step: int = 3) -> Counter[str]:
    """
    Return how many failures of outages have the same incident at the end as a pass after they failed.

    Those of `moved` have another one, those of `late` had none at first.
    """
    stream = Stream(day)
    outages = {place: truths for place, truths in day.truths.items() if any(truths)}
    start = min(minute for _, minute in outages)
    for now in range(start, day.window.now + 1, step):
        places = stream.gather_until(now)
        for place in outages:
            if place[1] < now:
                stream.first_places.setdefault(place, places.get(place))
    places = stream.gather_until(day.window.now)
    counts = Counter[str]()
    for place, first in stream.first_places.items():
        last = places.get(place)
        name = "same" if stream.find_survivor(first) == last else "late" if first is None else "moved"
        counts[name] += outages[place].total() - outages[place][""]
    return counts
