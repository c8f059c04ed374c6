"""What is known of recurring jobs beside their own pages."""

from datetime import datetime

from messages_app.jobs.scheduling.cron import next_run
from messages_app.jobs.scheduling.models import JobSchedule

_MOST = 100


def next_start(kind: str, *, now: datetime) -> datetime | None:
    """Return when the next recurring job of a kind begins; None where there is none."""
    schedules = JobSchedule.objects.filter(kind=kind, enabled=True).order_by("-schedule_id")[:_MOST]
    return min((next_run(each.cron, each.zone, now=now) for each in schedules), default=None)
