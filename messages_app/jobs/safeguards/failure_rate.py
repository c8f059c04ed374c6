"""Stops a running job if too many of its latest messages fail, measured by a bounded sample."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import transaction
from psycopg.types.json import Jsonb

from messages_app.audit import services as audit
from messages_app.core.formatting import format_percent
from messages_app.core.statements import Statements
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.leases import claim_job, renewed_lease, stop_if_asked
from messages_app.jobs.models import Job
from messages_app.jobs.outcomes import Place, StatusCount, count_statuses, tried_chunks
from messages_app.shared.job_records import JobReport
from messages_app.shared.job_states import JobState
from messages_app.shared.message_states import MessageState

statements = Statements("messages_app.jobs")


# Stops of jobs by the console itself, and the end of stopping jobs that no worker has claimed.


def stop_by_itself(job: Job, *, from_state: JobState, error: str, report: JobReport) -> bool:
    """
    Stop a job on behalf of the console. Return False if the job has left `from_state`.

    Args:
        error: the reason, as the page of the job shows it.
        report: additions to the report of the job.
    """
    values = {
        "job_id": job.pk,
        "attempt": job.attempt,
        "from_state": from_state,
        "stopping": JobState.STOPPING,
        "error": error,
        "report": Jsonb(report),
    }
    with transaction.atomic():
        is_stopping = statements.row("stop_by_itself", values) is not None
        if is_stopping:
            audit.record_entry(
                actor=audit.SYSTEM,
                action="stop_job",
                job_id=job.pk,
                before_state=from_state,
                after_state=JobState.STOPPING,
                reason=error,
                details=report,
            )
    return is_stopping


def end_stopping(job_id: int) -> None:
    """End a stopping job, unless a worker has claimed it and will end it. This does not need Spark."""
    held = claim_job(job_id)
    if held is not None:
        with renewed_lease(held):
            stop_if_asked(held)


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
    found = count_recent(job)
    if found.tried < _MIN_MESSAGES or found.failed <= limit * found.tried:
        return
    stop_by_itself(
        job,
        from_state=JobState.RUNNING,
        error=f"{found.failed} of the last {found.tried} messages failed, more than {format_percent(limit)}.",
        report={"failure_rate": {"tried": found.tried, "failed": found.failed, "limit": limit}},
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
            tried += status.count if _was_tried(job, status) else 0
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


def _was_tried(job: Job, status: StatusCount) -> bool:
    return _has_failed(job, status) or status.state == MessageState.OK or spec_of(job.kind).is_final_at_once


def _has_failed(job: Job, status: StatusCount) -> bool:
    """
    Whether the messages have failed. If the store does not process them after the job, only immediate
    failures count.
    """
    return status.place == Place.REFUSED if spec_of(job.kind).is_final_at_once else status.is_failed_try
