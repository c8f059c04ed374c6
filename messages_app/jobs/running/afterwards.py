"""What can still be done about a job that has ended, and the jobs that came of it."""

from dataclasses import dataclass

from messages_app.jobs import services
from messages_app.jobs.changing.repeating import Deadline
from messages_app.jobs.models import Job
from messages_app.jobs.queries import JobProgress
from messages_app.jobs.states import FINAL_STATES, RETRYABLE_KINDS

_MOST_FOLLOWERS = 10


@dataclass(frozen=True, kw_only=True)
class Afterwards:
    """
    Args:
        undo: until when it may be undone; None where it did nothing that could be.
        may_retry: some of its messages failed, and may be tried again.
        undone_by, retried_by: the jobs that undo it, or try again what failed in it, newest first.
    """

    undo: Deadline | None
    may_retry: bool
    undone_by: list[Job]
    retried_by: list[Job]


def afterwards_of(progress: JobProgress) -> Afterwards | None:
    """Return what comes after a job, None while it has not ended."""
    job = progress.job
    if job.state not in FINAL_STATES or job.dry_run:
        return None
    return Afterwards(
        undo=services.undo_deadline(job) if progress.done else None,
        may_retry=job.kind in RETRYABLE_KINDS and progress.failed > 0,
        undone_by=_newest(undo_of=job.pk),
        retried_by=_newest(retry_of=job.pk),
    )


def _newest(**link: int) -> list[Job]:
    return list(Job.objects.filter(**link).order_by("-job_id")[:_MOST_FOLLOWERS])
