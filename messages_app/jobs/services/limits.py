"""The limits of new jobs: active jobs per user, and disk space of exports."""

from pathlib import Path

from django.conf import settings
from django.db.models import Q

from messages_app.core.problems import Problem
from messages_app.core.transaction_locks import TransactionLock
from messages_app.jobs.exports import folder_of_exports
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.models import Job
from messages_app.shared.job_states import (
    ACTIVE_STATES,
    JobState,
)

_UNDER_WAY = Q(state__in=sorted(ACTIVE_STATES)) & ~Q(dry_run=True, state=JobState.PLANNED)


def check_bounds(*, kind: str, user_id: int | None, dry_run: bool) -> None:
    """
    Check the limits for a new job. Call this in the transaction that stores the job.

    Raises:
        Problem: 429 too_many_jobs, 409 export_space.
    """
    # Without the lock, two simultaneous calls could both pass the limit.
    TransactionLock(f"jobs of {user_id}").acquire()
    under_way = Job.objects.filter(_UNDER_WAY, creator_id=user_id)[: settings.JOBS_PER_USER].count()
    if under_way >= settings.JOBS_PER_USER:
        text = f"You already have {under_way} active jobs, the maximum. Wait for one to finish, or stop one."
        raise Problem(429, "too_many_jobs", text, headers={"Retry-After": "60"})
    if spec_of(kind).makes_file and not dry_run and not has_export_space():
        raise Problem(409, "export_space", f"{export_space()} Wait until old files are deleted.")


def has_export_space() -> bool:
    return _bytes_of(folder_of_exports()) < settings.EXPORT_BYTES


def export_space() -> str:
    """Return the error text if exports have reached their limit of disk space; otherwise empty."""
    return f"The files of exports take {settings.EXPORT_BYTES // 10**6} MB, the limit."


def _bytes_of(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.lstat().st_size
        except FileNotFoundError:  # The file was removed while this was counting.
            continue
    return total
