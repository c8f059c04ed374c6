"""The charts of a job's test batch and of the current status of its messages."""

from collections.abc import Sequence
from dataclasses import dataclass

from messages_app.core.charts.bars import Share, make_shares
from messages_app.jobs.models import Job
from messages_app.jobs.outcomes import CurrentStatus, current_status
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
