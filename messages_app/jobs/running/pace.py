"""How fast a job goes now, and how long it will still take: from what its page saw a few seconds ago."""

import re
from dataclasses import dataclass
from datetime import datetime

from messages_app.jobs.models import Job
from messages_app.jobs.queries import JobProgress
from messages_app.jobs.states import JobState

# What the page saw goes with each question, newest last: 1732181234.5:1200,1732181236.5:1260
_SAMPLES = re.compile(r"[0-9]{1,12}\.[0-9]{1,3}:[0-9]{1,12}(,[0-9]{1,12}\.[0-9]{1,3}:[0-9]{1,12}){0,15}")
_MOST_SAMPLES = 10
# Shorter, and a single chunk's end would make the figure jump.
_SHORTEST_SECONDS = 1.5
# What waits has no pace.
_WAITING = frozenset({JobState.PLANNED, JobState.PAUSED})


@dataclass(frozen=True, kw_only=True)
class Pace:
    """
    Args:
        rate: messages a second; None while nothing can be said.
        is_now: it is that of the last seconds; else the mean since the job began, or was approved. When it
            was paused is in no column: the mean has that in it.
        seconds_left: None where nobody can tell, or nothing is left.
        samples: what the page sends with its next question.
    """

    rate: float | None
    is_now: bool
    seconds_left: float | None
    samples: str


def pace_of(progress: JobProgress, *, now: datetime, samples: str = "") -> Pace:
    """
    Return how fast a job goes.

    Args:
        now: by the database's clock.
        samples: `samples` of the answer before; anything else counts as none.
    """
    decided = progress.planned - progress.left
    seen = [*_parsed(samples), (now.timestamp(), decided)][-_MOST_SAMPLES:]
    rate = _rate(seen) if progress.job.state == JobState.RUNNING else None
    mean = None if progress.job.state in _WAITING else _mean(progress, now, decided)
    known = rate if rate is not None else mean
    return Pace(
        rate=known,
        is_now=rate is not None,
        seconds_left=progress.left / known if known and progress.left else None,
        samples=",".join(f"{at:.3f}:{count}" for at, count in seen),
    )


def _parsed(samples: str) -> list[tuple[float, int]]:
    if not _SAMPLES.fullmatch(samples):
        return []
    pairs = (pair.split(":") for pair in samples.split(","))
    return [(float(at), int(count)) for at, count in pairs]


def _rate(seen: list[tuple[float, int]]) -> float | None:
    (first_at, first), (last_at, last) = seen[0], seen[-1]
    if last_at - first_at < _SHORTEST_SECONDS or last < first:
        return None
    return (last - first) / (last_at - first_at)


def _mean(progress: JobProgress, now: datetime, decided: int) -> float | None:
    job = progress.job
    if job.started_at is None or not decided:
        return None
    seconds = ((job.finished_at or now) - _working_since(job)).total_seconds()
    return decided / seconds if seconds > 0 else None


def _working_since(job: Job) -> datetime:
    """Return when a job began that has started; one that waited for a second person began again then."""
    approved_at = job.report.get("approved_at")  # approve_job.sql
    return datetime.fromisoformat(approved_at) if approved_at else job.started_at
