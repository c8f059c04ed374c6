"""
Strands: the failures of a pool in a burst, outside the outages of systems; and the sender that caused them.

Source: docs/how_it_works/incidents.md, "Rule" points 4 and 5.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from messages_app.incidents.gathering.bursts import (
    MAX_PAUSE,
    MIN_COUNT,
    PRIOR,
    Burst,
    add_minutes,
    find_bursts,
)
from messages_app.incidents.gathering.chances import (
    find_purity,
    is_drawn_alike,
    log_binomial_tail,
    log_poisson_tail,
)
from messages_app.incidents.gathering.pools import Pool, group_pools
from messages_app.incidents.gathering.records import Cell, Minutes
from messages_app.incidents.gathering.traffic import Traffic
from messages_app.shared.error_causes import Kind

# Of the rare texts of a burst, the share that is not expected.
MIN_PURITY_OF_RARE = 0.5
# Most failures of a strand must come from its sender.
MIN_SENDER_SHARE = 0.85
MAX_LOG_CHANCE_OF_SENDER = -3.0
# For unknown texts of a system, which its outage explains too.
MAX_LOG_CHANCE_BESIDE_SYSTEM = -6.0
# Failures of different services are late by retries, which are minutes long.
MAX_DELAY = 20
MAX_DELAY_IN_SERVICE = 4
MAX_LOG_CHANCE_OF_TIMES = -4.0


@dataclass(eq=False)
class Strand:
    """
    The failures of a pool in a burst.

    Attributes:
        burst: of the pool, or of all new texts of its service.
        minutes: its failures within the burst.
        sender: the sender that caused it, if one did.
        operation: its only operation, if the others have another cause.
    """

    pool: Pool
    burst: Burst
    minutes: Minutes
    senders: Counter[str]
    operations: Counter[str]
    sender: str = ""
    operation: str = ""
    first: int = field(init=False)
    last: int = field(init=False)
    count: int = field(init=False)

    def __post_init__(self) -> None:
        self.first, self.last = min(self.minutes), max(self.minutes)
        self.count = sum(self.minutes.values())

    @property
    def service(self) -> str:
        return self.pool.service

    @property
    def cells(self) -> list[Cell]:
        """The cells of which it has failures."""
        return [
            cell
            for cell in self.pool.cells
            if self.sender in ("", cell.sender) and self.operation in ("", cell.operation)
        ]

    def split_operations(self) -> list["Strand"]:
        """Return the strand of each operation."""
        if len(self.operations) == 1:
            return [self]
        strands = []
        for operation in self.operations:
            cells = {
                cell: minutes for cell, minutes in self.pool.cells.items() if cell.operation == operation
            }
            part = replace(self.pool, cells=cells)
            strands += [
                replace(strand, pool=self.pool, operation=operation)
                for strand in _make_strands(part, self.burst)
            ]
        return strands

    @property
    def places(self) -> Counter[tuple[str, str]]:
        """The failures of each service and operation."""
        return Counter({(self.pool.service, operation): n for operation, n in self.operations.items()})

    @property
    def kind(self) -> Kind:
        return self.pool.kind


def find_strands(pools: Iterable[Pool]) -> list[Strand]:
    """Return the strands of pools: one for each known text, and for new texts those of their joint bursts."""
    strands: list[Strand] = []
    for group in group_pools(pools, "service").values():
        new = [pool for pool in group if pool.is_new]
        if new:
            bursts = new[0].bursts if len(new) == 1 else _find_joint_bursts(new)
            for burst in bursts:
                strands += [
                    strand for pool in _choose_new_pools(new, burst) for strand in _make_strands(pool, burst)
                ]
        for pool in group:
            if not pool.is_new:
                strands += [strand for burst in pool.bursts for strand in _make_strands(pool, burst)]
    return strands


def _choose_new_pools(pools: list[Pool], burst: Burst) -> list[Pool]:
    """
    Return the new texts of a burst; rare ones only if they are more than at other times.

    Some texts are so rare that they seem to be new. Variants of one new text are rare too, but many.
    """
    chosen = [pool for pool in pools if pool.is_eligible(burst.first, burst.last)]
    rare = [pool for pool in chosen if pool.total < MIN_COUNT]
    others = sum(pool.total < MIN_COUNT for pool in pools) - len(rare)
    exposure = pools[0].exposure
    length = exposure.measure_range(burst.first, burst.last)
    expected = (others + PRIOR) * length / max(exposure.total - length, MAX_PAUSE)
    if find_purity(len(rare), expected) >= MIN_PURITY_OF_RARE:
        return chosen
    return [pool for pool in chosen if pool.total >= MIN_COUNT]


def _find_joint_bursts(pools: list[Pool]) -> list[Burst]:
    if sum(pool.total for pool in pools) < MIN_COUNT:
        return []
    return find_bursts(add_minutes(pool.minutes for pool in pools), pools[0].exposure)


def _make_strands(pool: Pool, burst: Burst) -> list[Strand]:
    minutes = {minute: count for minute, count in pool.minutes.items() if burst.first <= minute <= burst.last}
    return [Strand(pool, burst, minutes, *pool.count_values(burst.first, burst.last))] if minutes else []


def is_at_same_time(one: Strand, other: Strand, delay: int = MAX_DELAY) -> bool:
    """Whether strands overlap, if one may be late."""
    return one.first <= other.last + delay and other.first <= one.last + delay


def is_simultaneous(one: Strand, other: Strand) -> bool:
    """
    Whether the times of two strands may be drawn from one distribution: they begin and end together.

    A strand with few failures agrees with many others.
    """
    delay = MAX_DELAY_IN_SERVICE if one.service == other.service else MAX_DELAY
    if not is_at_same_time(one, other, delay):
        return False
    return has_same_times(one.minutes, other.minutes, delay)


def has_same_times(one: Minutes, other: Minutes, delay: int) -> bool:
    """Whether neither of two series has more before or after the other one than its own rate explains."""
    for each, rest in ((one, other), (other, one)):
        count, total = sum(rest.values()), sum(each.values())
        first, last = min(rest) - delay, max(rest) + delay
        before = sum(n for minute, n in each.items() if minute < first) / total
        after = sum(n for minute, n in each.items() if minute > last) / total
        if not is_drawn_alike(max(before, after), count, MAX_LOG_CHANCE_OF_TIMES):
            return False
    return True


def name_senders(strands: Iterable[Strand], traffic: Traffic) -> None:
    """
    Set the sender of strands that one sender caused.

    It has most of their failures, a lower share of the traffic, and others fail no more than usual. Strands
    with one text or the same times count together.
    """
    by_sender: dict[str, list[Strand]] = defaultdict(list)
    for strand in strands:
        sender, count = strand.senders.most_common(1)[0]
        if (
            strand.kind is not Kind.INFRASTRUCTURE
            and count >= MIN_SENDER_SHARE * strand.count
            and not _has_failures_of_others(strand, sender)
        ):
            by_sender[sender].append(strand)
    for sender, group in by_sender.items():
        for related in _join_related(group):
            services = {strand.service for strand in related}
            chance = sum(_find_chance_of_sender(strand, sender, traffic) for strand in related)
            is_of_system = any(strand.kind is Kind.UNKNOWN and strand.pool.system for strand in related)
            limit = MAX_LOG_CHANCE_BESIDE_SYSTEM if is_of_system else MAX_LOG_CHANCE_OF_SENDER
            is_coincidence = len(services) > 1 and _has_data_of(related)
            if is_coincidence or chance <= limit - 0.5 * (len(related) - 1):
                for strand in related:
                    strand.sender = sender


def _has_data_of(strands: list[Strand]) -> bool:
    """Whether strands are of wrong data, so that its sender is the cause if several services reject it."""
    return all(strand.kind is Kind.DATA and strand.pool.is_new for strand in strands)


def _find_chance_of_sender(strand: Strand, sender: str, traffic: Traffic) -> float:
    share = traffic.find_share(strand.service, sender, strand.first, strand.last)
    return log_binomial_tail(strand.senders[sender], strand.count, share)


def _has_failures_of_others(strand: Strand, sender: str) -> bool:
    """Whether other senders fail more than they do outside the burst."""
    count = strand.count - strand.senders[sender]
    others = strand.pool.total - count_total(strand.pool, sender) - count
    exposure = strand.pool.exposure
    inside = exposure.measure_range(strand.burst.first, strand.burst.last)
    expected = (others + 0.5) / max(exposure.total - inside, 60.0) * inside
    return log_poisson_tail(count, expected) <= MAX_LOG_CHANCE_OF_SENDER


def count_total(pool: Pool, sender: str) -> int:
    """Return the failures of a sender in a pool."""
    return sum(sum(minutes.values()) for cell, minutes in pool.cells.items() if cell.sender == sender)


def _join_related(strands: list[Strand]) -> list[list[Strand]]:
    """Return strands with the largest one that they are related to."""
    groups: list[list[Strand]] = []
    for strand in sorted(strands, key=lambda one: -one.count):
        group = next((group for group in groups if _is_related(strand, group[0])), None)
        if group is None:
            groups.append([strand])
        else:
            group.append(strand)
    return groups


def _is_related(one: Strand, other: Strand) -> bool:
    """Whether strands of one sender may have one cause: one text, or the same times."""
    if one.pool.family == other.pool.family:
        return is_at_same_time(one, other)
    return is_simultaneous(one, other)
