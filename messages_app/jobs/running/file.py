"""The file of an export, as its job's page offers it."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.base_user import AbstractBaseUser

from messages_app.jobs.exports.offering import NoFile, may_download, offer
from messages_app.jobs.models import Job
from messages_app.jobs.states import JobKind, JobState


@dataclass(frozen=True, kw_only=True)
class OfferedFile:
    """
    Args:
        why_not: why there is nothing to download; empty where there is.
        kept_until: None where there is nothing to keep.
    """

    name: str = ""
    rows: int = 0
    size: int = 0
    sha256: str = ""
    kept_until: datetime | None = None
    why_not: str = ""


def file_of(job: Job, user: AbstractBaseUser) -> OfferedFile | None:
    """Return what became of an export's file; None of a job that makes none, or has not made it yet."""
    if job.kind != JobKind.EXPORT or job.state != JobState.DONE:
        return None
    if not may_download(user, job):
        return OfferedFile(why_not="Only who made the export, and administrators, may download the file.")
    try:
        offer(job)
    except NoFile as none:
        return OfferedFile(why_not=str(none))
    made = job.report["files"][0]
    return OfferedFile(
        name=made["name"],
        rows=made["rows"],
        size=made["bytes"],
        sha256=made["sha256"],
        kept_until=datetime.fromisoformat(job.report["expires_at"]),
    )
