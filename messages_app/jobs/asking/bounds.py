"""How many jobs one user may have under way, and how much disk all exports may take."""

from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.models import Q

from messages_app.jobs.exports.places import home
from messages_app.jobs.models import Job
from messages_app.jobs.states import ACTIVE_STATES, JobKind, JobState
from messages_app.web.problems import Problem

_UNDER_WAY = Q(state__in=sorted(ACTIVE_STATES)) & ~Q(dry_run=True, state=JobState.PLANNED)
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"


def check_bounds(*, kind: str, username: str, dry_run: bool) -> None:
    """
    Refuse one job too many; to be called in the transaction that stores the job.

    Raises:
        Problem: 429 too_many_jobs, 409 export_space.
    """
    with connection.cursor() as cursor:
        cursor.execute(_LOCK, [f"jobs of {username}"])  # two at once must not both be the last one
    under_way = Job.objects.filter(_UNDER_WAY, created_by=username)[: settings.JOBS_PER_USER].count()
    if under_way >= settings.JOBS_PER_USER:
        text = f"You have {under_way} jobs that have not ended, which is the most. Wait for one, or stop one."
        raise Problem(429, "too_many_jobs", text, headers={"Retry-After": "60"})
    if kind == JobKind.EXPORT and not dry_run and not has_export_room():
        raise Problem(409, "export_space", f"{export_space()} Wait until old files are removed.")


def has_export_room() -> bool:
    return _bytes_of(home()) < settings.EXPORT_BYTES


def export_space() -> str:
    """Return the sentence for exports that take all the disk they may."""
    return f"The files of exports take {settings.EXPORT_BYTES // 10**6} MB, which is the most they may."


def _bytes_of(folder: Path) -> int:
    found = 0
    for path in folder.rglob("*"):
        try:
            found += path.lstat().st_size
        except FileNotFoundError:  # removed by now
            continue
    return found
