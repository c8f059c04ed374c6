"""Notifications of browsers: the jobs of a person that ended, or that wait for a person."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.core.formatting import format_number
from messages_app.core.statements import Statements
from messages_app.jobs.labels import title_of
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import JobProgress, progress_of_jobs
from messages_app.shared.job_states import JobState, PauseReason

statements = Statements("messages_app.jobs")

_MAX_JOBS = 20
# A browser that was asleep does not report older ends.
_MAX_AGE_SECONDS = 3_600
# Longer than the transaction that ends a job.
_OVERLAP_SECONDS = 60
_ENDS = {JobState.DONE: "is done", JobState.FAILED: "failed", JobState.STOPPED: "was stopped"}


@dataclass(frozen=True, kw_only=True)
class JobNotice:
    """
    One notification.

    Args:
        key: the same whenever this end of the job is reported, so that browsers show it once.
    """

    key: str
    address: str
    title: str
    text: str


@dataclass(frozen=True, kw_only=True)
class JobNotices:
    """Notifications with the moment from which the next request asks."""

    read_at: datetime
    notices: Sequence[JobNotice]


def list_job_notices(user: Caller, since: datetime) -> JobNotices | None:
    """Return what happened to the jobs of `user` since a moment; None: the user may not see jobs."""
    if not user.has_perm(roles.CAN_VIEW_JOBS):
        return None
    values = {
        "user_id": user.pk,
        "since": since,
        "most": _MAX_JOBS,
        "longest_s": _MAX_AGE_SECONDS,
        "overlap_s": _OVERLAP_SECONDS,
        "undecided": PauseReason.CANARY_UNDECIDED,
    }
    read_at, job_ids = statements.only_row("jobs_to_notify", values)
    jobs = Job.objects.in_bulk(job_ids) if job_ids else {}
    rows = progress_of_jobs([jobs[job_id] for job_id in dict.fromkeys(job_ids) if job_id in jobs])
    return JobNotices(read_at=read_at, notices=[_describe_job(progress) for progress in rows])


def _describe_job(progress: JobProgress) -> JobNotice:
    job = progress.job
    moment = job.finished_at or job.paused_at
    return JobNotice(
        key=f"{job.pk}-{job.paused_for or job.state}-{moment:%Y%m%d%H%M%S%f}",
        address=f"/jobs/{job.pk}/",
        title=f"Job {job.pk} {_describe_end(job)}",
        text=f"{title_of(job)}{_describe_numbers(progress)}",
    )


def _describe_end(job: Job) -> str:
    if job.paused_for == PauseReason.SECOND_PERSON:
        return "waits for approval by a second person"
    if job.paused_for == PauseReason.CANARY_UNDECIDED:
        return "waits for Resume after its test batch"
    return "is planned: the dry run has ended" if job.dry_run else _ENDS.get(JobState(job.state), "continues")


def _describe_numbers(progress: JobProgress) -> str:
    numbers = {"done": progress.done, "skipped": progress.skipped, "failed": progress.failed}
    if progress.job.state == JobState.PLANNED:
        numbers = {"planned": progress.planned}
    words = ", ".join(f"{format_number(count)} {name}" for name, count in numbers.items() if count)
    return f": {words}" if words else ""
