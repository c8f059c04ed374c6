"""Full disks: the job is paused, so that it does not use up its attempts, and resumes when there is space."""

import errno
import re

import psycopg
from django.conf import settings

from messages_app.core.statements import Statements
from messages_app.jobs.leases import Lease, pause_job
from messages_app.jobs.services.control import resume_by_itself
from messages_app.shared.job_states import JobState, PauseReason

statements = Statements("messages_app.jobs")


# The text of an error from an executor or from Spark itself: SQLSTATE 53100, or a file that could not grow.
_FULL = re.compile(
    r"psycopg\.errors\.DiskFull: (?P<database>.+)"
    r"|(?P<file>\[Errno 28\].*|(?<!\S)\S*IOException\)?:? No space left.*)"
)


def rest_without_space(lease: Lease, error: BaseException) -> bool:
    """Pause the job if the error is a full disk. Return whether it is."""
    full = what_is_full(error)
    if full is None:
        return False
    return pause_job(
        lease,
        paused_for=PauseReason.DISK_FULL,
        from_states=[JobState.PLANNING, JobState.QUEUED, JobState.RUNNING],
        error=f"Disk full: {full} The job continues automatically when there is space.",
    )


def what_is_full(error: BaseException) -> str | None:
    """Return the message of the database or the system about a full disk; None for any other error."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, psycopg.errors.DiskFull) or getattr(cause, "errno", None) == errno.ENOSPC:
            return _first_sentence(str(cause))
        if match := _FULL.search(str(cause)):
            return _first_sentence(match["database"] or match["file"])
        cause = cause.__cause__ or cause.__context__
    return None


def _first_sentence(text: str) -> str:
    first = text.strip().splitlines()[0].strip()
    return first if first.endswith(".") else f"{first}."


def try_again() -> None:
    """
    Resume every job that has waited long enough for disk space. The job finds out whether there is space.
    """
    values = {
        "paused": JobState.PAUSED,
        "paused_for": PauseReason.DISK_FULL,
        "wait_s": settings.JOB_ROOM_SECONDS,
    }
    for job_id in statements.fetch_column("jobs_out_of_space", values):
        reason = "To check whether the disk has free space again."
        resume_by_itself(job_id, PauseReason.DISK_FULL, reason=reason)
