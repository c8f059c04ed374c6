"""Services and external systems, the participants of the map, with what is counted about one of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.db.models import Min, QuerySet

from messages_app.core.clock import database_clock
from messages_app.incidents.listing import (
    MAX_SERVICE,
    IncidentLine,
    open_incidents,
    recently_closed_incidents,
)
from messages_app.messages.call_counts import selectors as call_counts
from messages_app.messages.call_counts.models import CallRollup
from messages_app.messages.metrics import counts
from messages_app.messages.metrics.models import MessageRollup
from messages_app.messages.traffic.systems import FENCE, outside_systems
from messages_app.service_map.flows import Causes, TimedFlow, read_timed_flows
from messages_app.shared.system_names import MAX_SYSTEM
from messages_app.shared.took_steps import find_percentile

HOUR, HOURS = timedelta(hours=1), 24
_WEEK = timedelta(days=7)


class Kind(StrEnum):
    SERVICE = "service"
    SYSTEM = "system"


@dataclass(frozen=True)
class Participant:
    """A service, or an external system."""

    kind: Kind
    name: str

    @property
    def is_service(self) -> bool:
        return self.kind is Kind.SERVICE

    def is_valid(self) -> bool:
        """Whether a row can have this name."""
        return "\0" not in self.name and 0 < len(self.name) <= (
            MAX_SERVICE if self.is_service else MAX_SYSTEM
        )

    def is_known(self) -> bool:
        """Whether something was counted about it, or an incident names it."""
        counted: QuerySet[MessageRollup] | QuerySet[CallRollup]
        if self.is_service:
            counted = MessageRollup.objects.filter(service_name=self.name)
        else:
            counted = CallRollup.objects.filter(external_system=self.name)
        # For EXISTS, the planner may scan the table.
        return counted.aggregate(first=Min("minute"))["first"] is not None


@dataclass(frozen=True, kw_only=True)
class Hour:
    """The messages or calls of an hour that succeeded and failed, and the ended ones a week before."""

    at: datetime
    succeeded: int
    failed: int
    week_before: int


@dataclass(frozen=True, kw_only=True)
class Figures:
    """
    The last 24 hours of a participant: of the messages of a service, or of the calls to a system.

    Args:
        p50_seconds, p95_seconds: of the durations; None without any.
        flows: its calls by service and system.
    """

    hours: Sequence[Hour]
    p50_seconds: float | None
    p95_seconds: float | None
    flows: Sequence[TimedFlow]

    @property
    def succeeded(self) -> int:
        return sum(hour.succeeded for hour in self.hours)

    @property
    def failed(self) -> int:
        return sum(hour.failed for hour in self.hours)

    @property
    def ended(self) -> int:
        return self.succeeded + self.failed

    @property
    def week_before(self) -> int:
        return sum(hour.week_before for hour in self.hours)

    @property
    def failed_share(self) -> float | None:
        return self.failed / self.ended if self.ended else None


def find_day(now: datetime) -> datetime:
    """Return the start of the hours of the figures; the last hour is not over."""
    return now.replace(minute=0, second=0, microsecond=0) - (HOURS - 1) * HOUR


def read_figures(participant: Participant, now: datetime, causes: Causes) -> Figures:
    start = find_day(now)
    service, system = (participant.name if participant.kind is kind else None for kind in Kind)
    flows = read_timed_flows(since=start, now=now, causes=causes, service=service, system=system)
    if participant.is_service:
        durations = counts.durations_of_service(participant.name, since=start)
    else:
        durations = sorted(each for one in flows for each in one.durations)
    return Figures(
        hours=_read_hours(participant, start),
        p50_seconds=find_percentile(durations, 0.5),
        p95_seconds=find_percentile(durations, 0.95),
        flows=flows,
    )


def read_periods(
    participant: Participant, *, start: datetime, end: datetime, period: str
) -> Mapping[datetime, tuple[int, int]]:
    """Return what succeeded and failed in each hour or day (UTC)."""
    read = counts.periods_of_service if participant.is_service else call_counts.periods_of_system
    return read(participant.name, start=start, end=end, period=period)


def _read_hours(participant: Participant, start: datetime) -> list[Hour]:
    end = start + HOURS * HOUR
    current = read_periods(participant, start=start, end=end, period="hour")
    before = read_periods(participant, start=start - _WEEK, end=end - _WEEK, period="hour")
    hours = []
    for number in range(HOURS):
        at = start + number * HOUR
        succeeded, failed = current.get(at, (0, 0))
        week_before = sum(before.get(at - _WEEK, (0, 0)))
        hours.append(Hour(at=at, succeeded=succeeded, failed=failed, week_before=week_before))
    return hours


def read_incidents(participant: Participant) -> tuple[list[IncidentLine], list[IncidentLine]]:
    """Return its open incidents, and its incidents that ended in the last days."""
    value: object = [participant.name] if participant.is_service else participant.name
    values = {"service_name" if participant.is_service else "external_system": value}
    return open_incidents(values), recently_closed_incidents(values)


def find_participant(kind: Kind, name: str) -> Participant | None:
    """Return a service or system; None if nothing is known about it."""
    participant = Participant(kind, name)
    is_found = participant.is_valid() and (
        participant.is_known() or any(read_incidents(participant)) or _has_answered(participant)
    )
    return participant if is_found else None


def _has_answered(participant: Participant) -> bool:
    """Whether the system answered requests in the last day, even if its calls are not counted (yet)."""
    if participant.is_service:
        return False
    since = database_clock() - HOURS * HOUR
    return any(system.name == participant.name for system in outside_systems(since=since, most=FENCE))
