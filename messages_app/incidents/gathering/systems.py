"""
Outages of external systems: failures of a system's calls, in every service, whatever their texts.

Source: docs/how_it_works/incidents.md, "Rule" points 2 and 3.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from messages_app.incidents.gathering.bursts import Burst, add_minutes, find_bursts, join_bursts, narrow_burst
from messages_app.incidents.gathering.chances import log_poisson_tail
from messages_app.incidents.gathering.pools import Excess, Pool, group_pools, measure_excess
from messages_app.incidents.gathering.records import Minutes
from messages_app.incidents.gathering.strands import MAX_DELAY_IN_SERVICE, Strand, has_same_times
from messages_app.incidents.gathering.traffic import Traffic
from messages_app.shared.error_causes import CAUSES, Kind

MIN_COUNT_OF_SERVICE = 3
MAX_LOG_CHANCE_OF_SERVICE = -3.0
# Of a text in all services.
MAX_LOG_CHANCE_OF_TEXT = -1.3
# For the bursts of an outage; a hub with a thousand pools has a burst of chance each day.
MAX_LOG_CHANCE_TO_OPEN = -8.0
# Of the other services together, next to one such service and next to several.
MAX_LOG_CHANCE_OF_REST, MAX_LOG_CHANCE_BESIDE_SEVERAL = -3.0, -2.0
# Minutes in which times are compared.
BIN = 10
# Systems that fail at the same time with one text of what they share have one cause, such as their names.
MIN_SYSTEMS, MIN_SHARE_OF_FAMILY = 3, 0.8
SHARED_FAMILIES = frozenset(row.title.lower() for row in CAUSES if row.is_shared)
# Of the failures of its largest burst, for another burst of other texts.
MIN_SHARE_OF_MAIN = 0.25
# A membership that is more likely than not.
MIN_PURITY = 0.5


@dataclass(eq=False)
class Outage:
    """
    A range in which calls of a system fail more than usual.

    Attributes:
        parts: the pools that belong to it, with their purity.
        strands: failures without a system that belong to it by their time.
        has_all_calls: calls name the system of all its failures, so that an unknown text without a call has
            another cause. The system of others is only in some texts or calls.
    """

    system: str
    first: int
    last: int
    parts: dict[Pool, float] = field(default_factory=dict)
    strands: list[Strand] = field(default_factory=list)
    services: set[str] = field(default_factory=set)
    has_all_calls: bool = False
    count: int = 0

    @cached_property
    def family(self) -> str:
        """The family of nearly all of its texts; empty if they differ."""
        counts = Counter[str]()
        for pool in self.parts:
            counts[pool.family] += pool.count_failures(self.first, self.last)
        family, count = counts.most_common(1)[0]
        return family if count >= MIN_SHARE_OF_FAMILY * counts.total() else ""

    @cached_property
    def families(self) -> set[str]:
        """The families of its texts."""
        return {pool.family for pool in self.parts}

    @cached_property
    def minutes(self) -> dict[str, Minutes]:
        """Return the failures of each service by minute."""
        series: dict[str, list[Minutes]] = defaultdict(list)
        for pool in self.parts:
            series[pool.service].append(
                {minute: n for minute, n in pool.minutes.items() if self.first <= minute <= self.last}
            )
        for strand in self.strands:
            series[strand.service].append(strand.minutes)
        return {service: add_minutes(some) for service, some in series.items()}

    @cached_property
    def operations(self) -> Counter[tuple[str, str]]:
        """Return the failures of each service and operation."""
        counts = Counter[tuple[str, str]]()
        for pool in self.parts:
            for operation, count in pool.count_values(self.first, self.last)[1].items():
                counts[pool.service, operation] += count
        for strand in self.strands:
            counts.update(strand.places)
        return counts

    def count_near(self, place: tuple[str, str], minutes: Minutes) -> float:
        """Return its mean number of failures of a service and operation near those of another series."""
        bins = Counter[int]()
        for pool in self.parts:
            if pool.service == place[0]:
                for cell, series in pool.cells.items():
                    if cell.operation == place[1]:
                        for minute, count in series.items():
                            if self.first <= minute <= self.last:
                                bins[minute // BIN] += count
        return sum(count * bins[minute // BIN] for minute, count in minutes.items()) / sum(minutes.values())

    def add_strands(self, strands: Iterable[Strand]) -> None:
        self.strands += strands
        self.services |= {strand.service for strand in self.strands}
        self.__dict__.pop("minutes", None)
        self.__dict__.pop("operations", None)


def find_outages(pools: Iterable[Pool], traffic: Traffic, opening: int) -> list[Outage]:
    """
    Return the outages of all systems.

    Args:
        pools: with a system, of infrastructure or of an unknown kind.
        opening: the lowest number of failures of an outage.
    """
    outages = []
    for system, group in group_pools(pools, "system").items():
        for burst in _find_ranges(group, traffic):
            if (
                burst.count < opening
                or log_poisson_tail(burst.count, burst.expected) > MAX_LOG_CHANCE_TO_OPEN
            ):
                continue
            outage = Outage(system, burst.first, burst.last)
            _add_services(outage, group)
            if (times := _find_joint_times(outage, traffic)) != (outage.first, outage.last):
                outage = Outage(system, *times)
                _add_services(outage, group)
            if outage.count >= opening:
                outages.append(outage)
    return outages


def _find_ranges(pools: list[Pool], traffic: Traffic) -> list[Burst]:
    """Return the ranges of bursts: of infrastructure together, of new texts together, and of each pool."""
    bursts = [burst for pool in pools for burst in pool.bursts]
    infrastructure = [pool for pool in pools if pool.kind is Kind.INFRASTRUCTURE]
    for group in (infrastructure, [pool for pool in pools if pool.is_new]):
        if len(group) > 1:
            exposure = traffic.find_exposure(pool.service for pool in group)
            bursts += find_bursts(add_minutes(pool.minutes for pool in group), exposure)
    return join_bursts(_drop_equal(bursts))


def _find_joint_times(outage: Outage, traffic: Traffic) -> tuple[int, int]:
    """Return the range in which its failures together are unusual; a small burst is of chance."""
    exposure = traffic.find_exposure(outage.services)
    minutes = add_minutes(pool.minutes for pool in outage.parts)
    bursts = [
        burst
        for burst in find_bursts(minutes, exposure)
        if burst.first <= outage.last and burst.last >= outage.first
    ]
    if not bursts:
        return outage.first, outage.last
    main = max(bursts, key=lambda burst: burst.count)
    core = narrow_burst(main, minutes, exposure)
    pools = [pool for pool in outage.parts if pool.count_failures(core.first, core.last)]
    bursts = [burst for burst in bursts if _is_of_same_texts(burst, main, pools)]
    first, last = max(outage.first, bursts[0].first), min(outage.last, bursts[-1].last)
    if core == main:
        return first, last
    times = [minute for pool in pools for minute in pool.minutes if first <= minute <= last]
    return min(times), max(times)


def _is_of_same_texts(burst: Burst, main: Burst, pools: list[Pool]) -> bool:
    """Whether a burst is large, or mostly of the texts of the main one: others are of chance."""
    count = sum(pool.count_failures(burst.first, burst.last) for pool in pools)
    return burst.count >= MIN_SHARE_OF_MAIN * main.count or count >= 0.5 * burst.count


def _drop_equal(bursts: list[Burst]) -> list[Burst]:
    return list({(burst.first, burst.last): burst for burst in bursts}.values())


def _add_services(outage: Outage, pools: list[Pool]) -> None:
    """Add the services whose failures are unlikely, and the others if theirs are unlikely together."""
    eligible: dict[str, list[Pool]] = defaultdict(list)
    for pool in pools:
        if pool.kind is Kind.INFRASTRUCTURE or pool.is_eligible(outage.first, outage.last):
            eligible[pool.service].append(pool)
    for family in _list_usual_families(eligible, outage):
        for service, group in eligible.items():
            eligible[service] = [pool for pool in group if pool.family != family]
    excesses = {
        service: measure_excess(group, outage.first, outage.last) for service, group in eligible.items()
    }
    certain = {service for service, excess in excesses.items() if _is_certain(excess)}
    rest = [excess for service, excess in excesses.items() if service not in certain and excess.count]
    count, expected = sum(excess.count for excess in rest), sum(excess.expected for excess in rest)
    limit = MAX_LOG_CHANCE_OF_REST if len(certain) < 2 else MAX_LOG_CHANCE_BESIDE_SEVERAL
    if log_poisson_tail(count, expected) <= limit:
        certain |= {service for service, excess in excesses.items() if excess.purity >= MIN_PURITY}
    for service in certain:
        outage.services.add(service)
        outage.count += excesses[service].count
        for pool in eligible[service]:
            if pool.count_failures(outage.first, outage.last):
                outage.parts[pool] = excesses[service].purity


def _list_usual_families(pools: Mapping[str, list[Pool]], outage: Outage) -> list[str]:
    """Return the texts whose failures in all services together are as many as usual."""
    families = group_pools((pool for group in pools.values() for pool in group), "family")
    usual = []
    for family, group in families.items():
        excesses = [measure_excess([pool], outage.first, outage.last) for pool in group]
        count, expected = sum(one.count for one in excesses), sum(one.expected for one in excesses)
        if log_poisson_tail(count, expected) > MAX_LOG_CHANCE_OF_TEXT:
            usual.append(family)
    return usual


def _is_certain(excess: Excess) -> bool:
    return excess.count >= MIN_COUNT_OF_SERVICE and excess.log_chance <= MAX_LOG_CHANCE_OF_SERVICE


def join_outages(outages: Iterable[Outage]) -> list[list[Outage]]:
    """Return outages by cause: several systems have one if it is something that they share."""
    groups: list[list[Outage]] = []
    for outage in sorted(outages, key=lambda one: -one.count):
        group = next((group for group in groups if _is_same_cause(outage, group[0])), None)
        if group is None:
            groups.append([outage])
        else:
            group.append(outage)
    return [
        part
        for group in groups
        for part in (
            [group] if len({one.system for one in group}) >= MIN_SYSTEMS else [[outage] for outage in group]
        )
    ]


def _is_same_cause(one: Outage, other: Outage) -> bool:
    return (
        one.family in SHARED_FAMILIES
        and one.family == other.family
        and one.system != other.system
        and has_same_times(
            add_minutes(one.minutes.values()), add_minutes(other.minutes.values()), MAX_DELAY_IN_SERVICE
        )
    )
