"""
The input and output of gathering: cells with their failures of each minute, clusters, and incidents.

Minutes are whole numbers since any common start.
Source: docs/how_it_works/incidents.md, "Rule".
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

# Failures in one minute, by minute. Minutes without failures are absent.
Minutes = dict[int, int]


class Cell(NamedTuple):
    """
    Failures that nothing distinguishes except their time.

    Attributes:
        system: the external system, as the call or the text names it; may be empty.
        text: the cause in words (error_titles.py).
    """

    service: str
    operation: str
    sender: str
    system: str
    code: str
    text: str


Failures = Mapping[Cell, Mapping[int, int]]


class Window(NamedTuple):
    """
    The minutes that gathering reads: usually the last day. Both ends belong to it.

    It must not begin before the first counts of the hub, because that time would seem to be without failures.
    """

    start: int
    now: int

    @property
    def length(self) -> int:
        return self.now - self.start + 1


class Reason(StrEnum):
    """Why a cell belongs to an incident; pages have a sentence for each."""

    PERSON = "person"
    SYSTEM = "system"
    SYSTEM_BY_TIME = "system_by_time"
    SENDER = "sender"
    TEXT = "text"
    SERVICE = "service"
    NEW_TEXT = "new_text"


class Strength(StrEnum):
    """How sure a membership is, from the share of its failures that would not have been expected."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Key(NamedTuple):
    """The values that all failures of an incident share, which are the parts of its title; else empty."""

    system: str = ""
    service: str = ""
    sender: str = ""
    text: str = ""


class Member(NamedTuple):
    """A cell that belongs to an incident from one minute to another, both included."""

    cell: Cell
    first: int
    last: int
    reason: Reason
    strength: Strength

    def has_minute(self, minute: int) -> bool:
        return self.first <= minute <= self.last


@dataclass(kw_only=True)
class Cluster:
    """
    Failures with one cause.

    Attributes:
        count: failures of the members within their minutes.
        first, last: the minutes of the first and the last of these failures.
    """

    key: Key
    members: list[Member]
    count: int = 0
    first: int = 0
    last: int = 0

    @property
    def services(self) -> tuple[str, ...]:
        return tuple(sorted({member.cell.service for member in self.members}))


@dataclass(frozen=True, kw_only=True)
class Incident:
    """
    A present incident as it is stored.

    Attributes:
        incident_id: a lower number is an older incident.
        key: the key that it had when it was last gathered.
        ended: the minute of its end; None while it is open.
    """

    incident_id: int
    key: Key
    members: tuple[Member, ...] = ()
    ended: int | None = None


@dataclass(frozen=True, kw_only=True)
class Decisions:
    """
    The decisions of people, which win over every rule.

    Attributes:
        belongs: the incident of a cell.
        never: pairs of a cell and an incident to which it never belongs.
        merged: the incident into which another was merged, by the other.
        apart: pairs of incidents that were split, the lower number first; they are never merged by a rule.
    """

    belongs: Mapping[Cell, int] = field(default_factory=dict)
    never: frozenset[tuple[Cell, int]] = frozenset()
    merged: Mapping[int, int] = field(default_factory=dict)
    apart: frozenset[tuple[int, int]] = frozenset()

    def find_survivor(self, incident_id: int) -> int:
        """Return the incident into which this one was merged, directly or through others; else itself."""
        passed = set()
        while incident_id in self.merged and incident_id not in passed:
            passed.add(incident_id)
            incident_id = self.merged[incident_id]
        return incident_id

    def is_apart(self, one: int, other: int) -> bool:
        return (min(one, other), max(one, other)) in self.apart
