"""
Pools: cells of a service with one error of one system, whatever their operation and sender.

Source: docs/how_it_works/incidents.md, "Rule".
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from messages_app.incidents.gathering.bursts import Burst, add_minutes, count_within, find_bursts
from messages_app.incidents.gathering.chances import find_purity, log_poisson_tail
from messages_app.incidents.gathering.records import Cell, Failures, Minutes
from messages_app.incidents.gathering.traffic import Exposure, Traffic
from messages_app.shared.error_causes import Keep, Kind
from messages_app.shared.error_hosts import find_host
from messages_app.shared.error_kinds import find_kind, find_row_of_cause

# A text that did not appear in the first minutes of the window is new.
MIN_KNOWN = 60
_MAX_WORDS, _MAX_WORDS_OF_TABLE = 5, 12
_MAX_CACHED = 20_000
_MIN_OUTSIDE = 60.0
_WORD = re.compile(r"[^\W\d_]{2,}")
_STATUS = re.compile(r"\(HTTP (\d{3})\)")


@lru_cache(_MAX_CACHED)
def find_family(text: str) -> str:
    """
    Return the part of a cause that variants of one error share: its first words, without hosts and codes.

    Groups of failures are finer, so one outage would be in many of them.
    """
    row = find_row_of_cause(text)
    if row is not None:
        if row.keep in (Keep.HOST, Keep.NOTHING, Keep.ALERT):
            return row.title.lower()
        return " ".join(find_words(text)[:_MAX_WORDS_OF_TABLE])
    lower = text.lower()
    host = find_host(text)
    plain = re.sub(rf"(?:\bby )?{re.escape(host)}\S*", " ", lower) if host else lower
    words = " ".join(find_words(plain)[:_MAX_WORDS])
    status = _STATUS.search(text)
    return f"{words} {status[1]}" if status else words or lower


def find_words(text: str) -> list[str]:
    """Return the words of a text that families have, in lower case."""
    return _WORD.findall(text.lower())


@dataclass(eq=False)
class Pool:
    """
    Cells of one service, family of texts and system.

    Attributes:
        cells: the failures of each cell by minute.
        exposure: the stretched time of the service.
    """

    service: str
    family: str
    system: str
    kind: Kind
    exposure: Exposure
    is_new: bool = False
    cells: dict[Cell, Mapping[int, int]] = field(default_factory=dict)

    @cached_property
    def minutes(self) -> Minutes:
        return add_minutes(self.cells.values())

    @cached_property
    def total(self) -> int:
        return sum(self.minutes.values())

    @cached_property
    def start(self) -> int:
        return min(self.minutes)

    @cached_property
    def is_known_by_call(self) -> bool:
        """Whether no text names the system, so that the hub has it from calls."""
        host = self.system.partition(":")[0]
        return bool(host) and not any(host in cell.text.lower() for cell in self.cells)

    @cached_property
    def bursts(self) -> list[Burst]:
        return find_bursts(self.minutes, self.exposure)

    def count_failures(self, first: int, last: int) -> int:
        return count_within(self.minutes, first, last)

    def has_burst(self, first: int, last: int) -> bool:
        return any(burst.first <= last and burst.last >= first for burst in self.bursts)

    def is_eligible(self, first: int, last: int) -> bool:
        """Whether the failures of this pool in a range are unusual: new or in a burst."""
        return (self.is_new and first - 1 <= self.start <= last) or self.has_burst(first, last)

    def count_values(self, first: int, last: int) -> tuple[Counter[str], Counter[str]]:
        """Return the failures of each sender and of each operation in a range."""
        senders, operations = Counter[str](), Counter[str]()
        for cell, minutes in self.cells.items():
            if count := count_within(minutes, first, last):
                senders[cell.sender] += count
                operations[cell.operation] += count
        return senders, operations


def make_pools(failures: Failures, traffic: Traffic) -> list[Pool]:
    """Return the pools of all cells with failures."""
    pools: dict[tuple[str, str, str], Pool] = {}
    starts: dict[str, int] = {}
    for cell, minutes in failures.items():
        if not minutes:
            continue
        family = find_family(cell.text)
        pool = pools.get((cell.service, family, cell.system))
        if pool is None:
            exposure = traffic.find_exposure((cell.service,))
            pool = Pool(cell.service, family, cell.system, find_kind(cell.text), exposure)
            pools[cell.service, family, cell.system] = pool
        pool.cells[cell] = minutes
        start = min(minutes)
        if start < starts.get(family, start + 1):
            starts[family] = start
    first_new = traffic.window.start + MIN_KNOWN
    for pool in pools.values():
        pool.is_new = starts[pool.family] >= first_new
    return list(pools.values())


def group_pools(pools: Iterable[Pool], attribute: str) -> dict[str, list[Pool]]:
    """Return pools by the value of an attribute."""
    groups: dict[str, list[Pool]] = defaultdict(list)
    for pool in pools:
        groups[getattr(pool, attribute)].append(pool)
    return groups


@dataclass(frozen=True)
class Excess:
    """The failures of a range, and how many the background would have made there."""

    count: int
    expected: float

    @property
    def purity(self) -> float:
        return find_purity(self.count, self.expected)

    @property
    def log_chance(self) -> float:
        return log_poisson_tail(self.count, self.expected)


def measure_excess(pools: Iterable[Pool], first: int, last: int, prior: float = 0.3) -> Excess:
    """
    Compare the failures of pools of one service in a range with those outside of it.

    Args:
        prior: failures that are added to those outside, because none were seen yet.
    """
    count = total = 0
    exposure = None
    for pool in pools:
        count += pool.count_failures(first, last)
        total += pool.total
        exposure = pool.exposure
    if exposure is None:
        return Excess(0, 0.0)
    inside = exposure.measure_range(first, last)
    outside = max(exposure.total - inside, _MIN_OUTSIDE)
    return Excess(count, (total - count + prior) / outside * inside)
