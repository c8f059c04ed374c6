"""
When messages arrive: over two years, in growing numbers, by day, week and hour, with a peak after the outage.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random

HOUR = 3600.0
DAY = 24 * HOUR

AGE_DAYS = 730
# Everything older may be archived: two months, and some days because months differ in length.
RECENT_DAYS = 62
_RECENT_SHARE = 0.48

_WEEKDAYS = (1.0, 1.05, 1.0, 1.0, 0.9, 0.4, 0.25)
_HOURS = (
    0.10, 0.08, 0.30, 0.25, 0.10, 0.15, 0.35, 0.70, 1.10, 1.35, 1.40, 1.30,
    1.05, 1.15, 1.25, 1.20, 1.05, 0.85, 0.65, 0.55, 0.45, 0.35, 0.25, 0.15,
)  # fmt: skip
_AFTER_OUTAGE = 1.8
_AFTER_OUTAGE_HOURS = 4
# The outage begins and ends at a round time.
_OUTAGE_STEP = 600.0


@dataclass(frozen=True, kw_only=True)
class Outage:
    """When the outage began and ended, seconds since 1970."""

    begins_at: float
    ends_at: float

    def has_moment(self, at: float) -> bool:
        return self.begins_at <= at < self.ends_at


def last_outage(now: float) -> Outage:
    """Return the outage: three and a half hours long, it ended an hour ago, within today's windows."""
    ends_at = now - HOUR
    ends_at -= ends_at % _OUTAGE_STEP
    return Outage(begins_at=ends_at - 3.5 * HOUR, ends_at=ends_at)


def make_arrivals(*, count: int, now: float, outage: Outage, random: Random) -> Iterator[float]:
    """Yield `count` times of arrival in ascending order, seconds since 1970, up to `now`."""
    hours = [_hour_weight(index, now, outage) for index in range(AGE_DAYS * 24)]
    weights = _with_shares(hours)
    owed, arrived = 0.0, 0
    for index, weight in enumerate(weights):
        owed += count * weight
        arriving = round(owed) - arrived
        arrived += arriving
        begins_at = now - (AGE_DAYS * 24 - index) * HOUR
        yield from sorted(begins_at + random.random() * (HOUR - 1) for _ in range(arriving))


def _hour_weight(index: int, now: float, outage: Outage) -> float:
    at = now - (AGE_DAYS * 24 - index - 0.5) * HOUR
    moment = datetime.fromtimestamp(at, UTC)
    growth = 0.6 + 0.4 * index / (AGE_DAYS * 24)
    jump = _AFTER_OUTAGE if 0 <= at - outage.ends_at < _AFTER_OUTAGE_HOURS * HOUR else 1.0
    return growth * _WEEKDAYS[moment.weekday()] * _HOURS[moment.hour] * jump


def _with_shares(hours: list[float]) -> list[float]:
    """Scale both parts so that the recent part has its share, and the total is 1."""
    border = (AGE_DAYS - RECENT_DAYS) * 24
    old, recent = sum(hours[:border]), sum(hours[border:])
    return [weight * (1 - _RECENT_SHARE) / old for weight in hours[:border]] + [
        weight * _RECENT_SHARE / recent for weight in hours[border:]
    ]
