"""A job's progress as a page says it."""

from dataclasses import dataclass

from messages_app.jobs.models import Job
from messages_app.jobs.queries import JobProgress, progress_of

_RECENT = 10


@dataclass(frozen=True, kw_only=True)
class Share:
    """One part of the bar: `start` and `width` in percent of the planned messages."""

    name: str
    count: int
    start: float
    width: float


@dataclass(frozen=True, kw_only=True)
class ProgressWords:
    """
    Args:
        percent: of the planned messages that are decided, a whole number; None while nothing is planned,
            and for a preview, which decides nothing.
        shares: the parts of the bar, done first.
    """

    percent: int | None
    shares: list[Share]


def progress_words(progress: JobProgress) -> ProgressWords:
    if not progress.planned or progress.job.dry_run:
        return ProgressWords(percent=None, shares=[])
    decided = progress.planned - progress.left
    return ProgressWords(percent=100 * decided // progress.planned, shares=_shares(progress))


def _shares(progress: JobProgress) -> list[Share]:
    shares, start = [], 0.0
    for name in ("done", "skipped", "failed"):
        count = getattr(progress, name)
        width = 100 * count / progress.planned
        shares.append(Share(name=name, count=count, start=round(start, 2), width=round(width, 2)))
        start += width
    return shares


def recent_progress(kind: str) -> list[JobProgress]:
    """Return the latest jobs of one kind, newest first."""
    return [progress_of(job) for job in Job.objects.filter(kind=kind).order_by("-job_id")[:_RECENT]]
