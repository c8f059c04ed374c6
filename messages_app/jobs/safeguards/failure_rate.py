"""Stops a running job if too many of its latest messages fail, measured by a bounded sample."""

from collections.abc import Iterator
from dataclasses import dataclass

from messages_app.core.formatting import format_percent
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.leases import stop_by_itself
from messages_app.jobs.models import Job
from messages_app.jobs.outcomes import Place, StatusCount, count_statuses, tried_chunks
from messages_app.shared.job_states import JobState
from messages_app.shared.message_states import MessageState

# The minimum sample size.
_MIN_MESSAGES = 20
# The maximum sample size, also for a single chunk.
_ENOUGH = 500


@dataclass(frozen=True, kw_only=True)
class Tried:
    """Messages that the job has failed immediately, or that the hub has attempted after the job."""

    tried: int
    failed: int


def look_at(job: Job) -> None:
    """Stop the job if more of its messages fail than its limit allows."""
    limit = job.options.get("stop_at_failure_rate")
    if limit is None:
        return
    recent = count_recent(job)
    if recent.tried < _MIN_MESSAGES or recent.failed <= limit * recent.tried:
        return
    stop_by_itself(
        job,
        from_state=JobState.RUNNING,
        error=(
            f"{recent.failed} of the last {recent.tried} messages failed, more than {format_percent(limit)}."
        ),
        report={"failure_rate": {"tried": recent.tried, "failed": recent.failed, "limit": limit}},
    )


def count_recent(job: Job) -> Tried:
    """
    Return the status of the job's latest messages that have been attempted.

    The hub picks up a message after a minute or two, so the newest messages are still open. Chunks are read
    from the newest back, in growing steps, until enough of their messages have been attempted.
    """
    chunks = tried_chunks(job.pk)
    tried = failed = 0
    for index in _iterate_steps(len(chunks)):
        chunk_no = chunks[index].chunk_no
        for status in count_statuses(job, chunk_no, most=_ENOUGH):
            tried += status.count if _has_been_tried(job, status) else 0
            failed += status.count if _has_failed(job, status) else 0
        if tried >= _ENOUGH:
            break
    return Tried(tried=tried, failed=failed)


def _iterate_steps(length: int) -> Iterator[int]:
    """Yield 0, 1, 2, 4, 8 and so on, below `length`."""
    index = 0
    while index < length:
        yield index
        index = max(1, 2 * index)


def _has_been_tried(job: Job, status: StatusCount) -> bool:
    return _has_failed(job, status) or status.state == MessageState.OK or spec_of(job.kind).is_final_at_once


def _has_failed(job: Job, status: StatusCount) -> bool:
    """
    Whether the messages have failed. If the store does not process them after the job, only immediate
    failures count.
    """
    return status.place == Place.REFUSED if spec_of(job.kind).is_final_at_once else status.is_failed_try
