"""
Links between strands that have one cause.

Source: docs/how_it_works/incidents.md, "Rule" point 6.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable

from messages_app.incidents.gathering.bursts import add_minutes
from messages_app.incidents.gathering.chances import is_drawn_alike
from messages_app.incidents.gathering.strands import (
    MAX_DELAY_IN_SERVICE,
    Strand,
    has_same_times,
    is_at_same_time,
    is_simultaneous,
)
from messages_app.shared.error_causes import Kind

# The chance that the other services of a cause do not have one of its texts.
MAX_LOG_CHANCE_UNSEEN = -1.0
# The chance that a cause with several texts has one of them only in some of its services.
MAX_LOG_CHANCE_OF_SERVICES = -4.0


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

    def list_group(self, strand: Strand) -> list[Strand]:
        root = self.find_root(strand)
        return [one for one in self._parents if self.find_root(one) is root]

    def list_groups(self) -> list[list[Strand]]:
        groups: dict[Strand, list[Strand]] = defaultdict(list)
        for strand in self._parents:
            groups[self.find_root(strand)].append(strand)
        return list(groups.values())


def link_strands(strands: list[Strand]) -> list[list[Strand]]:
    """
    Return the strands of each cause.

    Strands of one sender belong together; then those of one text in several services; then those of one
    service, where infrastructure and the rest are two causes.
    """
    sets = _Sets(strands)
    for group in _group_by(strands, lambda strand: strand.sender):
        _join_overlaps(sets, group)
    others = [strand for strand in strands if not strand.sender]
    wide: dict[Strand, set[str]] = defaultdict(set)
    for group in _group_by(others, lambda strand: f"{strand.pool.family}|{strand.pool.system}"):
        for one, other in _list_pairs(group):
            if one.service != other.service and is_simultaneous(one, other):
                sets.join_strands(one, other)
                wide[one].add(other.service)
                wide[other].add(one.service)
    for group in _group_by(others, lambda strand: strand.service):
        sides = _choose_sides(group)
        for one, other in _list_pairs(group):
            is_near = (one in wide) == (other in wide) or one.kind is other.kind is Kind.INFRASTRUCTURE
            is_near = is_near or _may_be_unseen(one, other, sets)
            if is_near and sides[one] == sides[other] and is_simultaneous(one, other):
                _join_groups(sets, one, other, are_wide=one in wide and other in wide)
    return sets.list_groups()


def _join_groups(sets: _Sets, one: Strand, other: Strand, *, are_wide: bool) -> None:
    """
    Join the strands of two causes, if these have the same times as a whole: a few failures say little.

    Texts of several services must also have the same services.
    """
    if sets.find_root(one) is sets.find_root(other):
        return
    groups = sets.list_group(one), sets.list_group(other)
    if are_wide and not _may_have_same_services(*groups):
        return
    times, others = (add_minutes(strand.minutes for strand in group) for group in groups)
    if has_same_times(times, others, MAX_DELAY_IN_SERVICE):
        sets.join_strands(one, other)


def _may_have_same_services(one: list[Strand], other: list[Strand]) -> bool:
    """Whether neither cause has more failures in services that the other one lacks than chance explains."""
    for group, rest in ((one, other), (other, one)):
        services, count = {strand.service for strand in rest}, sum(strand.count for strand in rest)
        outside = sum(strand.count for strand in group if strand.service not in services)
        share = outside / sum(strand.count for strand in group)
        if not is_drawn_alike(share, count, MAX_LOG_CHANCE_OF_SERVICES):
            return False
    return True


def _may_be_unseen(one: Strand, other: Strand, sets: _Sets) -> bool:
    """Whether the other services of a text have too few failures to show another text of this service."""
    for text, wide in ((one, other), (other, one)):
        group = [strand for strand in sets.list_group(wide) if strand is not text]
        elsewhere = sum(strand.count for strand in group if strand.service != text.service)
        here = sum(strand.count for strand in group if strand.service == text.service)
        if elsewhere and is_drawn_alike(text.count / (text.count + here), elsewhere, MAX_LOG_CHANCE_UNSEEN):
            return True
    return False


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
        if latest is not None and is_at_same_time(strand, latest):
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
