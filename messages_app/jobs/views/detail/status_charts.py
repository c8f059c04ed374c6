"""The charts of a job's test batch and of the current status of its messages."""

from collections.abc import Mapping
from dataclasses import dataclass

from messages_app.core.charts.bars import Share, make_shares
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.models import Job
from messages_app.jobs.outcomes import CurrentStatus, End, current_status
from messages_app.jobs.selectors import JobProgress
from messages_app.jobs.views.detail.ledger import END_WORDS, query_of_end
from messages_app.shared.job_states import FINAL_STATES
from messages_app.shared.message_states import MessageState


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
    figures = job.report.get("canary")
    if not isinstance(figures, dict) or not figures.get("size"):
        return None
    ok, failed = figures.get("ok") or 0, figures.get("failed") or 0
    return Canary(
        size=figures["size"],
        ok=ok,
        failed=failed,
        open=figures.get("open") or 0,
        shares=make_shares([("done", ok), ("failed", failed)], whole=figures["size"]),
    )


# The parts of the bar, with the state that gives the colour.
_COLOURS = {
    End.OK: MessageState.OK,
    End.FAILED: MessageState.FAILED,
    End.CANCELLED: MessageState.CANCEL,
    End.UNDER_WAY: MessageState.PROCESSING,
    End.GONE: "gone",
}
# Up to this many messages are looked up in a few milliseconds, so the page includes their status.
_QUICK = 1_000
# Seconds between two lookups of the same messages.
_SOON, _LATER = 5, 30

MARK = "states-of-job"


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part of the bar. `query` leads to the part of the ledger that it counts."""

    colour: str
    words: str
    count: int
    query: str


@dataclass(frozen=True, kw_only=True)
class StatusChart:
    """
    The chart of the current status.

    Args:
        ends: number of messages by their end, without empty parts.
        refreshes_after: the seconds until it is looked up again; None if the hub has ended all messages.
    """

    status: CurrentStatus
    ends: Mapping[End, int]
    shares: list[Share]
    refreshes_after: int | None = None

    @property
    def mark(self) -> str:
        """The id of its element, another one for other numbers, by which a page says what it shows."""
        return "-".join([MARK, *(f"{end}{count}" for end, count in self.ends.items())])

    @property
    def parts(self) -> list[Part]:
        """The parts of the bar."""
        return [
            Part(colour=_COLOURS[end], words=END_WORDS[end], count=count, query=query_of_end(end))
            for end, count in self.ends.items()
        ]

    @property
    def archived_query(self) -> str:
        return query_of_end(End.ARCHIVED)


def quick_status_chart(progress: JobProgress) -> StatusChart | None:
    """Return the chart of a small job; None if it takes too long for the page, or nothing was done."""
    is_quick = 0 < progress.done <= _QUICK and spec_of(progress.job.kind).is_followed
    return status_chart_of(progress.job) if is_quick else None


def status_chart_of(job: Job) -> StatusChart:
    """Return the current status of the messages that the job has done. Takes up to about a second."""
    status = current_status(job)
    ends = {end: count for end in _COLOURS if (count := getattr(status, end.value))}
    drawn = make_shares([(_COLOURS[end], count) for end, count in ends.items()], whole=status.looked_at or 1)
    return StatusChart(
        status=status,
        ends=ends,
        shares=drawn,
        refreshes_after=_seconds_to_refresh(job, status),
    )


def _seconds_to_refresh(job: Job, status: CurrentStatus) -> int | None:
    """Return the seconds after which the status may be another one; None if all messages have ended."""
    has_ended = job.state in FINAL_STATES and not status.under_way and (status.looked_at or not status.done)
    if has_ended:
        return None
    return _SOON if status.done <= _QUICK else _LATER
