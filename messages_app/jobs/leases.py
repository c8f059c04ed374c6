"""
The lease of a job, which its worker holds and renews, and the ends of jobs by their worker or the console.

Source: docs/contributing/spec/promises.md, I-28, I-34, S-28, S-30.
"""

import logging
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from psycopg.types.json import Jsonb

from hubconsole.celery import app
from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry
from messages_app.core.statements import Statements
from messages_app.jobs.kinds.registry import kind_specs
from messages_app.jobs.models import Job
from messages_app.jobs.permissions import why_not_allowed
from messages_app.jobs.selectors import progress_of
from messages_app.shared.job_records import JobReport, SetReport
from messages_app.shared.job_states import (
    LIVE_STATES,
    FailReason,
    JobState,
    PauseReason,
    PlanStep,
    SkipReason,
    failed_outcome,
    skipped_outcome,
)
from spark_tasks.failpoints import Step, pass_failpoint

statements = Statements("messages_app.jobs")


logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Lease:
    job_id: int
    attempt: int

    @property
    def key(self) -> Mapping[str, object]:
        """The parameters by which statements find a job and check that it still has this attempt."""
        return {
            "job_id": self.job_id,
            "attempt": self.attempt,
            "live_states": sorted(LIVE_STATES),
            "held_states": sorted(LIVE_STATES | {JobState.PAUSED}),
            "lease_s": settings.JOB_LEASE_SECONDS,
        }


def claim_job(job_id: int) -> Lease | None:
    """
    Claim the job under a new attempt.

    Returns:
        None: it ended, is paused, another worker holds it, or no kind of job of this version has its name.
    """
    key = Lease(job_id=job_id, attempt=0).key
    with transaction.atomic():
        row = statements.fetch_row("claim_job", {**key, "kinds": list(kind_specs)})
    return Lease(job_id=job_id, attempt=row[0]) if row else None


def release_job(lease: Lease, *, error: str) -> JobState | None:
    """
    Release the job, after an error or while it is paused. Return its state, or None if the lease was lost.
    """
    row = statements.fetch_row("release_job", {**lease.key, "error": error})
    return JobState(row[0]) if row else None


def move_job(
    lease: Lease,
    to_state: JobState,
    *,
    from_states: list[JobState],
    report: JobReport | SetReport | None = None,
    error: str = "",
    chunk_count: int | None = None,
    at_rest: bool = False,
) -> bool:
    """Change the state of the job. Return whether this attempt still had the job, in one of from_states."""
    return _change_job(
        "move_job",
        lease,
        to_state=to_state,
        from_states=from_states,
        report=Jsonb(report or {}),
        error=error,
        chunk_count=chunk_count,
        at_rest=at_rest,
    )


def pause_job(
    lease: Lease,
    *,
    paused_for: PauseReason,
    from_states: list[JobState],
    report: JobReport | None = None,
    error: str = "",
    state: JobState = JobState.PAUSED,
    action: str = "pause_job",
) -> bool:
    """
    Pause the job and release it, so that it occupies no worker while it waits. Returns the same as `move`.

    The audit entry, with `action` and the reason, is written in the same transaction.
    """
    with transaction.atomic():
        is_at_rest = _change_job(
            "rest_job",
            lease,
            at_rest=state,
            paused_for=paused_for,
            from_states=from_states,
            report=Jsonb(report or {}),
            error=error,
        )
        if is_at_rest:
            audit.record_entry(
                actor=audit.SYSTEM,
                action=action,
                job_id=lease.job_id,
                after_state=state,
                reason=error,
                details={"paused_for": paused_for, **(report or {})},
            )
    return is_at_rest


def lock_job(lease: Lease, *, states: list[JobState]) -> bool:
    """Lock the job until the transaction ends. Return whether this attempt has it, in one of the states."""
    return _change_job("hold_job", lease, states=states)


def note_step(lease: Lease, step: PlanStep) -> bool:
    """Record what delays the plan of the job. Return whether this attempt is still planning it."""
    return _change_job("note_step", lease, step=step, planning=JobState.PLANNING)


def _change_job(name: str, lease: Lease, **values: object) -> bool:
    return (
        statements.fetch_row(name, {"job_id": lease.job_id, "attempt": lease.attempt, **values}) is not None
    )


@contextmanager
def renewed_lease(lease: Lease) -> Iterator[None]:
    """Renew the lease every JOB_HEARTBEAT_SECONDS, in a thread with its own connection."""
    is_over = threading.Event()
    thread = threading.Thread(target=_beat_until_over, args=(lease, is_over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def _beat_until_over(lease: Lease, is_over: threading.Event) -> None:
    try:
        while not is_over.wait(settings.JOB_HEARTBEAT_SECONDS):
            if not _beat_once(lease):
                return
    finally:
        connection.close()


def _beat_once(lease: Lease) -> bool:
    """Renew the lease. Return False if another attempt has the job or the job has ended."""
    try:
        return statements.fetch_row("beat", lease.key) is not None
    except DatabaseError:
        # The database may answer again before the lease expires. If not, another attempt takes over.
        logger.warning("Job %s: no heartbeat, the database did not answer.", lease.job_id)
        connection.close()
        return True


RUN_JOB = "messages_app.jobs.tasks.run_job"


def enqueue_job(job_id: int) -> None:
    """
    Send the job's task to the workers. Broker errors are only logged, because the sweeper sends it again.
    """
    pass_failpoint(Step.ACCEPTED)
    try:
        app.send_task(RUN_JOB, args=[job_id], retry=False, expires=60)
    except Exception:  # Any error of the broker's client.
        logger.warning("The broker did not take job %s; the sweeper will hand it on.", job_id)


def end_early(lease: Lease, to_state: JobState, *, outcome: str, error: str) -> bool:
    """
    End the job early. Open items get `outcome`, so that the ledger adds up. Return whether the job ended.

    If another attempt has the job, nothing changes: that attempt decides about the open items.
    """
    with transaction.atomic():
        if not lock_job(lease, states=sorted(LIVE_STATES)):
            return False
        for name in ("close_open_items", "close_open_chunks"):
            statements.count(name, {"job_id": lease.job_id, "outcome": outcome})
        progress = progress_of(Job.objects.get(pk=lease.job_id))
        return move_job(
            lease,
            to_state,
            from_states=sorted(LIVE_STATES),
            report={"moved": progress.moved, "orphans": progress.orphans},
            error=error,
            at_rest=True,
        )


def stop_if_asked(lease: Lease) -> bool:
    """
    End the job if it is stopping, and return whether it was. Unless a user stopped it, its error has the
    reason.
    """
    job = Job.objects.filter(pk=lease.job_id, attempt=lease.attempt, state=JobState.STOPPING).first()
    if job is not None:
        end_early(lease, JobState.STOPPED, outcome=skipped_outcome(SkipReason.STOPPED), error=job.error)
    return job is not None


def stop_by_itself(job: Job, *, from_state: JobState, error: str, report: JobReport | None = None) -> bool:
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
        "report": Jsonb(report or {}),
    }
    with transaction.atomic():
        is_stopping = statements.fetch_row("stop_by_itself", values) is not None
        if is_stopping:
            audit.record_entry(
                actor=audit.SYSTEM,
                action="stop_job",
                job_id=job.pk,
                before_state=from_state,
                after_state=JobState.STOPPING,
                reason=error,
                details=report or {},
            )
    return is_stopping


def end_stopping(job_id: int) -> None:
    """End a stopping job, unless a worker has claimed it and will end it. This does not need Spark."""
    lease = claim_job(job_id)
    if lease is not None:
        with renewed_lease(lease):
            stop_if_asked(lease)


def end_if_not_allowed(lease: Lease, job: Job) -> bool:
    """
    End a job that its creator may no longer create. Processed messages stay as they are. Return whether the
    job must not run.

    The audit entry is written in the same transaction.
    """
    why = why_not_allowed(job)
    if not why:
        return False
    outcome = failed_outcome(FailReason.RIGHT_LOST)
    with transaction.atomic():
        if end_early(lease, JobState.FAILED, outcome=outcome, error=why):
            audit.record_entry(
                actor=audit.SYSTEM,
                action="run_job",
                outcome=AuditEntry.Outcome.REFUSED,
                job_id=job.pk,
                before_state=job.state,
                after_state=JobState.FAILED,
                reason=why,
                details={"maker": job.created_by},
            )
    return True


def stop_if_not_allowed(job: Job) -> None:
    """Stop a running job that its creator may no longer create."""
    if why := why_not_allowed(job):
        stop_by_itself(job, from_state=JobState.RUNNING, error=why)
