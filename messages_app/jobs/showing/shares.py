"""The bar of a job's outcomes."""

from messages_app.drawing.bars import Share, shares
from messages_app.jobs.queries import JobProgress

_OUTCOMES = ("done", "skipped", "failed")


def percent_of(progress: JobProgress) -> int | None:
    """
    Return how much of the planned messages is decided, in whole percent.

    None while nothing is planned, and for a preview, which decides nothing.
    """
    if not progress.planned or progress.job.dry_run:
        return None
    return 100 * (progress.planned - progress.left) // progress.planned


def shares_of(progress: JobProgress) -> list[Share]:
    """Return the parts of a job's bar, done first; what is left is the rest of it. Nothing for a preview."""
    if not progress.planned or progress.job.dry_run:
        return []
    return shares([(name, getattr(progress, name)) for name in _OUTCOMES], whole=progress.planned)
