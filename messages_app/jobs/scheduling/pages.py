"""What the page of schedules shows of each."""

from dataclasses import dataclass
from datetime import datetime

from cron_descriptor import CasingTypeEnum, Options, get_description
from django.contrib.auth.models import AbstractBaseUser

from messages_app.jobs.asking.searches import shown_filter
from messages_app.jobs.scheduling.cron import next_run
from messages_app.jobs.scheduling.models import JobSchedule
from messages_app.jobs.showing.words import KIND_WORDS, filter_words, list_link, option_words
from messages_app.web.clock import database_clock

_WORDS = Options()
_WORDS.use_24hour_time_format = True
_WORDS.casing_type = CasingTypeEnum.Sentence

# Nobody keeps more; the newest are shown.
_MOST = 200


@dataclass(frozen=True, kw_only=True)
class ScheduleRow:
    """
    Args:
        verb: what its jobs do.
        filter_words: (label, value) of each part of the filter; list_link: the list that it means.
        options: those that were given, in words.
        times: the cron line in words.
        next_run: None while it rests.
        has_made_job: whether the last run made the latest job.
    """

    schedule: JobSchedule
    verb: str
    filter_words: list[tuple[str, str]]
    list_link: str
    options: list[str]
    times: str
    next_run: datetime | None
    has_made_job: bool


def schedule_rows(user: AbstractBaseUser) -> list[ScheduleRow]:
    """Return the schedules as `user` may see them, the newest first."""
    now = database_clock()
    return [_row(schedule, user, now) for schedule in JobSchedule.objects.order_by("-schedule_id")[:_MOST]]


def _row(schedule: JobSchedule, user: AbstractBaseUser, now: datetime) -> ScheduleRow:
    filter = shown_filter(schedule.filter, user)
    return ScheduleRow(
        schedule=schedule,
        verb=KIND_WORDS[schedule.kind].verb if schedule.kind in KIND_WORDS else schedule.kind,
        filter_words=filter_words(schedule.kind, filter),
        list_link=list_link(schedule.kind, filter),
        options=[f"{label} {value}" for label, value in option_words(schedule.options)],
        times=get_description(schedule.cron, _WORDS),
        next_run=next_run(schedule.cron, schedule.zone, now=now) if schedule.enabled else None,
        has_made_job=schedule.last_outcome == f"Made job {schedule.last_job}.",
    )
