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
from messages_app.messages.call_counts.selectors import Flow, read_durations, read_flows
from messages_app.shared.took_steps import Counts, find_percentile

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
class _Timed:
    """
    Calls with a colour.

    Args:
        durations: the steps of their durations with their calls.
    """

    tone: Tone
    durations: Counts = ()

    @property
    def p50_seconds(self) -> float | None:
        return find_percentile(self.durations, 0.5)

    @property
    def p95_seconds(self) -> float | None:
        return find_percentile(self.durations, 0.95)


@dataclass(frozen=True, kw_only=True)
class TimedFlow(_Timed):
    flow: Flow


@dataclass(frozen=True, kw_only=True)
class Node:
    """
    A service or a system of the picture, or all others together.

    Args:
        name: empty for all others.
        others: the number of the others.
        tone: the most urgent one of its flows.
        is_chosen: whether a shown flow ends at it, or all flows are shown.
    """

    name: str
    flow: int
    others: int = 0
    tone: Tone = Tone.QUIET
    is_chosen: bool = True


@dataclass(frozen=True, kw_only=True)
class Edge(_Timed):
    """
    The calls between two nodes of the picture; an empty name is that of all others.

    Its durations are known if it is one flow.
    """

    service: str
    system: str
    calls: int
    failed: int

    @property
    def failed_share(self) -> float:
        return self.failed / self.calls if self.calls else 0.0


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


def read_timed_flows(
    *,
    since: datetime,
    now: datetime,
    causes: Causes,
    known_since: datetime | None = None,
    service: str | None = None,
    system: str | None = None,
) -> list[TimedFlow]:
    """Return the flows as `read_flows` does, with their colours and durations."""
    flows = read_flows(
        since=since, lately=now - LATELY, known_since=known_since, service=service, system=system
    )
    durations = read_durations(since=since, service=service, system=system)
    return [
        TimedFlow(
            flow=flow,
            tone=choose_tone(flow, causes),
            durations=durations.get((flow.service_name, flow.external_system), ()),
        )
        for flow in flows
    ]


def choose_nodes(
    flows: Iterable[tuple[str, int, int]], *, chosen: str = "", most: int = MAX_NODES
) -> list[Node]:
    """
    Return the busiest names in the order of the alphabet, and the others as one node at the end.

    Neither the choice nor the order changes with the shown time, so a name is at the same place at the next
    visit.

    Args:
        flows: names with their calls of the shown time and those by which the busiest are chosen.
        chosen: a name that is shown even if it is not among the busiest.
    """
    totals: Counter[str] = Counter()
    weights: Counter[str] = Counter()
    for name, calls, known_calls in flows:
        totals[name] += calls
        weights[name] += known_calls
    ranked = sorted(weights, key=lambda name: (name != chosen, -weights[name], name))
    busiest = ranked if len(ranked) <= most else ranked[: most - 1]
    rest = ranked[len(busiest) :]
    nodes = [Node(name=name, flow=totals[name]) for name in sorted(busiest)]
    if rest:
        nodes.append(Node(name="", flow=sum(totals[name] for name in rest), others=len(rest)))
    return nodes


def join_edges(flows: Iterable[TimedFlow], services: Sequence[Node], systems: Sequence[Node]) -> list[Edge]:
    """Return the flows between the nodes; those of other services and systems are added up."""
    names = {node.name for node in services}, {node.name for node in systems}
    edges: dict[tuple[str, str], Edge] = {}
    for timed in flows:
        flow, tone = timed.flow, timed.tone
        service = flow.service_name if flow.service_name in names[0] else ""
        system = flow.external_system if flow.external_system in names[1] else ""
        before = edges.get((service, system))
        edges[service, system] = Edge(
            service=service,
            system=system,
            calls=flow.calls + (before.calls if before else 0),
            failed=flow.failed + (before.failed if before else 0),
            tone=max(tone, before.tone, key=_URGENCY.index) if before else tone,
            durations=timed.durations if service and system else (),
        )
    return list(edges.values())


def mark_nodes(
    nodes: Iterable[Node], ends: Iterable[tuple[str, Tone]], *, is_narrowed: bool = False
) -> list[Node]:
    """
    Return the nodes with the most urgent colour of the edges that end at them.

    Args:
        is_narrowed: whether the edges are only some of all.
    """
    tones: dict[str, Tone] = {}
    for name, tone in ends:
        tones[name] = max(tone, tones.get(name, tone), key=_URGENCY.index)
    return [
        replace(
            node,
            tone=tones.get(node.name, Tone.QUIET),
            is_chosen=not is_narrowed or node.name in tones,
        )
        for node in nodes
    ]
