"""
The current speed of a job and its remaining time, from samples that its page sends back with each request.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from messages_app.core.charts.bars import Share, make_shares
from messages_app.jobs.models import Job
from messages_app.jobs.outcomes import CurrentStatus, current_status
from messages_app.jobs.selectors import JobProgress
from messages_app.shared.job_states import JobState
from messages_app.shared.message_states import MessageState

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
    seen = [*_parse_samples(samples), (now.timestamp(), decided)][-_MAX_SAMPLES:]
    rate = _rate_between(seen) if progress.job.state == JobState.RUNNING else None
    mean = None if progress.job.state in _WAITING else _mean_rate(progress, now, decided)
    known = rate if rate is not None else mean
    return Pace(
        rate=known,
        is_now=rate is not None,
        seconds_left=progress.left / known if known and progress.left else None,
        samples=",".join(f"{at:.3f}:{count}" for at, count in seen),
    )


def _parse_samples(samples: str) -> list[tuple[float, int]]:
    if not _SAMPLES.fullmatch(samples):
        return []
    pairs = (pair.split(":") for pair in samples.split(","))
    return [(float(at), int(count)) for at, count in pairs]


def _rate_between(seen: list[tuple[float, int]]) -> float | None:
    (first_at, first), (last_at, last) = seen[0], seen[-1]
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


# The chart of a job's test batch (canary).


@dataclass(frozen=True, kw_only=True)
class Canary:
    """The status of the first messages. `open` have not ended yet."""

    size: int
    ok: int
    failed: int
    open: int
    shares: list[Share]


def canary_of(job: Job) -> Canary | None:
    """Return the test batch of a job from its report, or None."""
    found = job.report.get("canary")
    if not isinstance(found, dict) or not found.get("size"):
        return None
    ok, failed = found.get("ok") or 0, found.get("failed") or 0
    return Canary(
        size=found["size"],
        ok=ok,
        failed=failed,
        open=found.get("open") or 0,
        shares=make_shares([("done", ok), ("failed", failed)], whole=found["size"]),
    )


# The chart of the current status of a job's messages.


# The parts of the bar: the state that gives the colour, the field, and the word.
_ENDS = (
    (MessageState.OK, "ok", "OK"),
    (MessageState.FAILED, "failed", "failed"),
    (MessageState.CANCEL, "cancelled", "cancelled"),
    (MessageState.PROCESSING, "under_way", "in progress"),
    ("gone", "gone", "gone"),
)


@dataclass(frozen=True, kw_only=True)
class StatusChart:
    """
    The chart of the current status. `parts` are (state that gives the colour, words, number of messages),
    without empty parts.
    """

    status: CurrentStatus
    parts: Sequence[tuple[str, str, int]]
    shares: list[Share]


def status_chart_of(job: Job) -> StatusChart:
    """Return the current status of the messages that the job has done. Takes up to about a second."""
    status = current_status(job)
    parts = [(state, words, getattr(status, name)) for state, name, words in _ENDS if getattr(status, name)]
    drawn = make_shares([(state, count) for state, _, count in parts], whole=status.looked_at or 1)
    return StatusChart(status=status, parts=parts, shares=drawn)
