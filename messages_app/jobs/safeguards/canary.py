"""
The test batch of a job: the job processes its first messages, waits until they are final, and continues or
stops.

A waiting job occupies no worker: the watcher checks it every few seconds.

Source: docs/contributing/spec/design.md, "Bulk work".
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from django.conf import settings
from django.db import transaction
from psycopg.types.json import Jsonb

from messages_app.audit import services as audit
from messages_app.core.statements import Statements
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.leases import Lease, end_stopping, pause_job, stop_by_itself
from messages_app.jobs.models import Job, JobChunk
from messages_app.jobs.outcomes import Place, StatusCount, count_statuses, tried_chunks
from messages_app.jobs.selectors import progress_of
from messages_app.jobs.services.control import resume_by_itself
from messages_app.shared.job_records import Canary, JobReport
from messages_app.shared.job_states import JobState, PauseReason
from messages_app.shared.message_states import FINAL_STATES, MessageState

statements = Statements("messages_app.jobs")


# Without a limit of the job, none of the first messages may fail.
DEFAULT_LIMIT = 0.0


@dataclass(frozen=True, kw_only=True)
class Part:
    """The next chunks to process, each until `until` of its rows have an outcome; None: all rows."""

    chunk_nos: Sequence[int]
    until: int | None = None


def next_part(job: Job, pending: Sequence[int]) -> Part | None:
    """
    Return the chunks that the job may process next: its test batch, or all pending ones; None: it has to
    wait.
    """
    size = job.options.get("canary")
    if size is None or is_decided(job):
        return Part(chunk_nos=pending)
    progress = progress_of(job)
    left = size - progress.done - progress.failed
    if left <= 0:
        return None
    outcomes = JobChunk.objects.values_list("outcomes", flat=True).get(job_id=job.pk, chunk_no=pending[0])
    return Part(chunk_nos=pending[:1], until=sum(outcomes.values()) + left)


def is_decided(job: Job) -> bool:
    canary = job.report.get("canary")
    return canary is not None and canary.get("decided_at") is not None


def pause_for_canary(lease: Lease, job: Job) -> None:
    """Pause the job until its first messages are final. It then occupies no worker."""
    waiting: JobReport = {"canary": figures_of_canary(job)}
    is_at_rest = pause_job(
        lease, paused_for=PauseReason.CANARY, from_states=[JobState.RUNNING], report=waiting
    )
    if is_at_rest:
        look_at(Job.objects.get(pk=job.pk))


def figures_of_canary(job: Job) -> Canary:
    """
    Return the status of the first messages: `ok`, `failed`, `open` or `other` (cancelled or gone); `size` is
    the sum.

    If the job itself ends its messages, its outcomes are final. Otherwise the store reports the status.
    """
    progress = progress_of(job)
    counts = Counter(ok=0, failed=0, open=0, other=0)
    if spec_of(job.kind).is_final_at_once:
        counts.update(ok=progress.done, failed=progress.failed)
    else:
        for chunk in tried_chunks(job.pk):
            for status in count_statuses(job, chunk.chunk_no):
                counts[_end_of(status)] += status.count
    return cast(Canary, {"size": counts.total(), **counts, "decided_at": None})


def _end_of(status: StatusCount) -> str:
    if status.place == Place.REFUSED or status.state == MessageState.FAILED:
        return "failed"
    if status.place == Place.GONE or status.state == MessageState.CANCEL:
        return "other"
    if status.state == MessageState.OK:
        return "ok"
    return "other" if status.state in FINAL_STATES else "open"


def look_at(job: Job) -> None:
    """
    Record the status of the first messages, and decide when all are final.

    After the time limit, a job with too many failures stops. Any other job then waits for an operator, and
    only its figures are updated.
    """
    figures = figures_of_canary(job)
    waits_for = _store_figures(job, figures)
    if waits_for is None or job.paused_for == PauseReason.CANARY_UNDECIDED:
        return
    is_over = not figures["open"] or waits_for == PauseReason.CANARY_UNDECIDED
    if is_over and _has_failed(job, figures):
        _stop_after_failures(job, figures)
    elif not figures["open"]:
        resume_by_itself(
            job.pk,
            PauseReason.CANARY,
            PauseReason.CANARY_UNDECIDED,
            reason="The test batch passed.",
            details={"canary": figures},
        )


def _store_figures(job: Job, figures: Canary) -> str | None:
    """Store the figures. Return the reason why the job waits, or None if it no longer waits."""
    values = {
        "job_id": job.pk,
        "attempt": job.attempt,
        "report": Jsonb({"canary": figures}),
        "limit_s": settings.JOB_CANARY_SECONDS,
        "paused": JobState.PAUSED,
        "paused_for": job.paused_for,
        "undecided": PauseReason.CANARY_UNDECIDED,
    }
    with transaction.atomic():
        row = statements.fetch_row("note_canary", values)
        if row and row[0] != job.paused_for:
            audit.record_entry(
                actor=audit.SYSTEM,
                action="pause_job",
                job_id=job.pk,
                after_state=JobState.PAUSED,
                details={"paused_for": row[0], "canary": figures},
            )
    return row[0] if row else None


def _has_failed(job: Job, figures: Canary) -> bool:
    limit = job.options.get("stop_at_failure_rate")
    return figures["failed"] > (DEFAULT_LIMIT if limit is None else limit) * figures["size"]


def _stop_after_failures(job: Job, figures: Canary) -> None:
    text = f"{figures['failed']} of {figures['size']} messages of the test batch failed."
    if stop_by_itself(job, from_state=JobState.PAUSED, error=text):
        end_stopping(job.pk)
