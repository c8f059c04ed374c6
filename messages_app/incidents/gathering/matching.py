"""
Matching of clusters to present incidents, and the decisions of people.

An incident keeps its number while its failures come, so pages and notes stay with it.
Source: docs/how_it_works/incidents.md, "Stable numbers".
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from messages_app.incidents.gathering.bursts import add_minutes, count_within
from messages_app.incidents.gathering.clusters import OPENING, count_clusters, gather_clusters
from messages_app.incidents.gathering.lifecycle import QUIET, may_reopen
from messages_app.incidents.gathering.pools import find_family
from messages_app.incidents.gathering.records import (
    Cell,
    Cluster,
    Decisions,
    Failures,
    Incident,
    Key,
    Member,
    Reason,
    Strength,
    Window,
)
from messages_app.incidents.gathering.traffic import Traffic
from messages_app.shared.error_causes import Kind
from messages_app.shared.error_kinds import find_kind

# A cluster is an incident if it has this share of the failures of either.
MIN_SHARE = 0.5
# An incident that began before these first minutes of the window may fill it.
MAX_BEGIN = 240


@dataclass(kw_only=True)
class Match:
    """
    The present failures of an incident.

    Attributes:
        incident_id: None for an incident to open.
        absorbed: incidents that the rule merges into this one, which is older.
    """

    incident_id: int | None
    cluster: Cluster
    absorbed: tuple[int, ...] = ()


def gather_incidents(
    failures: Failures,
    traffic: Traffic,
    incidents: Sequence[Incident] = (),
    decisions: Decisions | None = None,
    *,
    opening: int = OPENING,
) -> list[Match]:
    """
    Return the present failures of each incident within a window.

    An incident that is not in the answer stays as it is: its failures are older than the window, or too few.

    Args:
        opening: the lowest number of failures of an incident.
    """
    decisions = decisions or Decisions()
    clusters = gather_clusters(failures, traffic, opening=opening)
    matches = match_clusters(clusters, incidents, decisions, failures)
    matches += _continue_incidents(matches, incidents, decisions, failures, traffic.window, opening)
    return apply_decisions(matches, incidents, decisions, failures)


def match_clusters(
    clusters: Sequence[Cluster], incidents: Sequence[Incident], decisions: Decisions, failures: Failures
) -> list[Match]:
    """Return the clusters with their incidents; the older number remains where several are one."""
    claims: dict[int, dict[int, int]] = defaultdict(dict)
    for incident_id, (number, shared) in _find_overlaps(clusters, incidents, failures).items():
        survivor = decisions.find_survivor(incident_id)
        claims[number][survivor] = claims[number].get(survivor, 0) + shared
    matches: list[Match] = []
    for number, cluster in enumerate(clusters):
        largest_first = sorted(claims[number], key=lambda one: (-claims[number][one], one))
        numbers = sorted(_drop_apart(largest_first, decisions))
        oldest = numbers[0] if numbers else _find_reopened(cluster, incidents, decisions)
        matches.append(Match(incident_id=oldest, cluster=cluster, absorbed=tuple(numbers[1:])))
    return _join_matches(matches)


def _find_overlaps(
    clusters: Sequence[Cluster], incidents: Iterable[Incident], failures: Failures
) -> dict[int, tuple[int, int]]:
    """Return for each incident the number of the cluster with most of its failures, and their count."""
    members: dict[Cell, list[tuple[int, Member]]] = defaultdict(list)
    for number, cluster in enumerate(clusters):
        for member in cluster.members:
            members[member.cell].append((number, member))
    overlaps = {}
    for incident in incidents:
        size = 0
        shared = Counter[int]()
        for member in incident.members:
            for minute, count in failures.get(member.cell, {}).items():
                if member.has_minute(minute):
                    size += count
                    # The cells that people placed do not say where others belong.
                    others = members.get(member.cell, ()) if member.reason is not Reason.PERSON else ()
                    for number, other in others:
                        if other.has_minute(minute):
                            shared[number] += count
        if shared:
            number, count = min(shared.items(), key=lambda row: (-row[1], row[0]))
            if count >= MIN_SHARE * min(size, clusters[number].count):
                overlaps[incident.incident_id] = number, count
    return overlaps


def _drop_apart(incident_ids: Iterable[int], decisions: Decisions) -> list[int]:
    """Return incidents, except the ones that people split from an earlier one in the list."""
    rest: list[int] = []
    for incident_id in incident_ids:
        if not any(decisions.is_apart(incident_id, other) for other in rest):
            rest.append(incident_id)
    return rest


def _find_reopened(cluster: Cluster, incidents: Iterable[Incident], decisions: Decisions) -> int | None:
    """Return the oldest incident with the same cause that is open or ended less than a day before."""
    same = [
        decisions.find_survivor(incident.incident_id)
        for incident in incidents
        if incident.key == cluster.key
        and (incident.ended is None or may_reopen(incident.ended, cluster.first))
        and _has_same_cause(cluster.key, cluster.members, incident.members)
    ]
    return min(same, default=None)


def _has_same_cause(key: Key, one: Iterable[Member], other: Iterable[Member]) -> bool:
    """
    Whether failures with one key, at different times, have one cause.

    Those of a system do if they share a text, or if both have texts of infrastructure; others if a service
    has a text in both.
    """
    if not key.system:
        return not _list_texts(one).isdisjoint(_list_texts(other))
    families, others = ({find_family(member.cell.text) for member in some} for some in (one, other))
    return not families.isdisjoint(others) or (_has_infrastructure(one) and _has_infrastructure(other))


def _list_texts(members: Iterable[Member]) -> set[tuple[str, str]]:
    return {(member.cell.service, member.cell.text) for member in members}


def _has_infrastructure(members: Iterable[Member]) -> bool:
    return any(find_kind(member.cell.text) is Kind.INFRASTRUCTURE for member in members)


def _join_matches(matches: Iterable[Match]) -> list[Match]:
    """Join clusters of one incident, and new clusters of one system and cause that follow each other."""
    joined: list[Match] = []
    for match in matches:
        present = next((one for one in joined if _is_one_incident(one, match)), None)
        if present is None:
            joined.append(match)
        else:
            present.cluster = join_clusters(present.cluster, match.cluster)
            present.absorbed = tuple(sorted({*present.absorbed, *match.absorbed}))
    return joined


def _is_one_incident(one: Match, other: Match) -> bool:
    if one.incident_id != other.incident_id or one.incident_id is not None:
        return one.incident_id == other.incident_id
    key = one.cluster.key
    return (
        bool(key.system)
        and key == other.cluster.key
        and _has_same_cause(key, one.cluster.members, other.cluster.members)
    )


def join_clusters(one: Cluster, other: Cluster) -> Cluster:
    """Return two clusters as one; its key is that of the larger one."""
    large = one if one.count >= other.count else other
    return Cluster(
        key=large.key,
        members=[*one.members, *other.members],
        count=one.count + other.count,
        first=min(one.first, other.first),
        last=max(one.last, other.last),
    )


def _continue_incidents(
    matches: Sequence[Match],
    incidents: Iterable[Incident],
    decisions: Decisions,
    failures: Failures,
    window: Window,
    opening: int,
) -> list[Match]:
    """Return open incidents that continue and fill the window, so that no background is seen."""
    present = {match.incident_id for match in matches} | {one for match in matches for one in match.absorbed}
    cells = {member.cell for match in matches for member in match.cluster.members}
    continued = []
    for incident in incidents:
        number = decisions.find_survivor(incident.incident_id)
        members = [
            member._replace(last=window.now)
            for member in incident.members
            if member.cell not in cells and member.first <= window.start + MAX_BEGIN
        ]
        if incident.ended is None and number == incident.incident_id and number not in present and members:
            series = add_minutes(failures.get(member.cell, {}) for member in members)
            count = count_within(series, window.now - QUIET, window.now)
            mean = sum(series.values()) / window.length
            if count >= max(opening, MIN_SHARE * mean * QUIET):
                continued.append(
                    Match(incident_id=number, cluster=Cluster(key=incident.key, members=members))
                )
    return continued


def apply_decisions(
    matches: Iterable[Match], incidents: Iterable[Incident], decisions: Decisions, failures: Failures
) -> list[Match]:
    """Move the cells that people placed; what is left without failures is dropped."""
    by_id = {incident.incident_id: incident for incident in incidents}
    belongs = {cell: decisions.find_survivor(one) for cell, one in decisions.belongs.items()}
    never = {(cell, decisions.find_survivor(one)) for cell, one in decisions.never}
    rest = [*matches]
    for match in rest:
        match.cluster.members = [
            member
            for member in match.cluster.members
            if member.cell not in belongs and (member.cell, match.incident_id) not in never
        ]
    for survivor in sorted(set(belongs.values())):
        match_of = next((match for match in rest if match.incident_id == survivor), None)
        if match_of is None:
            key = by_id[survivor].key if survivor in by_id else Key()
            match_of = Match(incident_id=survivor, cluster=Cluster(key=key, members=[]))
            rest.append(match_of)
        cells = [cell for cell, incident_id in belongs.items() if incident_id == survivor]
        match_of.cluster.members += _pin_cells(cells, by_id.get(survivor), failures)
    counted = {id(cluster) for cluster in count_clusters([match.cluster for match in rest], failures)}
    return [match for match in rest if id(match.cluster) in counted]


def _pin_cells(
    cells: Iterable[Cell], incident: Incident | None, failures: Mapping[Cell, Mapping[int, int]]
) -> list[Member]:
    """Return members for all failures of cells since the incident began."""
    start = min((member.first for member in incident.members), default=0) if incident else 0
    return [
        Member(cell, start, max(failures[cell]), Reason.PERSON, Strength.HIGH)
        for cell in cells
        if failures.get(cell)
    ]
