"""Everything that the page of a service or external system shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from messages_app.core.clock import database_clock
from messages_app.incidents.listing import IncidentLine
from messages_app.messages.metrics.failing import count_failing_by_service
from messages_app.service_map.flows import find_causes
from messages_app.service_map.participants import Figures, Participant, find_day, read_figures, read_incidents
from messages_app.service_map.targets.models import Profile
from messages_app.service_map.targets.months import Month, read_months
from messages_app.service_map.targets.services import read_profile


@dataclass(frozen=True, kw_only=True)
class Overview:
    """
    A service or external system at this moment.

    Args:
        start: of the figures.
        failing_now: messages of a service, or rows in the open incidents of a system, that are FAILED.
        opened, closed: incidents that are open, and incidents that ended in the last days.
        months: the last 30 days of its targets.
    """

    participant: Participant
    start: datetime
    figures: Figures
    failing_now: int
    opened: Sequence[IncidentLine]
    closed: Sequence[IncidentLine]
    profile: Profile
    months: Sequence[Month]

    @property
    def is_owned(self) -> bool:
        """Whether it has open incidents, all of them with an owner."""
        return bool(self.opened) and all(line.incident.owner for line in self.opened)

    @property
    def missed_today(self) -> int:
        """The number of its targets that are missed today."""
        return sum(month.today.is_met is False for month in self.months)

    @property
    def is_measured_today(self) -> bool:
        return any(month.today.is_met is not None for month in self.months)


def read_overview(participant: Participant) -> Overview:
    now = database_clock()
    opened, closed = read_incidents(participant)
    if participant.is_service:
        failing_now = count_failing_by_service()[participant.name]
    else:
        failing_now = sum(line.failing_now for line in opened)
    profile = read_profile(participant)
    return Overview(
        participant=participant,
        start=find_day(now),
        figures=read_figures(participant, now, find_causes(opened)),
        failing_now=failing_now,
        opened=opened,
        closed=closed,
        profile=profile,
        months=read_months(participant, profile, now),
    )
