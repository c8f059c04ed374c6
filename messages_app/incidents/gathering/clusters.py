"""
Gathering: from the failures of a window to clusters, each with one cause.

Source: docs/how_it_works/incidents.md, "Rule".
"""

from collections import Counter
from collections.abc import Iterable

from messages_app.incidents.gathering.bursts import count_within
from messages_app.incidents.gathering.chances import log_poisson_tail
from messages_app.incidents.gathering.links import link_strands
from messages_app.incidents.gathering.placement import place_strands
from messages_app.incidents.gathering.pools import Pool, make_pools, measure_excess
from messages_app.incidents.gathering.records import (
    Cell,
    Cluster,
    Failures,
    Key,
    Member,
    Reason,
    Strength,
)
from messages_app.incidents.gathering.strands import MAX_DELAY, Strand, find_strands, name_senders
from messages_app.incidents.gathering.systems import (
    MAX_LOG_CHANCE_TO_OPEN,
    MIN_PURITY,
    Outage,
    find_outages,
    join_outages,
)
from messages_app.incidents.gathering.traffic import Traffic
from messages_app.shared.error_causes import Kind

# The setting for the number of failures that open an incident.
OPENING = 5
# Of the failures of a cluster, for more of the same text to belong to it.
MIN_SHARE_OF_FAMILY = 0.1
HIGH_PURITY, MEDIUM_PURITY = 0.95, 0.8
_ORDER = {
    Reason.SENDER: 0,
    Reason.SYSTEM: 1,
    Reason.SYSTEM_BY_TIME: 2,
    Reason.TEXT: 3,
    Reason.SERVICE: 4,
    Reason.NEW_TEXT: 5,
}


def gather_clusters(failures: Failures, traffic: Traffic, *, opening: int = OPENING) -> list[Cluster]:
    """
    Return the clusters of a window; a failure belongs to at most one of them.

    Args:
        opening: the lowest number of failures of a cluster.
    """
    traffic.set_failures(failures)
    pools = make_pools(failures, traffic)
    strands = find_strands(pools)
    name_senders(strands, traffic)
    by_sender = {strand.pool for strand in strands if strand.sender}
    candidates = [
        pool
        for pool in pools
        if pool.system and pool.kind in (Kind.INFRASTRUCTURE, Kind.UNKNOWN) and pool not in by_sender
    ]
    outages = find_outages(candidates, traffic, opening)
    covered = {(pool, outage) for outage in outages for pool in outage.parts}
    of_outages: dict[Pool, list[Outage]] = {}
    for pool, outage in covered:
        of_outages.setdefault(pool, []).append(outage)
    rest = [
        strand
        for strand in strands
        if not any(o.first <= strand.last and o.last >= strand.first for o in of_outages.get(strand.pool, ()))
    ]
    groups = [
        group
        for group in place_strands(link_strands(rest), outages)
        if sum(strand.count for strand in group) >= opening and _is_certain(group)
    ]
    busy = {strand.pool for group in groups for strand in group} | set(of_outages)
    busy |= {strand.pool for outage in outages for strand in outage.strands}
    free = [pool for pool in pools if pool not in busy]
    clusters = [_make_cluster(group, free) for group in groups]
    clusters += [_make_system_cluster(group, free) for group in join_outages(outages)]
    return count_clusters(separate_members(clusters), failures)


def _make_system_cluster(outages: list[Outage], free: Iterable[Pool]) -> Cluster:
    members = [member for outage in outages for member in _make_members(outage, free)]
    key = Key(system=outages[0].system) if len(outages) == 1 else Key(text=outages[0].family)
    return Cluster(key=key, members=members)


def _make_members(outage: Outage, free: Iterable[Pool]) -> list[Member]:
    members = [
        Member(cell, outage.first, outage.last, Reason.SYSTEM, find_strength(purity))
        for pool, purity in outage.parts.items()
        for cell in pool.cells
    ]
    members += [
        Member(
            cell,
            max(strand.burst.first, outage.first - MAX_DELAY),
            min(strand.burst.last, outage.last + MAX_DELAY),
            Reason.SYSTEM_BY_TIME,
            Strength.MEDIUM,
        )
        for strand in outage.strands
        for cell in strand.cells
    ]
    if outage.strands:
        members += _find_tails(outage.strands, free, outage.first, outage.last)
    return members


def _make_cluster(strands: list[Strand], pools: Iterable[Pool]) -> Cluster:
    sender = strands[0].sender
    families = Counter[str]()
    for strand in strands:
        families[strand.pool.family] += strand.count
    services = {strand.service for strand in strands}
    reason = Reason.SENDER if sender else Reason.TEXT if len(services) > 1 else Reason.SERVICE
    members = [
        Member(cell, strand.burst.first, strand.burst.last, reason, find_strength(_find_purity(strand)))
        for strand in strands
        for cell in strand.cells
    ]
    first, last = min(strand.first for strand in strands), max(strand.last for strand in strands)
    members += _find_tails(strands, pools, first, last)
    has_one_text = len(families) == 1 or (len(services) > 1 and not sender)
    key = Key(
        service=next(iter(services)) if len(services) == 1 else "",
        sender=sender,
        text=families.most_common(1)[0][0] if has_one_text else "",
    )
    return Cluster(key=key, members=members)


def _is_certain(strands: list[Strand]) -> bool:
    """Whether the bursts of strands are together too unlikely for a background that is only random."""
    chances = {
        (strand.service, strand.burst): log_poisson_tail(strand.burst.count, strand.burst.expected)
        for strand in strands
    }
    return sum(chances.values()) <= MAX_LOG_CHANCE_TO_OPEN


def _find_purity(strand: Strand) -> float:
    return measure_excess([strand.pool], strand.burst.first, strand.burst.last).purity


def _find_tails(strands: list[Strand], pools: Iterable[Pool], first: int, last: int) -> list[Member]:
    """
    Return members with too few failures for a burst.

    They have the same text in another service, or are new errors of the sender or of the same services.
    """
    sender = strands[0].sender
    counts = Counter[str]()
    for strand in strands:
        counts[strand.pool.family] += strand.count
    families = {family for family, count in counts.items() if count >= MIN_SHARE_OF_FAMILY * counts.total()}
    services = {strand.service for strand in strands}
    systems = {strand.pool.system for strand in strands}
    members = []
    for pool in pools:
        is_recent = pool.is_new and first - 1 <= pool.start <= last
        if sender:
            is_near = pool.kind is not Kind.INFRASTRUCTURE and (
                pool.family in families or (pool.kind is Kind.DATA and is_recent and pool.service in services)
            )
        else:
            is_new = (
                is_recent and pool.kind in (Kind.UNKNOWN, Kind.INFRASTRUCTURE) and pool.service in services
            )
            is_near = len(services) > 1 and pool.system in systems and (pool.family in families or is_new)
        if not is_near:
            continue
        excess = measure_excess([pool], first, last)
        if excess.purity < MIN_PURITY:
            continue
        reason = Reason.SENDER if sender else Reason.TEXT
        members += [
            Member(cell, first, last, reason, find_strength(excess.purity))
            for cell, minutes in pool.cells.items()
            if sender in ("", cell.sender) and count_within(minutes, first, last)
        ]
    return members


def find_strength(purity: float) -> Strength:
    """Return the strength of a membership from its purity."""
    if purity >= HIGH_PURITY:
        return Strength.HIGH
    return Strength.MEDIUM if purity >= MEDIUM_PURITY else Strength.LOW


def separate_members(clusters: list[Cluster]) -> list[Cluster]:
    """Give each failure to one cluster: the one with the more telling reason keeps the shared minutes."""
    claims: dict[Cell, list[tuple[int, int, Member]]] = {}
    for number, cluster in enumerate(clusters):
        for member in cluster.members:
            claims.setdefault(member.cell, []).append((_ORDER.get(member.reason, -1), number, member))
        cluster.members = []
    for rows in claims.values():
        taken_ranges: list[tuple[int, int]] = []
        for _, number, member in sorted(rows, key=lambda row: row[0]):
            for first, last in _subtract_ranges(member.first, member.last, taken_ranges):
                clusters[number].members.append(member._replace(first=first, last=last))
            taken_ranges.append((member.first, member.last))
    return [cluster for cluster in clusters if cluster.members]


def _subtract_ranges(first: int, last: int, others: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    parts = [(first, last)]
    for start, stop in others:
        parts = [
            part
            for low, high in parts
            for part in ((low, min(high, start - 1)), (max(low, stop + 1), high))
            if part[0] <= part[1]
        ]
    return parts


def count_clusters(clusters: list[Cluster], failures: Failures) -> list[Cluster]:
    """Set the counts and times of clusters; drop members and clusters without failures."""
    for cluster in clusters:
        cluster.count, times, members = 0, [], []
        for member in cluster.members:
            minutes = [m for m in failures.get(member.cell, {}) if member.has_minute(m)]
            if minutes:
                cluster.count += sum(failures[member.cell][m] for m in minutes)
                times += [min(minutes), max(minutes)]
                members.append(member)
        cluster.members = members
        if times:
            cluster.first, cluster.last = min(times), max(times)
    return [cluster for cluster in clusters if cluster.count]
