"""How fast the failures of an incident come, and whether they become more."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from messages_app.incidents.models import Incident
from messages_app.incidents.selectors import failures_by_minute

_HOUR = timedelta(hours=1)
# The last hour and the hour before it.
RATED = 2 * _HOUR
# Of two rates, the larger one is this many times the smaller one, or they are equal.
_NOTABLE = 1.25


@dataclass(frozen=True, kw_only=True)
class Rate:
    """
    The failures of the last hour.

    Args:
        trend: rising, falling or steady since the hour before; empty without failures in the last hour.
    """

    last_hour: int
    trend: str


def read_rates(incidents: Collection[Incident], *, now: datetime) -> Mapping[int, Rate]:
    """Return the rate of each incident by its id; 0 for one that has ended."""
    rates = {incident.pk: Rate(last_hour=0, trend="") for incident in incidents if not incident.is_open}
    minutes = failures_by_minute([incident.pk for incident in incidents if incident.is_open], now - RATED)
    return rates | {incident_id: compare_hours(counts, now=now) for incident_id, counts in minutes.items()}


def compare_hours(minutes: Sequence[tuple[datetime, int]], *, now: datetime) -> Rate:
    """
    Compare the last hour with the one before.

    Args:
        minutes: (start of the minute, failures), at least those of RATED.
    """
    last = sum(failures for minute, failures in minutes if minute > now - _HOUR)
    before = sum(failures for minute, failures in minutes if now - RATED < minute <= now - _HOUR)
    if not last:
        trend = ""
    elif last > before * _NOTABLE:
        trend = "rising"
    elif before > last * _NOTABLE:
        trend = "falling"
    else:
        trend = "steady"
    return Rate(last_hour=last, trend=trend)
