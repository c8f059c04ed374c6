"""A job's lease: who may take it on, kept up by a heartbeat. Source: docs/spec/promises.md, I-28, I-34."""

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
from messages_app.core.statements import Statements
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import progress_of
from messages_app.shared.job_records import JobReport, SetReport
from messages_app.shared.job_states import LIVE_STATES, JobState, PauseReason, PlanStep, SkipReason, skipped
from spark_tasks.failpoints import Step, failpoint

statements = Statements("messages_app.jobs")


logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Lease:
    job_id: int
    attempt: int

    def key(self) -> Mapping[str, object]:
        return {
            "job_id": self.job_id,
            "attempt": self.attempt,
            "live_states": sorted(LIVE_STATES),
            "held_states": sorted(LIVE_STATES | {JobState.PAUSED}),
            "lease_s": settings.JOB_LEASE_SECONDS,
        }


def claim(job_id: int) -> Lease | None:
    """Take the job under a new attempt, unless it has ended, rests, or somebody works on it."""
    key = Lease(job_id=job_id, attempt=0).key()
    with transaction.atomic():
        row = statements.row("claim_job", key)
    return Lease(job_id=job_id, attempt=row[0]) if row else None


def release(lease: Lease, *, error: str) -> JobState | None:
    """Give the job back, after an error or while it is paused; return its state, None if it was not ours."""
    row = statements.row("release_job", {**lease.key(), "error": error})
    return JobState(row[0]) if row else None


def move(
    lease: Lease,
    to_state: JobState,
    *,
    from_states: list[JobState],
    report: JobReport | SetReport | None = None,
    error: str = "",
    chunk_count: int | None = None,
    at_rest: bool = False,
) -> bool:
    """Take the job on to another state; return whether it was still this attempt's, in one of from_states."""
    return _change(
        "move_job",
        lease,
        to_state=to_state,
        from_states=from_states,
        report=Jsonb(report or {}),
        error=error,
        chunk_count=chunk_count,
        at_rest=at_rest,
    )


def rest(
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
    Lay the job to rest and give it back, so that no worker is held by what waits; return as `move` does.

    What it rests for is in the audit as well, as `action`, in the same transaction.
    """
    with transaction.atomic():
        is_at_rest = _change(
            "rest_job",
            lease,
            at_rest=state,
            paused_for=paused_for,
            from_states=from_states,
            report=Jsonb(report or {}),
            error=error,
        )
        if is_at_rest:
            audit.record(
                actor=audit.SYSTEM,
                action=action,
                job_id=lease.job_id,
                after_state=state,
                reason=error,
                details={"paused_for": paused_for, **(report or {})},
            )
    return is_at_rest


def hold(lease: Lease, *, states: list[JobState]) -> bool:
    """Keep the job as it is until this transaction ends; return whether it is ours in such a state."""
    return _change("hold_job", lease, states=states)


def note_step(lease: Lease, step: PlanStep) -> bool:
    """Say what holds up the plan of the job; return whether it is still this attempt's to plan."""
    return _change("note_step", lease, step=step, planning=JobState.PLANNING)


def _change(name: str, lease: Lease, **values: object) -> bool:
    return statements.row(name, {"job_id": lease.job_id, "attempt": lease.attempt, **values}) is not None


@contextmanager
def heartbeat(lease: Lease) -> Iterator[None]:
    """Say every JOB_HEARTBEAT_SECONDS that the job is worked on, from a thread with its own connection."""
    is_over = threading.Event()
    thread = threading.Thread(target=_beat, args=(lease, is_over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def _beat(lease: Lease, is_over: threading.Event) -> None:
    try:
        while not is_over.wait(settings.JOB_HEARTBEAT_SECONDS):
            if not _beat_once(lease):
                return
    finally:
        connection.close()


def _beat_once(lease: Lease) -> bool:
    """Return whether to go on: not when the job is another attempt's, or has ended."""
    try:
        return statements.row("beat", lease.key()) is not None
    except DatabaseError:
        # The database may be back before the lease runs out; if not, another attempt takes over.
        logger.warning("Job %s: no heartbeat, the database did not answer.", lease.job_id)
        connection.close()
        return True


# Rings for a worker. The broker carries a job's id and nothing else (docs/spec/design.md, R-1).


RUN_JOB = "messages_app.jobs.tasks.run_job"


def wake(job_id: int) -> None:
    """Ask a worker to look at the job. That the bell is broken is no error: the sweeper rings again."""
    failpoint(Step.ACCEPTED)
    try:
        app.send_task(RUN_JOB, args=[job_id], retry=False, expires=60)
    except Exception:  # whatever the broker's client raises
        logger.warning("The broker did not take job %s; the sweeper will hand it on.", job_id)


# The early end of a job, fenced by its lease.


def end_early(lease: Lease, to_state: JobState, *, outcome: str, error: str) -> bool:
    """
    End the job with what is done; what is not gets `outcome`, so that the sums hold. Return whether it ended.

    Nothing is changed when another attempt has the job: it has its own way with what is not done.
    """
    with transaction.atomic():
        if not hold(lease, states=sorted(LIVE_STATES)):
            return False
        with connection.cursor() as cursor:
            for name in ("close_open_items", "close_open_chunks"):
                cursor.execute(statements.text(name), {"job_id": lease.job_id, "outcome": outcome})
        progress = progress_of(Job.objects.get(pk=lease.job_id))
        return move(
            lease,
            to_state,
            from_states=sorted(LIVE_STATES),
            report={"moved": progress.moved, "orphans": progress.orphans},
            error=error,
            at_rest=True,
        )


def stop_if_asked(lease: Lease) -> bool:
    """End a job that is to stop, and return whether it was one; its error says why, if no person asked."""
    asked = Job.objects.filter(pk=lease.job_id, attempt=lease.attempt, state=JobState.STOPPING).first()
    if asked is not None:
        end_early(lease, JobState.STOPPED, outcome=skipped(SkipReason.STOPPED), error=asked.error)
    return asked is not None
