"""
Links between strands: which of them have one cause.

Source: docs/contributing/decisions/0039-incidents.md, "Rule" points 6 and 7.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable

from messages_app.incidents.gathering.chances import find_likeness, is_drawn_alike
from messages_app.incidents.gathering.strands import (
    MAX_DELAY_IN_SERVICE,
    Strand,
    has_same_times,
    is_simultaneous,
    overlaps_in_time,
)
from messages_app.incidents.gathering.systems import BIN, Outage
from messages_app.shared.error_causes import Kind

# A strand of several services belongs to the outage of a system that has this share of its services.
MIN_SHARED_SERVICES = 0.5
# A range that a strand shares with the outage of a system, of the range of both.
MIN_SHARED_RANGE, MIN_SHARED_RANGE_OF_UNKNOWN = 0.3, 0.5
# The chance that an outage has none of the operations that fail only in a strand.
MAX_LOG_CHANCE_OF_OPERATIONS = -3.0
# The share of the failures of one cause that belong to outages of systems, if they do.
MIN_PLACED = 0.8
# Strands belong together to the outage that fits so many times as well as the next one.
MIN_ADVANTAGE = 1.5
# A service that joins an outage brings more of its texts.
_ROUNDS = 2


class _Sets:
    """Disjoint sets of strands."""

    def __init__(self, strands: Iterable[Strand]) -> None:
        self._parents = {strand: strand for strand in strands}

    def find_root(self, strand: Strand) -> Strand:
        while self._parents[strand] is not strand:
            self._parents[strand] = strand = self._parents[self._parents[strand]]
        return strand

    def join_strands(self, one: Strand, other: Strand) -> None:
        self._parents[self.find_root(other)] = self.find_root(one)

    def list_groups(self) -> list[list[Strand]]:
        groups: dict[Strand, list[Strand]] = defaultdict(list)
        for strand in self._parents:
            groups[self.find_root(strand)].append(strand)
        return list(groups.values())


def link_strands(strands: list[Strand]) -> list[list[Strand]]:
    """
    Return the strands of each cause.

    Strands of one sender belong together; then those of one text in several services; then those of one service,
    where infrastructure and the rest are two causes.
    """
    sets = _Sets(strands)
    for group in _group_by(strands, lambda strand: strand.sender):
        _join_overlaps(sets, group)
    others = [strand for strand in strands if not strand.sender]
    wide: dict[Strand, set[str]] = defaultdict(set)
    for group in _group_by(others, lambda strand: strand.pool.family):
        for one, other in _list_pairs(group):
            if one.service != other.service and is_simultaneous(one, other):
                sets.join_strands(one, other)
                wide[one].add(other.service)
                wide[other].add(one.service)
    for group in _group_by(others, lambda strand: strand.service):
        sides = _choose_sides(group)
        for one, other in _list_pairs(group):
            is_near = (one in wide) == (other in wide) or one.kind is other.kind is Kind.INFRASTRUCTURE
            if is_near and sides[one] == sides[other] and is_simultaneous(one, other):
                sets.join_strands(one, other)
    return sets.list_groups()


def _group_by(strands: Iterable[Strand], find_value: Callable[[Strand], str]) -> list[list[Strand]]:
    groups: dict[str, list[Strand]] = defaultdict(list)
    for strand in strands:
        if value := find_value(strand):
            groups[value].append(strand)
    return list(groups.values())


def _list_pairs(strands: list[Strand]) -> Iterable[tuple[Strand, Strand]]:
    return ((one, other) for number, one in enumerate(strands) for other in strands[:number])


def _join_overlaps(sets: _Sets, strands: list[Strand]) -> None:
    """Join strands whose ranges overlap or follow each other closely, directly or through others."""
    latest: Strand | None = None
    for strand in sorted(strands, key=lambda one: one.first):
        if latest is not None and overlaps_in_time(strand, latest):
            sets.join_strands(latest, strand)
        if latest is None or strand.last > latest.last:
            latest = strand


def _join_unknown(sets: _Sets, strands: list[Strand]) -> None:
    """Join the unknown texts of a service, which are often variants of one."""
    for one, other in _list_pairs(strands):
        if one.kind is other.kind is Kind.UNKNOWN and is_simultaneous(one, other):
            sets.join_strands(one, other)


def _choose_sides(strands: list[Strand]) -> dict[Strand, bool]:
    """
    Return for each strand of a service whether it is of infrastructure.

    Unknown texts are, if only texts of infrastructure began and ended with them.
    """
    variants = _Sets(strands)
    _join_unknown(variants, strands)
    sides = {}
    for group in variants.list_groups():
        largest = max(group, key=lambda strand: strand.count)
        kinds = {largest.kind}
        if largest.kind is Kind.UNKNOWN:
            kinds = {other.kind for other in strands if is_simultaneous(largest, other)} - {Kind.UNKNOWN}
        for strand in group:
            sides[strand] = kinds == {Kind.INFRASTRUCTURE}
    return sides


def place_strands(groups: list[list[Strand]], outages: list[Outage]) -> list[list[Strand]]:
    """Add strands to the outages of systems to which they belong, and return the others, by cause."""
    for _ in range(_ROUNDS):
        additions: dict[Outage, list[Strand]] = defaultdict(list)
        for group in groups:
            for strand, outage in [] if group[0].sender else _find_outages_of(group, outages):
                additions[outage].append(strand)
        if not additions:
            break
        for outage, strands in additions.items():
            outage.add_strands(strands)
        placed = {(strand.pool, strand.burst) for strands in additions.values() for strand in strands}
        groups = [
            rest
            for group in groups
            if (rest := [strand for strand in group if (strand.pool, strand.burst) not in placed])
        ]
    return groups


def _find_outages_of(strands: list[Strand], outages: list[Outage]) -> list[tuple[Strand, Outage]]:
    """
    Return the outages of systems to which strands of one cause belong by their time.

    Where several fit, or none fits to all of them, each strand has its own.
    """
    fits = sorted(
        ((fit, number) for number, outage in enumerate(outages) if (fit := _measure_fit(strands, outage))),
        reverse=True,
    )
    if fits and (len(fits) == 1 or fits[0][0] >= MIN_ADVANTAGE * fits[1][0]):
        return [(strand, outages[fits[0][1]]) for strand in strands]
    pairs = []
    for strand in strands:
        own = [(fit, number) for number, outage in enumerate(outages) if (fit := _measure_fit([strand], outage))]
        if len(own) == 1 or (fits and not own):
            pairs.append((strand, outages[max(own or fits)[1]]))
        elif own:
            pairs += _split_strand(strand, [(fit, outages[number]) for fit, number in own])
    count = sum(strand.count for strand, _ in pairs)
    return pairs if count >= MIN_PLACED * sum(strand.count for strand in strands) else []


def _split_strand(strand: Strand, fits: list[tuple[float, Outage]]) -> list[tuple[Strand, Outage]]:
    """Return the parts of a strand and their outages: those that had failures of the same operation at that time."""
    pairs = []
    for part in strand.split_operations():
        (place,) = part.places
        ranks = [(outage.count_near(place, part.minutes), fit, -n) for n, (fit, outage) in enumerate(fits)]
        pairs.append((part, fits[-max(ranks)[2]][1]))
    return pairs


def _measure_fit(strands: list[Strand], outage: Outage) -> float:
    """Return how well strands fit to an outage, from 0 to 1, by their kinds, services, operations and times."""
    services = {strand.service for strand in strands}
    shared = services & outage.services
    if not shared:
        return 0.0
    counts = Counter[Kind]()
    for strand in strands:
        counts[strand.kind] += strand.count
    total = counts.total()
    places = sum((strand.places for strand in strands), Counter[tuple[str, str]]())
    known = sum(count for place, count in places.items() if place in outage.operations)
    has_same_operations = is_drawn_alike(1 - known / total, outage.count, MAX_LOG_CHANCE_OF_OPERATIONS)
    has_same_services = len(shared) > 1 and len(shared) >= MIN_SHARED_SERVICES * len(services)
    part = _measure_shared_range(strands, outage)
    if counts[Kind.INFRASTRUCTURE] > 0.5 * total:
        may_belong = part >= MIN_SHARED_RANGE and (has_same_operations or has_same_services)
    elif counts[Kind.INFRASTRUCTURE] + counts[Kind.UNKNOWN] > 0.5 * total:
        may_belong = part >= MIN_SHARED_RANGE_OF_UNKNOWN and (
            has_same_services or (has_same_operations and _agrees(strands, outage))
        )
    else:
        may_belong = False
    return _measure_likeness(strands, places, outage) if may_belong else 0.0


def _measure_likeness(strands: list[Strand], places: Counter[tuple[str, str]], outage: Outage) -> float:
    """Return how alike the operations and times of strands and of an outage are in their common services."""
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


def _agrees(strands: list[Strand], outage: Outage) -> bool:
    """Whether strands begin and end with the failures of the outage in their services."""
    return all(
        has_same_times(strand.minutes, outage.minutes[strand.service], MAX_DELAY_IN_SERVICE)
        for strand in strands
        if strand.service in outage.services
    )


def _measure_shared_range(strands: list[Strand], outage: Outage) -> float:
    first, last = min(strand.first for strand in strands), max(strand.last for strand in strands)
    shared = min(last, outage.last) - max(first, outage.first) + 1
    return max(shared, 0) / (max(last, outage.last) - min(first, outage.first) + 1)
