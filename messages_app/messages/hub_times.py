"""
When the hub tries a message again, by the settings of the console, which say what the hub's own files say.

Source: docs/spec/cleverbus.md, "Retries", "Built-in alert".
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

# partlyFailedRepeatTime: how often the hub looks for messages to try again.
POLL_EVERY = timedelta(seconds=settings.HUB_POLL_SECONDS)
# partlyFailedInterval, postponedInterval: how long such a message rests at least.
PARTLY_FAILED_RESTS = timedelta(seconds=settings.HUB_FAILED_REST_SECONDS)
POSTPONED_RESTS = timedelta(seconds=settings.HUB_POSTPONED_REST_SECONDS)


# The times that pages about actions tell: when the hub polls, and how a time is written.


def picked_up(restarted_at: datetime) -> tuple[datetime, datetime]:
    """Return when the hub picks up a message restarted at that time: at the earliest, and at the latest."""
    earliest = restarted_at + PARTLY_FAILED_RESTS
    return earliest, earliest + POLL_EVERY


def clock_time(moment: datetime) -> str:
    """Write a time of about today, in the console's zone: 13:58:20 UTC."""
    local = timezone.localtime(moment)
    return f"{local:%H:%M:%S} {local.tzname()}"


def day_and_time(moment: datetime) -> str:
    """Write any time, in the console's zone: 2026-11-21 13:58 UTC."""
    local = timezone.localtime(moment)
    return f"{local:%Y-%m-%d %H:%M} {local.tzname()}"
