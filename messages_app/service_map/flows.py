"""
The flows between services and external systems, with what they need from a person.

Source: docs/how_it_works/calls.md, "The map".
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from messages_app.incidents.listing import IncidentLine
from messages_app.messages.call_counts.selectors import Flow

# Failures of the last minutes: the system fails now.
LATELY = timedelta(minutes=15)
# A smaller share of failed calls is usual.
NOTABLE_SHARE = 0.01
# The nodes at each side of the picture; the others are one node.
MAX_NODES = 12


class Tone(StrEnum):
    """The colour of a flow: `data-state` in static/css/tokens.css."""

    ALARM = "failed"
    NOTABLE = "paused"
    QUIET = "skipped"


_URGENCY = list(reversed(Tone))


@dataclass(frozen=True, kw_only=True)
class Window:
    """
    A time of the map, which ends now.

    Args:
        words: its name on the page.
    """

    words: str
    length: timedelta

    def find_start(self, now: datetime) -> datetime:
        """Return its start: counts are by minute for the last hour only, and otherwise by hour."""
        if self.length > timedelta(hours=1):
            now = now.replace(minute=0)
        return now.replace(second=0, microsecond=0) - self.length


WINDOWS = {
    "1h": Window(words="1 h", length=timedelta(hours=1)),
    "24h": Window(words="24 h", length=timedelta(hours=24)),
    "7d": Window(words="7 d", length=timedelta(days=7)),
}
DEFAULT_WINDOW = "24h"


@dataclass(frozen=True, kw_only=True)
class Node:
    """
    A service or a system of the picture, or all others together.

    Args:
        name: empty for all others.
        others: the number of the others.
        tone: the most urgent one of its flows.
    """

    name: str
    flow: int
    others: int = 0
    tone: Tone = Tone.QUIET


@dataclass(frozen=True, kw_only=True)
class Edge:
    """The calls between two nodes of the picture; an empty name is that of all others."""

    service: str
    system: str
    calls: int
    failed: int
    tone: Tone


@dataclass(frozen=True, kw_only=True)
class Causes:
    """The pairs of service and system in open incidents: with an owner, and failing without an owner."""

    owned: frozenset[tuple[str, str]] = frozenset()
    unowned: frozenset[tuple[str, str]] = frozenset()


def find_causes(lines: Iterable[IncidentLine]) -> Causes:
    """Return the pairs in open incidents."""
    owned, unowned = set(), set()
    for line in lines:
        pairs = {(service, line.incident.external_system) for service in line.incident.services}
        if line.incident.owner:
            owned |= pairs
        elif line.failing_now:
            unowned |= pairs
    return Causes(owned=frozenset(owned), unowned=frozenset(unowned))


def choose_tone(flow: Flow, causes: Causes) -> Tone:
    """Return the colour of a flow: red only if it fails now and no one owns the incident."""
    pair = (flow.service_name, flow.external_system)
    is_notable = flow.failed_share >= NOTABLE_SHARE
    if pair in causes.unowned or (is_notable and flow.failed_lately and pair not in causes.owned):
        return Tone.ALARM
    return Tone.NOTABLE if is_notable else Tone.QUIET


def choose_nodes(flows: Iterable[tuple[str, int]], *, most: int = MAX_NODES) -> list[Node]:
    """
    Return the busiest names in the order of the alphabet, and the others as one node at the end.

    The order does not change with the traffic, so a name is at the same place at the next visit.
    """
    totals: Counter[str] = Counter()
    for name, calls in flows:
        totals[name] += calls
    ranked = sorted(totals.items(), key=lambda each: (-each[1], each[0]))
    busiest = ranked if len(ranked) <= most else ranked[: most - 1]
    rest = ranked[len(busiest) :]
    nodes = [Node(name=name, flow=flow) for name, flow in sorted(busiest)]
    if rest:
        nodes.append(Node(name="", flow=sum(flow for _, flow in rest), others=len(rest)))
    return nodes


def join_edges(
    flows: Iterable[Flow],
    services: Sequence[Node],
    systems: Sequence[Node],
    causes: Causes,
) -> list[Edge]:
    """Return the flows between the nodes; those of other services and systems are added up."""
    names = {node.name for node in services}, {node.name for node in systems}
    edges: dict[tuple[str, str], Edge] = {}
    for flow in flows:
        service = flow.service_name if flow.service_name in names[0] else ""
        system = flow.external_system if flow.external_system in names[1] else ""
        tone = choose_tone(flow, causes)
        before = edges.get((service, system))
        edges[service, system] = Edge(
            service=service,
            system=system,
            calls=flow.calls + (before.calls if before else 0),
            failed=flow.failed + (before.failed if before else 0),
            tone=max(tone, before.tone, key=_URGENCY.index) if before else tone,
        )
    return list(edges.values())


def mark_nodes(nodes: Iterable[Node], ends: Iterable[tuple[str, Tone]]) -> list[Node]:
    """Return the nodes with the most urgent colour of the edges that end at them."""
    tones: dict[str, Tone] = {}
    for name, tone in ends:
        tones[name] = max(tone, tones.get(name, tone), key=_URGENCY.index)
    return [replace(node, tone=tones.get(node.name, Tone.QUIET)) for node in nodes]
