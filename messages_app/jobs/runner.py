"""
Works on jobs: claims one, plans and runs it on Spark, and writes how it ended.

A worker may die at any point: the next attempt goes on from the ledger. Source: DESIGN.md "Jobs", rules 5, 6.
"""

import logging

from django.conf import settings
from django.db import connection, transaction
from psycopg.types.json import Jsonb
from pyspark.sql import SparkSession

from messages_app.jobs.bell import wake
from messages_app.jobs.kinds.kind import CannotRun, Kind, database_dsn, spark_address
from messages_app.jobs.kinds.registry import KINDS
from messages_app.jobs.lease import Lease, claim, heartbeat, release
from messages_app.jobs.models import Job, JobChunk, JobItem, JobRefusal
from messages_app.jobs.queries import progress_of
from messages_app.jobs.sql import statement
from messages_app.jobs.states import LIVE_STATES, FailReason, JobState, SkipReason, failed, skipped
from spark_tasks.chunks import JobKey
from spark_tasks.runs import run_chunks
from spark_tasks.session import spark_session

logger = logging.getLogger(__name__)

_MAX_ERROR = 2000  # characters of a Spark error that are kept


def run_job(*, job_id: int) -> None:
    """Bring a job to its end, or as far as this attempt gets; nothing if somebody else has it."""
    lease = claim(job_id)
    if lease is None:
        return
    with heartbeat(lease):
        try:
            _work(lease)
        except CannotRun as error:
            _end_early(lease, JobState.FAILED, outcome=failed(FailReason.NOT_REACHED), error=str(error))
        except Exception as error:
            logger.exception("Job %s, attempt %s ended early.", lease.job_id, lease.attempt)
            if not _stop_if_asked(lease):
                release(lease, error=_short(error))


def sweep_jobs() -> None:
    """Ring for every live job that nobody works on; whoever takes it up is its next attempt."""
    for job_id in _unwatched():
        wake(job_id)


def _unwatched() -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(statement("unwatched_jobs"), {"live_states": sorted(LIVE_STATES)})
        return [row[0] for row in cursor]


def _work(lease: Lease) -> None:
    job = Job.objects.get(pk=lease.job_id)
    if _has_given_up(lease):
        _end_early(lease, JobState.FAILED, outcome=failed(FailReason.NOT_REACHED), error=job.error)
        return
    if job.state != JobState.STOPPING:
        with spark_session(spark_address()) as spark:
            _plan_and_run(spark, lease, job)
    if not _stop_if_asked(lease):
        _rest_if_paused(lease)


def _stop_if_asked(lease: Lease) -> bool:
    is_asked = Job.objects.filter(pk=lease.job_id, attempt=lease.attempt, state=JobState.STOPPING).exists()
    if is_asked:
        _end_early(lease, JobState.STOPPED, outcome=skipped(SkipReason.STOPPED), error="")
    return is_asked


def _rest_if_paused(lease: Lease) -> None:
    """Give a paused job's lease back, so that whoever resumes it finds it free."""
    if not Job.objects.filter(pk=lease.job_id, state=JobState.PAUSED).exists():
        return
    if release(lease, error="") in LIVE_STATES:
        wake(lease.job_id)  # resumed meanwhile: that bell found us still here


def _plan_and_run(spark: SparkSession, lease: Lease, job: Job) -> None:
    kind = KINDS[job.kind]
    if job.dry_run:
        report = kind.preview(spark, job=job)
        _move(lease, JobState.PLANNED, from_states=[JobState.PLANNING], report=report, at_rest=True)
        return
    if job.state == JobState.PLANNING:
        plan(spark, lease, job)
    work_off(spark, lease, job)


def plan(spark: SparkSession, lease: Lease, job: Job) -> None:
    """Freeze the job's set and queue its chunks; what an earlier attempt wrote of a plan is written anew."""
    _clear_plan(lease)
    chunk_count = KINDS[job.kind].plan(spark, key=_key(lease), job=job)
    _move(lease, JobState.QUEUED, from_states=[JobState.PLANNING], chunk_count=chunk_count)


def work_off(spark: SparkSession, lease: Lease, job: Job) -> None:
    """Do the chunks that are left, and end the job when none is."""
    kind = KINDS[job.kind]
    while _move(lease, JobState.RUNNING, from_states=[JobState.QUEUED, JobState.RUNNING]):
        pending = _pending_chunks(lease)
        if not pending:
            _finish(lease, kind)
            return
        run_chunks(spark, key=_key(lease), action=kind.action(job), chunk_nos=pending)


def _key(lease: Lease) -> JobKey:
    return JobKey(dsn=database_dsn(), job_id=lease.job_id, attempt=lease.attempt)


def _clear_plan(lease: Lease) -> None:
    """Remove what an earlier attempt wrote of a plan; it can write no more, for it is fenced."""
    for table in (JobRefusal, JobItem, JobChunk):
        table.objects.filter(job_id=lease.job_id).delete()


def _finish(lease: Lease, kind: Kind) -> None:
    """End the job, if its ledger adds up; that it does not would be our defect, and is said (I-20)."""
    job = Job.objects.get(pk=lease.job_id)
    progress = progress_of(job)
    is_whole = progress.left == 0
    _move(
        lease,
        JobState.DONE if is_whole else JobState.FAILED,
        from_states=[JobState.RUNNING, JobState.STOPPING],
        report={"moved": progress.moved, "orphans": progress.orphans} | kind.ended(job),
        error="" if is_whole else f"Count mismatch: {progress.left} messages have no outcome.",
        at_rest=True,
    )


def _pending_chunks(lease: Lease) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(statement("pending_chunks"), {"job_id": lease.job_id})
        return [row[0] for row in cursor]


def _has_given_up(lease: Lease) -> bool:
    """Return whether too many attempts in a row got nothing done."""
    with connection.cursor() as cursor:
        cursor.execute(statement("last_progress"), {"job_id": lease.job_id})
        last_progress = cursor.fetchone()[0]
    return lease.attempt - last_progress > settings.JOB_MAX_ATTEMPTS


def _end_early(lease: Lease, to_state: JobState, *, outcome: str, error: str) -> None:
    """End the job with what is done; what is not gets `outcome`, so that the sums hold."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            for name in ("close_open_items", "close_open_chunks"):
                cursor.execute(statement(name), {"job_id": lease.job_id, "outcome": outcome})
        progress = progress_of(Job.objects.get(pk=lease.job_id))
        _move(
            lease,
            to_state,
            from_states=sorted(LIVE_STATES),
            report={"moved": progress.moved, "orphans": progress.orphans},
            error=error,
            at_rest=True,
        )


def _short(error: Exception) -> str:
    """Return the first line of what went wrong, without addresses that may hold a password."""
    text = str(error).strip().splitlines() or [type(error).__name__]
    return text[0][:_MAX_ERROR]


def _move(
    lease: Lease,
    to_state: JobState,
    *,
    from_states: list[JobState],
    report: dict[str, object] | None = None,
    error: str = "",
    chunk_count: int | None = None,
    at_rest: bool = False,
) -> bool:
    """Take the job on to another state; return whether it was still this attempt's, in one of from_states."""
    with connection.cursor() as cursor:
        cursor.execute(
            statement("move_job"),
            {
                "job_id": lease.job_id,
                "attempt": lease.attempt,
                "to_state": to_state,
                "from_states": from_states,
                "report": Jsonb(report or {}),
                "error": error,
                "chunk_count": chunk_count,
                "at_rest": at_rest,
            },
        )
        return cursor.fetchone() is not None
