"""Reads of schedules for other pages: the next runs, and the effect of a run now."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db import OperationalError

from messages_app.access.actors import Caller
from messages_app.core.clock import database_clock
from messages_app.core.pagination.paginator import Branch, Order, Page, fetch_page
from messages_app.jobs.errors import InvalidJob
from messages_app.jobs.kinds.options import DEFAULT_MONTHS, target_words
from messages_app.jobs.kinds.registry import kinds_undone_by
from messages_app.jobs.labels import filter_words
from messages_app.jobs.models import Job, JobSchedule
from messages_app.jobs.preview.estimates import Estimate
from messages_app.jobs.preview.quick import preview_job
from messages_app.jobs.schedules import relative_times
from messages_app.jobs.schedules.times import next_run
from messages_app.jobs.validation import check_job
from messages_app.messages.attachment import NotAttachedForThis
from messages_app.shared.job_records import Given
from messages_app.shared.job_states import JobState

_MAX_SCHEDULES = 100
_NEWEST_FIRST = Order(column="schedule_id", key="schedule_id", descending=True)
# No job is created, so that no one reads it.
_REASON_OF_COUNT = "count"


def schedule_page(
    *, kind: str | None = None, is_enabled: bool | None = None, cursor: str | None = None
) -> Page:
    """
    Return one page of schedules, newest first.

    Raises:
        Problem: 400, the cursor is of another list.
    """
    columns = {"kind": kind, "enabled": is_enabled}
    lookups = {name: value for name, value in columns.items() if value is not None}
    branches = [Branch(rows=JobSchedule.objects.filter(**lookups))]
    return fetch_page(
        branches, order=_NEWEST_FIRST, cursor=cursor, page_size=_MAX_SCHEDULES, scope=str(lookups)
    )


def next_start(kinds: Collection[str], *, now: datetime) -> datetime | None:
    """Return the start of the next recurring job of any of the kinds, or None."""
    schedules = JobSchedule.objects.filter(kind__in=kinds, enabled=True).order_by("-schedule_id")[
        :_MAX_SCHEDULES
    ]
    return min((next_run(each.cron, each.zone, now=now) for each in schedules), default=None)


@dataclass(frozen=True, kw_only=True)
class FailedSchedule:
    """
    A schedule whose last run failed.

    Args:
        at: the time of this run.
        why: why the run made no job; empty if its job failed.
        job: the job of the run, which failed; None: it made no job.
    """

    schedule: JobSchedule
    at: datetime
    why: str
    job: Job | None


def failed_schedules() -> list[FailedSchedule]:
    """Return the enabled schedules whose last run was refused or made a job that failed, newest run first."""
    enabled = JobSchedule.objects.filter(enabled=True).order_by("-schedule_id")[:_MAX_SCHEDULES]
    runs = [(each, each.recent_runs[0]) for each in enabled if each.recent_runs]
    jobs = Job.objects.filter(state=JobState.FAILED).in_bulk([run["job"] for _, run in runs if run["job"]])
    failed = [
        FailedSchedule(
            schedule=each,
            at=datetime.fromisoformat(run["at"]),
            why="" if run["job"] else each.last_outcome,
            job=jobs.get(run["job"]) if run["job"] else None,
        )
        for each, run in runs
        if run["outcome"] == "refused" or run["job"] in jobs
    ]
    return sorted(failed, key=lambda one: one.at, reverse=True)


@dataclass(frozen=True, kw_only=True)
class ArchiveRun:
    """The next run of a schedule that archives messages: its time, filter, age limit and destination."""

    schedule_id: int
    at: datetime
    months: object
    filter_words: list[tuple[str, str]]
    target: str


def next_archive_runs(kind: str) -> list[ArchiveRun]:
    """Return the next run of each schedule whose jobs a job of this kind undoes, the soonest first."""
    now = database_clock()
    schedules = JobSchedule.objects.filter(kind__in=kinds_undone_by(kind), enabled=True)
    runs = [
        ArchiveRun(
            schedule_id=each.pk,
            at=next_run(each.cron, each.zone, now=now),
            months=each.options.get("older_than_months", DEFAULT_MONTHS),
            filter_words=filter_words(each.kind, each.filter),
            target=target_words(each.options.get("to", "tables")),
        )
        for each in schedules.order_by("-schedule_id")[:_MAX_SCHEDULES]
    ]
    return sorted(runs, key=lambda run: run.at)


@dataclass(frozen=True, kw_only=True)
class Today:
    """
    Args:
        messages: the number that its job would change; None: not known in time, or the job would be refused.
        refusal: a sentence why the job would be refused; otherwise empty.
    """

    messages: Estimate | None
    refusal: str = ""


def messages_today(schedule: JobSchedule) -> Today:
    """Return the effect of a run now. The permissions of the owner are not checked."""
    return count_now(
        kind=schedule.kind,
        filter=schedule.filter,
        options=schedule.options,
        reason=schedule.reason,
        user=None,
    )


def count_now(
    *, kind: str, filter: Given, options: Given, reason: str = _REASON_OF_COUNT, user: Caller | None
) -> Today:
    """
    Return the effect of a run now.

    Args:
        filter: its times may be relative.
        user: whose permissions decide; None: no limits.

    Raises:
        NotAllowed: `user` may not create such a job.
    """
    now = database_clock()
    exact = relative_times.with_exact_times(relative_times.as_address(filter, now=now), now=now)
    try:
        report = preview_job(check_job(kind=kind, filter=exact, options=options, reason=reason, user=user))
    except (InvalidJob, NotAttachedForThis) as error:
        return Today(messages=None, refusal=str(error))
    except OperationalError:
        return Today(messages=None)
    least, most = report["to_do_between"]
    return Today(messages=Estimate(least=least, about=report["to_do"], most=most))
