"""
Faults of a disk or of a storage, which pass without the job: it is paused, keeps its attempts, and resumes.

The job itself finds out whether the fault has passed.
"""

import errno
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import psycopg
from django.conf import settings

from messages_app.core.statements import Statements
from messages_app.jobs.leases import Lease, pause_job
from messages_app.jobs.services.control import resume_by_itself
from messages_app.shared.job_states import JobState, PauseReason
from spark_tasks.storage.faults import StorageFault

statements = Statements("messages_app.jobs")


# The text of an error from an executor or from Spark itself: SQLSTATE 53100, or a file that could not grow.
_FULL = re.compile(
    r"psycopg\.errors\.DiskFull: (?P<database>.+)"
    r"|(?P<file>\[Errno 28\].*|(?<!\S)\S*IOException\)?:? No space left.*)"
)
_STORAGE = re.compile(r"spark_tasks\.storage\.faults\.Storage\w+: (?P<text>.+)")


@dataclass(frozen=True, kw_only=True)
class _Passing:
    """
    Args:
        find: returns the sentence of such a fault, or None for any other error.
        error: of the job; has a place for the sentence.
        reason: for resuming it.
    """

    find: Callable[[BaseException], str | None]
    error: str
    reason: str


def what_is_full(error: BaseException) -> str | None:
    """Return the message of the database or the system about a full disk; None for any other error."""
    for cause in _causes_of(error):
        if isinstance(cause, psycopg.errors.DiskFull) or getattr(cause, "errno", None) == errno.ENOSPC:
            return _first_sentence(str(cause))
        if match := _FULL.search(str(cause)):
            return _first_sentence(match["database"] or match["file"])
    return None


def what_is_away(error: BaseException) -> str | None:
    """Return the message about a storage that does not answer or refuses; None for any other error."""
    for cause in _causes_of(error):
        if isinstance(cause, StorageFault):
            return _first_sentence(str(cause))
        if match := _STORAGE.search(str(cause)):
            return _first_sentence(match["text"])
    return None


_FAULTS: Mapping[PauseReason, _Passing] = {
    PauseReason.DISK_FULL: _Passing(
        find=what_is_full,
        error="Disk full: {} The job continues automatically when there is space.",
        reason="To check whether the disk has free space again.",
    ),
    PauseReason.STORAGE_AWAY: _Passing(
        find=what_is_away,
        error="{} The job continues automatically when the storage can be used.",
        reason="To check whether the storage can be used again.",
    ),
}


def rest_until_passed(lease: Lease, error: BaseException) -> bool:
    """Pause the job if the error is a passing fault. Return whether it was paused."""
    for reason, passing in _FAULTS.items():
        if (sentence := passing.find(error)) is not None:
            return pause_job(
                lease,
                paused_for=reason,
                from_states=[JobState.PLANNING, JobState.QUEUED, JobState.RUNNING],
                error=passing.error.format(sentence),
            )
    return False


def try_again() -> None:
    """Resume every job that has waited long enough for a fault to pass."""
    for reason, passing in _FAULTS.items():
        values = {"paused": JobState.PAUSED, "paused_for": reason, "wait_s": settings.JOB_ROOM_SECONDS}
        for job_id in statements.fetch_column("jobs_to_try_again", values):
            resume_by_itself(job_id, reason, reason=passing.reason)


def _causes_of(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


def _first_sentence(text: str) -> str:
    first = text.strip().splitlines()[0].strip()
    return first if first.endswith(".") else f"{first}."
