"""The limits of new jobs: active jobs per user, and disk space of exports."""

from django.conf import settings
from django.db.models import Q

from messages_app.core.problems import Problem
from messages_app.core.transaction_locks import TransactionLock
from messages_app.jobs.exports import export_storage
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.models import Job
from messages_app.shared.job_states import (
    ACTIVE_STATES,
    JobState,
)
from spark_tasks.storage.faults import StorageFault

_UNDER_WAY = Q(state__in=sorted(ACTIVE_STATES)) & ~Q(dry_run=True, state=JobState.PLANNED)


def check_bounds(*, kind: str, user_id: int | None, dry_run: bool) -> None:
    """
    Check the limits for a new job. Call this in the transaction that stores the job.

    Raises:
        Problem: 429 too_many_jobs, 409 export_space, 503 storage_away.
    """
    # Without the lock, two simultaneous calls could both pass the limit.
    TransactionLock(f"jobs of {user_id}").acquire()
    under_way = Job.objects.filter(_UNDER_WAY, creator_id=user_id)[: settings.JOBS_PER_USER].count()
    if under_way >= settings.JOBS_PER_USER:
        text = f"You already have {under_way} active jobs, the maximum. Wait for one to finish, or stop one."
        raise Problem(429, "too_many_jobs", text, headers={"Retry-After": "60"})
    if spec_of(kind).makes_file and not dry_run:
        _check_export_space()


def _check_export_space() -> None:
    try:
        has_space = has_export_space()
    except StorageFault as error:
        raise Problem(503, "storage_away", f"Files cannot be exported at the moment. {error}") from error
    if not has_space:
        raise Problem(409, "export_space", f"{export_space()} Wait until old files are deleted.")


def has_export_space() -> bool:
    """
    Return whether all export files together are below their limit.

    Raises:
        StorageFault: their storage does not answer or refuses.
    """
    return sum(export_storage().list_sizes().values()) < settings.EXPORT_BYTES


def export_space() -> str:
    """Return the error text if exports have reached their limit of disk space; otherwise empty."""
    return f"The files of exports take {settings.EXPORT_BYTES // 10**6} MB, the limit."
