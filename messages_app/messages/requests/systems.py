"""
How external systems do: external calls that are not through, and the newest responses.

Both are read by an index up to a fence, so they cost the same whatever the hub holds.

Source: docs/spec/design.md, "First page".
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from math import ceil

from messages_app.core.statements import Statements
from messages_app.shared.external_calls import system_of
from messages_app.shared.message_states import ExternalCallState

statements = Statements("messages_app.messages.requests")


# Calls of each state, and responses, that are checked: the newest.
FENCE = 2_000
_OPEN = sorted(set(ExternalCallState) - {ExternalCallState.OK})


@dataclass(kw_only=True)
class OutsideSystem:
    """
    One system: the host of an address, or what else calls name.

    Args:
        calls: external calls that are not through, by state: as far as the FENCE of each state goes.
        responses, failed: of the newest FENCE responses of all systems, those of this one, and the failed.
        p95_seconds: nineteen of twenty of these came no later after their request; None without any.
    """

    name: str
    calls: dict[str, int] = field(default_factory=dict)
    responses: int = 0
    failed: int = 0
    p95_seconds: float | None = None


def outside_systems(*, since: datetime, most: int = 20) -> list[OutsideSystem]:
    """
    Return the systems with calls that are not through, or responses since a time; those first that fail.
    """
    found: dict[str, OutsideSystem] = {}
    for operation, state, count in statements.rows("open_calls", {"states": _OPEN, "fence": FENCE}):
        system = _system(found, operation)
        system.calls[state] = system.calls.get(state, 0) + count
    _add_responses(found, statements.rows("newest_responses", {"since": since, "fence": FENCE}))
    return sorted(found.values(), key=_urgency)[:most]


def _system(found: dict[str, OutsideSystem], target: str) -> OutsideSystem:
    name = system_of(target)
    return found.setdefault(name, OutsideSystem(name=name))


def _add_responses(found: dict[str, OutsideSystem], rows: Iterable[tuple[str, bool, float]]) -> None:
    waits: dict[str, list[float]] = {}
    for uri, has_failed, seconds in rows:
        system = _system(found, uri)
        system.responses += 1
        system.failed += has_failed
        waits.setdefault(system.name, []).append(seconds)
    for name, times in waits.items():
        found[name].p95_seconds = sorted(times)[ceil(0.95 * len(times)) - 1]


def _urgency(system: OutsideSystem) -> tuple[int, int, int, str]:
    not_through = sum(count for state, count in system.calls.items() if state != ExternalCallState.PROCESSING)
    return -system.failed, -not_through, -system.responses, system.name
