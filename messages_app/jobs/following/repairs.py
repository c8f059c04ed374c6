"""The jobs that repaired messages: those of a time, and those of a group of failures."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from messages_app.jobs.following.since import Since, since
from messages_app.jobs.models import Job
from messages_app.jobs.queries import JobProgress, progress_of_jobs
from messages_app.jobs.sql import statement
from messages_app.jobs.states import FINAL_STATES, JobKind

# They give messages another attempt, or put an end to them.
REPAIRING_KINDS = (JobKind.RESTART, JobKind.CANCEL, JobKind.REPROCESS)
MOST_REPAIRS = 20
# Of a group's newest messages, so many are looked up, each in its newest jobs.
_MESSAGES, _JOBS = 100, 5
# What became of a job's messages is told by so many of them, within this time.
_LOOKED_AT, _SECONDS = 1_000, 0.1


@dataclass(frozen=True, kw_only=True)
class Repair:
    """A job that repaired messages, and how many of them are OK, failed or in progress now."""

    progress: JobProgress
    since: Since

    @property
    def job(self) -> Job:
        return self.progress.job


def repairs_since(moment: datetime, *, most: int = MOST_REPAIRS) -> list[Repair]:
    """Return the repairing jobs that ended since a moment and did anything, the last one first."""
    ended = Job.objects.filter(
        finished_at__gte=moment, state__in=sorted(FINAL_STATES), kind__in=REPAIRING_KINDS, dry_run=False
    )
    found = progress_of_jobs(list(ended.order_by("-finished_at", "-job_id")[:most]))
    return [_repair(progress) for progress in found if progress.done]


def repairs_of_groups(group_ids: Collection[int]) -> Mapping[int, list[Job]]:
    """Return, by failure group, the jobs that had its newest messages after they failed, the newest first."""
    values = {"groups": list(group_ids), "messages": _MESSAGES, "jobs": _JOBS}
    with connection.cursor() as cursor:
        cursor.execute(statement("jobs_of_groups"), values | {"kinds": [JobKind.RESTART, JobKind.CANCEL]})
        rows = cursor.fetchall()
    jobs = Job.objects.in_bulk({job_id for _, job_id in rows})
    found = defaultdict(list)
    for group_id, job_id in rows:
        found[group_id].append(jobs[job_id])
    return found


def _repair(progress: JobProgress) -> Repair:
    return Repair(progress=progress, since=since(progress.job, most=_LOOKED_AT, seconds=_SECONDS))
