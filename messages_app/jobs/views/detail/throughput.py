"""
The current speed of a job and its remaining time, from samples that its page sends back with each request.
"""

import re
from dataclasses import dataclass
from datetime import datetime

from messages_app.jobs.models import Job
from messages_app.jobs.selectors import JobProgress
from messages_app.shared.job_states import JobState

# The samples of a page, newest last: 1732181234.5:1200,1732181236.5:1260
_SAMPLES = re.compile(r"[0-9]{1,12}\.[0-9]{1,3}:[0-9]{1,12}(,[0-9]{1,12}\.[0-9]{1,3}:[0-9]{1,12}){0,15}")
_MAX_SAMPLES = 10
# Over less time, the end of a single chunk would distort the rate.
_MIN_SECONDS = 1.5
# A job that waits has no speed.
_WAITING = frozenset({JobState.PLANNED, JobState.PAUSED})


@dataclass(frozen=True, kw_only=True)
class Pace:
    """
    Args:
        rate: messages per second; None while it is not known.
        is_now: it is the rate of the last seconds; otherwise it is the mean since the job started or was
            approved. The mean includes pauses, because their times are not stored.
        seconds_left: the remaining time; None if it is not known, or the work is done.
        samples: the text that the page sends with its next request.
    """

    rate: float | None
    is_now: bool
    seconds_left: float | None
    samples: str


def pace_of(progress: JobProgress, *, now: datetime, samples: str = "") -> Pace:
    """
    Return the speed of a job.

    Args:
        now: by the database's clock.
        samples: the `samples` of the previous answer; any other text is ignored.
    """
    decided = progress.planned - progress.left
    points = [*_parse_samples(samples), (now.timestamp(), decided)][-_MAX_SAMPLES:]
    rate = _rate_between(points) if progress.job.state == JobState.RUNNING else None
    mean = None if progress.job.state in _WAITING else _mean_rate(progress, now, decided)
    usual = _limit_rate(rate if rate is not None else mean, progress.job)
    return Pace(
        rate=usual,
        is_now=rate is not None,
        seconds_left=progress.left / usual if usual and progress.left else None,
        samples=",".join(f"{at:.3f}:{count}" for at, count in points),
    )


def _limit_rate(rate: float | None, job: Job) -> float | None:
    """Return a rate that is at most the limit of the job. The plan skips messages at no limit."""
    return min(rate, job.rate) if rate is not None and job.rate else rate


def _parse_samples(samples: str) -> list[tuple[float, int]]:
    if not _SAMPLES.fullmatch(samples):
        return []
    pairs = (pair.split(":") for pair in samples.split(","))
    return [(float(at), int(count)) for at, count in pairs]


def _rate_between(points: list[tuple[float, int]]) -> float | None:
    (first_at, first), (last_at, last) = points[0], points[-1]
    if last_at - first_at < _MIN_SECONDS or last < first:
        return None
    return (last - first) / (last_at - first_at)


def _mean_rate(progress: JobProgress, now: datetime, decided: int) -> float | None:
    job = progress.job
    if job.started_at is None or not decided:
        return None
    seconds = ((job.finished_at or now) - _working_since(job, job.started_at)).total_seconds()
    return decided / seconds if seconds > 0 else None


def _working_since(job: Job, started_at: datetime) -> datetime:
    """Return the start of the work of a job: its approval if it had one, otherwise its start."""
    approved_at = job.report.get("approved_at")  # Set by approve_job.sql.
    return datetime.fromisoformat(approved_at) if approved_at else started_at
