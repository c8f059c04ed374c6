"""
The times at which the hub retries a message, from settings that must match the configuration of the hub.

Source: docs/spec/cleverbus.md, "Retries", "Built-in alert".
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

# partlyFailedRepeatTime: how often the hub polls for messages to retry.
POLL_EVERY = timedelta(seconds=settings.HUB_POLL_SECONDS)
# partlyFailedInterval, postponedInterval: the minimum wait before a retry.
PARTLY_FAILED_RESTS = timedelta(seconds=settings.HUB_FAILED_REST_SECONDS)
POSTPONED_RESTS = timedelta(seconds=settings.HUB_POSTPONED_REST_SECONDS)


def picked_up(restarted_at: datetime) -> tuple[datetime, datetime]:
    """Return the earliest and the latest time at which the hub picks up a message restarted at this time."""
    earliest = restarted_at + PARTLY_FAILED_RESTS
    return earliest, earliest + POLL_EVERY


def clock_time(moment: datetime) -> str:
    """Write a recent time without its date, in the console's time zone: 13:58:20 UTC."""
    local = timezone.localtime(moment)
    return f"{local:%H:%M:%S} {local.tzname()}"


def day_and_time(moment: datetime) -> str:
    """Write a time with its date, in the console's time zone: 2026-11-21 13:58 UTC."""
    local = timezone.localtime(moment)
    return f"{local:%Y-%m-%d %H:%M} {local.tzname()}"
