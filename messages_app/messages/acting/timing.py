"""The times that pages about actions tell: when the hub polls, and how a time is written."""

from datetime import datetime

from django.utils import timezone

from messages_app.messages.hub_times import PARTLY_FAILED_RESTS, POLL_EVERY


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
