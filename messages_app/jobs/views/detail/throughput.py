"""How fast a job goes now, and how long it will still take: from what its page saw a few seconds ago."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from messages_app.core.charts.bars import Share, shares
from messages_app.jobs.models import Job
from messages_app.jobs.outcomes import Since, since
from messages_app.jobs.selectors import JobProgress
from messages_app.shared.job_states import JobState
from messages_app.shared.message_states import MessageState

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
    seconds = ((job.finished_at or now) - _working_since(job, job.started_at)).total_seconds()
    return decided / seconds if seconds > 0 else None


def _working_since(job: Job, started_at: datetime) -> datetime:
    """Return when a job began its work: one that waited for a second person, when that person approved it."""
    approved_at = job.report.get("approved_at")  # approve_job.sql
    return datetime.fromisoformat(approved_at) if approved_at else started_at


# The canary of a job as a picture: how the first messages ended.


@dataclass(frozen=True, kw_only=True)
class Canary:
    """How many of the first messages came to which end; `open` have not come to one."""

    size: int
    ok: int
    failed: int
    open: int
    shares: list[Share]


def canary_of(job: Job) -> Canary | None:
    """Return what a job's report says of its canary, None where it has none, or none yet."""
    found = job.report.get("canary")
    if not isinstance(found, dict) or not found.get("size"):
        return None
    ok, failed = found.get("ok") or 0, found.get("failed") or 0
    return Canary(
        size=found["size"],
        ok=ok,
        failed=failed,
        open=found.get("open") or 0,
        shares=shares([("done", ok), ("failed", failed)], whole=found["size"]),
    )


# What became of a job's messages since, drawn.


# As the bar has them: the colour of each, and how a sentence names it.
_ENDS = (
    (MessageState.OK, "ok", "OK"),
    (MessageState.FAILED, "failed", "failed"),
    (MessageState.CANCEL, "cancelled", "cancelled"),
    (MessageState.PROCESSING, "under_way", "in progress"),
    ("gone", "gone", "gone"),
)


@dataclass(frozen=True, kw_only=True)
class Fates:
    """`parts` are (state that colours it, words, messages), those that there are."""

    since: Since
    parts: Sequence[tuple[str, str, int]]
    shares: list[Share]


def fates_of(job: Job) -> Fates:
    """Return what became of the messages that the job has done; takes about a second for very many."""
    found = since(job)
    parts = [(state, words, getattr(found, name)) for state, name, words in _ENDS if getattr(found, name)]
    drawn = shares([(state, count) for state, _, count in parts], whole=found.looked_at or 1)
    return Fates(since=found, parts=parts, shares=drawn)
