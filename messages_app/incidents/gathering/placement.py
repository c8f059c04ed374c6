"""
Placement: failures without a system that belong to the outage of a system by their time. Of strands that
several outages have, each outage has the minutes in which only it happens.

Source: docs/how_it_works/incidents.md, "Rule" point 7.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from messages_app.incidents.gathering.bursts import add_minutes, count_within
from messages_app.incidents.gathering.chances import find_likeness, is_drawn_alike
from messages_app.incidents.gathering.strands import MAX_DELAY, MAX_DELAY_IN_SERVICE, Strand, has_same_times
from messages_app.incidents.gathering.systems import BIN, Outage
from messages_app.shared.error_causes import Kind

# A strand of several services belongs to the outage of a system that has this share of its services.
MIN_SHARED_SERVICES = 0.5
# The share of their failures in the range of the outage.
MIN_SHARE_INSIDE = 0.8
# The chance that an outage has none of the operations that fail only in a strand.
MAX_LOG_CHANCE_OF_OPERATIONS = -3.0
# The share of the failures of one cause that belong to outages of systems, if they do.
MIN_PLACED = 0.8
# Strands are placed together if the best outage fits better than the next one by this factor.
MIN_ADVANTAGE = 1.5
# A service that joins an outage brings more of its texts.
_ROUNDS = 2


def place_strands(groups: list[list[Strand]], outages: list[Outage]) -> list[list[Strand]]:
    """Add strands to the outages of systems to which they belong, and return the others, by cause."""
    for outage in outages:
        outage.has_all_calls = _has_all_calls(outage, groups)
    for _ in range(_ROUNDS):
        pairs: list[tuple[Strand, Outage]] = []
        others = []
        for group in groups:
            pairs_of_group, rest = ([], group) if group[0].sender else _find_outages_of(group, outages)
            for strand, outage in pairs_of_group:
                pairs += share_minutes(strand, outage, outages)
            if rest:
                others.append(rest)
        groups = others
        if not pairs:
            break
        for outage in outages:
            outage.add_strands([strand for strand, other in pairs if other is outage])
    return groups


def _has_all_calls(outage: Outage, groups: list[list[Strand]]) -> bool:
    """Whether its system is known from calls, and none of its texts is also without a system."""
    return any(pool.is_known_by_call for pool in outage.parts) and not any(
        strand.pool.family in outage.families
        and not strand.pool.system
        and outage.first <= strand.last
        and outage.last >= strand.first
        for group in groups
        for strand in group
    )


def _find_outages_of(
    strands: list[Strand], outages: list[Outage]
) -> tuple[list[tuple[Strand, Outage]], list[Strand]]:
    """
    Return the outages of systems to which strands of one cause belong by their time, and the other strands.

    Where several fit, or none fits to all of them, each strand has its own, or each of its operations.
    """
    fits = _rank_fits(strands, outages)
    if fits and (len(fits) == 1 or fits[0][0] >= MIN_ADVANTAGE * fits[1][0]):
        return [(strand, _prefer_own_outage(strand, fits[0][1], outages)) for strand in strands], []
    pairs, rest = [], []
    for strand in strands:
        own = _rank_fits([strand], outages)
        parts = [strand] if len(own) == 1 else strand.split_operations()
        for part in parts:
            ranks = _rank_fits([part], outages) or fits
            if ranks := ranks or [(0.0, outage) for outage in find_common_outages(part, outages)]:
                pairs.append((part, _choose_outage(part, ranks)))
            else:
                rest.append(part)
    count = sum(part.count for part, _ in pairs)
    return (pairs, rest) if count >= MIN_PLACED * sum(one.count for one in strands) else ([], strands)


def _prefer_own_outage(strand: Strand, best: Outage, outages: list[Outage]) -> Outage:
    """Return the outage of the cause, or a fitting other one if its service is only in that."""
    own = [] if strand.service in best.services else _rank_fits([strand], outages)
    return own[0][1] if own else best


def _rank_fits(strands: list[Strand], outages: list[Outage]) -> list[tuple[float, Outage]]:
    """Return the outages to which strands may belong, the best one first."""
    fits = [(fit, outage) for outage in outages if (fit := _measure_fit(strands, outage))]
    return sorted(fits, key=lambda row: -row[0])


def _choose_outage(strand: Strand, ranks: list[tuple[float, Outage]]) -> Outage:
    """Return the outage with most failures of the same operations at the same time."""
    return max(
        ranks, key=lambda row: (sum(row[1].count_near(one, strand.minutes) for one in strand.places), row[0])
    )[1]


def _measure_fit(strands: list[Strand], outage: Outage) -> float:
    """Return how well strands fit to an outage, from 0 to 1."""
    services = {strand.service for strand in strands}
    shared = services & outage.services
    if not shared or any(strand.pool.system not in ("", outage.system) for strand in strands):
        return 0.0
    if len(shared) < MIN_SHARED_SERVICES * len(services):
        return 0.0
    total = sum(strand.count for strand in strands)
    inside = sum(
        count_within(one.minutes, outage.first - MAX_DELAY, outage.last + MAX_DELAY) for one in strands
    )
    of_system = sum(strand.count for strand in strands if _may_be_of_system(strand, strands, outage))
    if of_system <= 0.5 * total or inside < MIN_SHARE_INSIDE * total:
        return 0.0
    common = [strand for strand in strands if strand.service in shared]
    places = sum((strand.places for strand in common), Counter[tuple[str, str]]())
    if not _has_same_operations(places, shared, outage) or not _is_simultaneous_with(common, shared, outage):
        return 0.0
    return _measure_likeness(strands, places, outage)


def _may_be_of_system(strand: Strand, strands: list[Strand], outage: Outage) -> bool:
    """Whether an error may be of a system: infrastructure, or a new text that its calls have too."""
    if strand.kind is Kind.INFRASTRUCTURE:
        return True
    if strand.kind is Kind.UNKNOWN:
        return not outage.has_all_calls or strand.pool.system == outage.system
    return strand.kind is Kind.DATA and any(
        one.pool.family == strand.pool.family and one.pool.system == outage.system and one.pool.is_new
        for one in strands
    )


def _has_same_operations(places: Counter[tuple[str, str]], services: set[str], outage: Outage) -> bool:
    """Whether the outage may have too few failures to show the operations that fail only in strands."""
    shared = sum(count for place, count in places.items() if place in outage.operations)
    count = sum(count for place, count in outage.operations.items() if place[0] in services)
    return is_drawn_alike(1 - shared / places.total(), count, MAX_LOG_CHANCE_OF_OPERATIONS)


def _measure_likeness(strands: list[Strand], places: Counter[tuple[str, str]], outage: Outage) -> float:
    """Return the likeness of the operations and times of strands and an outage in their common services."""
    shared = {strand.service for strand in strands} & outage.services
    some = Counter({place: count for place, count in outage.operations.items() if place[0] in shared})
    times, times_of_outage = Counter[int](), Counter[int]()
    for total, series in (
        (times, [strand.minutes for strand in strands]),
        (times_of_outage, [outage.minutes[service] for service in shared]),
    ):
        for minutes in series:
            for minute, count in minutes.items():
                total[minute // BIN] += count
    return max(find_likeness(places, some), 0.05) * max(find_likeness(times, times_of_outage), 0.05)


def _is_simultaneous_with(strands: list[Strand], services: set[str], outage: Outage) -> bool:
    """Whether strands begin and end with the failures of the outage in their services."""
    return has_same_times(
        add_minutes(strand.minutes for strand in strands),
        add_minutes(outage.minutes[service] for service in services),
        MAX_DELAY_IN_SERVICE,
    )


def may_have(outage: Outage, strand: Strand) -> bool:
    """Whether an outage fails in the service and an operation of a strand, at some of its minutes."""
    return (
        strand.service in outage.services
        and strand.pool.system in ("", outage.system)
        and outage.first <= strand.last
        and outage.last >= strand.first
        and any(place in outage.operations for place in strand.places)
    )


def find_common_outages(strand: Strand, outages: Iterable[Outage]) -> list[Outage]:
    """Return the outages that explain the times of a strand only together; none if they do not."""
    if strand.sender or strand.kind not in (Kind.INFRASTRUCTURE, Kind.UNKNOWN):
        return []
    some = [outage for outage in outages if may_have(outage, strand)]
    if len(some) < 2:
        return []
    together = add_minutes(outage.minutes[strand.service] for outage in some)
    return some if has_same_times(strand.minutes, together, MAX_DELAY_IN_SERVICE) else []


def share_minutes(strand: Strand, outage: Outage, outages: Iterable[Outage]) -> list[tuple[Strand, Outage]]:
    """Return the parts of a strand before and after its outage in which another one happens, and the rest."""
    others = [other for other in outages if other is not outage and may_have(other, strand)]
    first, last = strand.burst.first, strand.burst.last
    shared = []
    for other in others:
        if other.first < outage.first and first < outage.first:
            end = min(outage.first - 1, other.last, last)
            shared += _cut_strand(strand, first, end, other)
            first = end + 1
        if other.last > outage.last and last > outage.last:
            start = max(outage.last + 1, other.first, first)
            shared += _cut_strand(strand, start, last, other)
            last = start - 1
    return shared + _cut_strand(strand, first, last, outage)


def _cut_strand(strand: Strand, first: int, last: int, outage: Outage) -> list[tuple[Strand, Outage]]:
    """Return the part of a strand within these minutes with its outage; nothing without failures."""
    if (first, last) == (strand.burst.first, strand.burst.last):
        return [(strand, outage)]
    minutes = {minute: count for minute, count in strand.minutes.items() if first <= minute <= last}
    if not minutes:
        return []
    burst = replace(strand.burst, first=first, last=last)
    return [(replace(strand, burst=burst, minutes=minutes), outage)]
