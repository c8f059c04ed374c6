"""Whether targets were met on the days of the last month, from stored counts. Days are those of UTC."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import TextChoices

from messages_app.core.formatting import format_duration, format_number, format_percent
from messages_app.messages.call_counts.selectors import days_of_system_within
from messages_app.messages.metrics.counts import days_of_service_within
from messages_app.service_map.participants import Participant, read_periods
from messages_app.service_map.targets.models import Profile

DAYS = 30
_DAY = timedelta(days=1)
# Shares are compared with targets as they are shown; sums of floats may be off by less.
_TOLERANCE = 1e-9

# By day: (all, part of them).
Parts = Mapping[datetime, tuple[int, int]]


@dataclass(frozen=True, kw_only=True)
class Day:
    """
    One day of a target.

    Args:
        share: the measured share, 0 to 1; None if nothing ended.
        is_met: None if nothing ended.
    """

    day: date
    ended: int
    share: float | None
    is_met: bool | None

    @property
    def words(self) -> str:
        if self.share is None:
            return f"{self.day}: nothing ended"
        met = "met" if self.is_met else "missed"
        return f"{self.day}: {format_percent(self.share)} of {format_number(self.ended)}, {met}"


class Measure(TextChoices):
    """The meaning of the shares of a target's days."""

    IN_TIME = "in_time", "In time"
    FAILED = "failed", "Failed"


@dataclass(frozen=True, kw_only=True)
class Month:
    """
    A target with its days, the oldest first.

    Args:
        words: the target.
    """

    words: str
    measure: Measure
    days: Sequence[Day]

    @property
    def today(self) -> Day:
        return self.days[-1]

    @property
    def met(self) -> int:
        return sum(day.is_met is True for day in self.days)

    @property
    def measured(self) -> int:
        return sum(day.is_met is not None for day in self.days)


def read_months(participant: Participant, profile: Profile, now: datetime) -> list[Month]:
    """Return the month of each target that is set."""
    end = now.replace(hour=0, minute=0, second=0, microsecond=0) + _DAY
    start = end - DAYS * _DAY
    months = []
    step, seconds = profile.within_step, profile.within_seconds
    if step is not None and seconds is not None and profile.within_share is not None:
        read = days_of_service_within if participant.is_service else days_of_system_within
        time = format_duration(timedelta(seconds=seconds))
        months.append(
            _make_month(
                f"{format_percent(profile.within_share)} within {time}",
                Measure.IN_TIME,
                read(participant.name, start=start, step=step),
                start=start,
                least=profile.within_share,
            )
        )
    if profile.failed_share is not None:
        periods = read_periods(participant, start=start, end=end, period="day")
        failed = {at: (succeeded + failed, failed) for at, (succeeded, failed) in periods.items()}
        words = f"at most {format_percent(profile.failed_share)} failed"
        months.append(_make_month(words, Measure.FAILED, failed, start=start, most=profile.failed_share))
    return months


def _make_month(
    words: str, measure: Measure, parts: Parts, *, start: datetime, least: float = 0.0, most: float = 1.0
) -> Month:
    days = []
    for number in range(DAYS):
        at = start + number * _DAY
        ended, part = parts.get(at, (0, 0))
        share = part / ended if ended else None
        is_met = None if share is None else least - _TOLERANCE <= share <= most + _TOLERANCE
        days.append(Day(day=at.date(), ended=ended, share=share, is_met=is_met))
    return Month(words=words, measure=measure, days=days)
