"""What the pages of jobs draw: the bar of a job's outcomes, and small bars beside counts."""

from collections.abc import Iterable
from dataclasses import dataclass

from messages_app.jobs.queries import JobProgress

_OUTCOMES = ("done", "skipped", "failed")


@dataclass(frozen=True, kw_only=True)
class Share:
    """One part of a bar: `start` and `width` in percent of the planned messages."""

    name: str
    count: int
    start: float
    width: float


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A count with a bar beside it: `width` in percent of the largest; `query` leads to what was counted."""

    label: str
    count: int
    width: float
    query: str = ""


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


def shares(counts: Iterable[tuple[str, int]], *, whole: int) -> list[Share]:
    """Return one part after the other, each as wide as its share of `whole`, which is not 0."""
    found, start = [], 0.0
    for name, count in counts:
        width = 100 * count / whole
        found.append(Share(name=name, count=count, start=round(start, 2), width=round(width, 2)))
        start += width
    return found


def bars(counts: Iterable[tuple[str, int, str]]) -> list[Bar]:
    """Return bars of (label, count, query), in their order."""
    counts = list(counts)
    highest = max((count for _, count, _ in counts), default=0) or 1
    return [
        Bar(label=label, count=count, width=round(100 * count / highest, 2), query=query)
        for label, count, query in counts
    ]
