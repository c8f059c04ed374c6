"""What is known of recurring jobs beside their own pages."""

from dataclasses import dataclass
from datetime import datetime

from messages_app.jobs.asking.options import DEFAULT_MONTHS
from messages_app.jobs.scheduling.cron import next_run
from messages_app.jobs.scheduling.models import JobSchedule
from messages_app.jobs.showing.words import filter_words, target_words
from messages_app.jobs.states import JobKind
from messages_app.web.clock import database_clock

_MOST = 100


def next_start(kind: str, *, now: datetime) -> datetime | None:
    """Return when the next recurring job of a kind begins; None where there is none."""
    schedules = JobSchedule.objects.filter(kind=kind, enabled=True).order_by("-schedule_id")[:_MOST]
    return min((next_run(each.cron, each.zone, now=now) for each in schedules), default=None)


@dataclass(frozen=True, kw_only=True)
class ArchiveRun:
    """The next run of a schedule that archives: messages of its filter, of that age, and where they go."""

    schedule_id: int
    at: datetime
    months: object
    filter_words: list[tuple[str, str]]
    target: str


def next_archive_runs() -> list[ArchiveRun]:
    """Return the next run of each schedule that archives messages, the soonest first."""
    now = database_clock()
    schedules = JobSchedule.objects.filter(kind=JobKind.ARCHIVE, enabled=True).order_by("-schedule_id")[
        :_MOST
    ]
    runs = [
        ArchiveRun(
            schedule_id=each.pk,
            at=next_run(each.cron, each.zone, now=now),
            months=each.options.get("older_than_months", DEFAULT_MONTHS),
            filter_words=filter_words(each.kind, each.filter),
            target=target_words(each.options.get("to", "tables")),
        )
        for each in schedules
    ]
    return sorted(runs, key=lambda run: run.at)
