"""
The state of external systems: their open external calls, and their newest responses.

Both are read by an index up to a fence, so the cost does not depend on the size of the hub's tables.

Source: docs/contributing/spec/design.md, "First page".
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from math import ceil

from messages_app.core.statements import Statements
from messages_app.shared.external_calls import system_of
from messages_app.shared.message_states import ExternalCallState
from messages_app.shared.system_names import is_servlet

statements = Statements("messages_app.messages.traffic")


# The number of newest calls in each state, and of newest responses, that are read.
FENCE = 2_000


_OPEN = sorted(set(ExternalCallState) - {ExternalCallState.OK})


class Health(StrEnum):
    """The health of an external system."""

    FAILING = "failing"
    PARTLY = "partly failing"
    HEALTHY = "healthy"
    UNKNOWN = "unknown"


@dataclass(kw_only=True)
class OutsideSystem:
    """
    An external system: the host of an address, or another name in calls.

    Args:
        calls: the numbers of open external calls by state, each up to FENCE.
        responses, failed: the number of its responses and of failed ones, among the newest FENCE responses of
            all systems.
        p95_seconds: the 95th percentile of the time from request to response; None without responses.
    """

    name: str
    calls: dict[str, int] = field(default_factory=dict)
    responses: int = 0
    failed: int = 0
    p95_seconds: float | None = None

    @property
    def health(self) -> Health:
        """Whether at least half of its responses failed, some did, or none; unknown without responses."""
        if not self.responses:
            return Health.UNKNOWN
        if 2 * self.failed >= self.responses:
            return Health.FAILING
        return Health.PARTLY if self.failed else Health.HEALTHY


def outside_systems(*, since: datetime, most: int = 20) -> list[OutsideSystem]:
    """Return the systems with open calls, or with responses since a time. Failing systems come first."""
    systems: dict[str, OutsideSystem] = {}
    for operation, state, count in statements.fetch_rows("open_calls", {"states": _OPEN, "fence": FENCE}):
        if is_servlet(operation):
            continue
        system = _system_of(systems, operation)
        system.calls[state] = system.calls.get(state, 0) + count
    _add_responses(systems, statements.fetch_rows("newest_responses", {"since": since, "fence": FENCE}))
    return sorted(systems.values(), key=_urgency_of_system)[:most]


def _system_of(systems: dict[str, OutsideSystem], target: str) -> OutsideSystem:
    name = system_of(target)
    return systems.setdefault(name, OutsideSystem(name=name))


def _add_responses(systems: dict[str, OutsideSystem], rows: Iterable[tuple[str, bool, float | None]]) -> None:
    waits: dict[str, list[float]] = {}
    for uri, has_failed, seconds in rows:
        if is_servlet(uri):
            continue
        system = _system_of(systems, uri)
        system.responses += 1
        system.failed += has_failed
        if seconds is not None:
            waits.setdefault(system.name, []).append(seconds)
    for name, times in waits.items():
        systems[name].p95_seconds = sorted(times)[ceil(0.95 * len(times)) - 1]


def _urgency_of_system(system: OutsideSystem) -> tuple[int, int, int, str]:
    not_processing = sum(
        count for state, count in system.calls.items() if state != ExternalCallState.PROCESSING
    )
    return -system.failed, -not_processing, -system.responses, system.name
