"""Jobs that repaired messages, by time and by failure group."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from messages_app.core.statements import Statements
from messages_app.jobs.kinds.registry import kind_specs
from messages_app.jobs.models import Job
from messages_app.jobs.outcomes import CurrentStatus, current_status
from messages_app.jobs.selectors import JobProgress, progress_of_jobs
from messages_app.shared.job_states import FINAL_STATES as ENDED_STATES
from messages_app.shared.job_states import StoreName

statements = Statements("messages_app.jobs")


MAX_REPAIRS = 20
# The number of a group's newest messages that are looked up, each in this number of its newest jobs.
_MESSAGES, _JOBS = 100, 5
# Of this many newest jobs, the filter is compared with an incident.
_NEWEST_JOBS = 1_000
# The number of a job's messages that are looked up, and the time limit.
_LOOKED_AT, _REPAIRS_SECONDS = 1_000, 0.1


@dataclass(frozen=True, kw_only=True)
class Repair:
    """
    A job that repaired messages, with the number of its messages that are OK, failed or in progress now.
    """

    progress: JobProgress
    status: CurrentStatus

    @property
    def job(self) -> Job:
        return self.progress.job


def repairs_since(moment: datetime, *, most: int = MAX_REPAIRS) -> list[Repair]:
    """Return the repairing jobs that ended after `moment` and changed messages, the latest first."""
    ended = Job.objects.filter(
        finished_at__gte=moment, state__in=sorted(ENDED_STATES), kind__in=_repairing_kinds(), dry_run=False
    )
    ended_jobs = progress_of_jobs(list(ended.order_by("-finished_at", "-job_id")[:most]))
    return [_repair_of_job(progress) for progress in ended_jobs if progress.done]


def repairs_of_groups(group_ids: Collection[int]) -> Mapping[int, list[Job]]:
    """
    Return, by group, the jobs that processed a group's newest messages after they had failed, newest first.
    """
    values = {"groups": list(group_ids), "messages": _MESSAGES, "jobs": _JOBS}
    rows = statements.fetch_rows("jobs_of_groups", {**values, "kinds": _repairing_kinds(StoreName.MESSAGES)})
    jobs = Job.objects.in_bulk({job_id for _, job_id in rows})
    by_group = defaultdict(list)
    for group_id, job_id in rows:
        by_group[group_id].append(jobs[job_id])
    return by_group


def repairs_of_incident(incident_id: int, *, msg_ids: Collection[int], began_at: datetime) -> list[Job]:
    """
    Return the jobs that were started for an incident, or processed its messages after it began, newest first.

    Args:
        msg_ids: its newest messages, of which up to 100 are looked up.
    """
    values = {
        "incident_id": incident_id,
        "msg_ids": list(msg_ids)[:_MESSAGES],
        "began_at": began_at,
        "jobs": _JOBS,
        "kinds": _repairing_kinds(StoreName.MESSAGES),
        "newest": _NEWEST_JOBS,
        "most": MAX_REPAIRS,
    }
    job_ids = statements.fetch_column("jobs_of_incident", values)
    jobs = Job.objects.in_bulk(job_ids)
    return [jobs[job_id] for job_id in job_ids if job_id in jobs]


def _repairing_kinds(*stores: str) -> list[str]:
    """
    Return the kinds of jobs that retry or end messages of these stores, or of all stores if none is given.
    """
    specs = kind_specs.values()
    return [spec.kind for spec in specs if spec.is_followed and (not stores or spec.store in stores)]


def _repair_of_job(progress: JobProgress) -> Repair:
    return Repair(
        progress=progress, status=current_status(progress.job, most=_LOOKED_AT, seconds=_REPAIRS_SECONDS)
    )
