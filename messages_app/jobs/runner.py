"""
Works on jobs: claims one, plans and runs it on Spark, and writes how it ended.

A worker may die at any point: the next attempt goes on from the ledger. Source: DESIGN.md "Jobs", rules 5, 6.
"""

import logging

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from psycopg import conninfo
from psycopg.types.json import Jsonb
from pyspark.sql import SparkSession

from hubconsole import embedded
from messages_app.jobs.bell import wake
from messages_app.jobs.lease import Lease, claim, heartbeat, release
from messages_app.jobs.models import Job, JobChunk, JobItem
from messages_app.jobs.queries import progress_of
from messages_app.jobs.sql import statement
from messages_app.jobs.states import LIVE_STATES, FailReason, JobState, SkipReason, failed, skipped
from messages_app.messages.states import FINAL_STATES
from spark_tasks.database import connect
from spark_tasks.jobs import archive
from spark_tasks.moves import ChunkWork, ColumnsDiffer, shared_columns
from spark_tasks.session import spark_session
from spark_tasks.tables import HUB_TABLES

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
        except ColumnsDiffer as error:
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
    _stop_if_asked(lease)


def _stop_if_asked(lease: Lease) -> bool:
    is_asked = Job.objects.filter(pk=lease.job_id, attempt=lease.attempt, state=JobState.STOPPING).exists()
    if is_asked:
        _end_early(lease, JobState.STOPPED, outcome=skipped(SkipReason.STOPPED), error="")
    return is_asked


def spark_address() -> str:
    return settings.SPARK_REMOTE or embedded.spark_remote(settings.HUBCONSOLE_HOME)


def _plan_and_run(spark: SparkSession, lease: Lease, job: Job) -> None:
    if job.dry_run:
        _preview(spark, lease, job)
        return
    if job.state == JobState.PLANNING:
        plan(spark, lease, job)
    run_chunks(spark, lease, job)


def plan(spark: SparkSession, lease: Lease, job: Job) -> None:
    """Freeze the job's set and queue its chunks; what an earlier attempt wrote of a plan is written anew."""
    _clear_plan(lease)
    chunk_count = archive.plan(spark, work=_chunk_work(lease, job), last_msg_id=job.last_msg_id)
    _move(lease, JobState.QUEUED, from_states=[JobState.PLANNING], chunk_count=chunk_count)


def run_chunks(spark: SparkSession, lease: Lease, job: Job) -> None:
    """Do the chunks that are left, and end the job when none is."""
    _move(lease, JobState.RUNNING, from_states=[JobState.QUEUED])
    archive.run(spark, work=_chunk_work(lease, job), chunk_nos=_pending_chunks(lease))
    if not _pending_chunks(lease):
        _finish(lease)


def _clear_plan(lease: Lease) -> None:
    """Remove what an earlier attempt wrote of a plan; it can write no more, for it is fenced."""
    JobItem.objects.filter(job_id=lease.job_id).delete()
    JobChunk.objects.filter(job_id=lease.job_id).delete()


def _chunk_work(lease: Lease, job: Job) -> ChunkWork:
    dsn = database_dsn()
    with connect(dsn) as database:
        columns = shared_columns(database)
    return ChunkWork(
        dsn=dsn,
        job_id=lease.job_id,
        attempt=lease.attempt,
        cutoff=job.cutoff.isoformat(),
        final_states=tuple(sorted(FINAL_STATES)),
        columns=columns,
    )


def database_dsn() -> str:
    """Return the address under which executors reach the database."""
    database = connection.settings_dict
    return conninfo.make_conninfo(
        host=database["HOST"],
        port=database["PORT"] or None,
        dbname=database["NAME"],
        user=database["USER"],
        password=database["PASSWORD"] or None,
    )


def _preview(spark: SparkSession, lease: Lease, job: Job) -> None:
    preview = archive.preview(spark, work=_chunk_work(lease, job), last_msg_id=job.last_msg_id)
    report = {
        "would_move": preview.rows,
        "planned": preview.messages,
        "by_state": preview.by_state,
        "skipped": preview.skipped,
        "samples": preview.samples,
    }
    _move(lease, JobState.PLANNED, from_states=[JobState.PLANNING], report=report | _kept(), at_rest=True)


def _finish(lease: Lease) -> None:
    """End the job, if its ledger adds up; that it does not would be our defect, and is said (I-20)."""
    progress = progress_of(Job.objects.get(pk=lease.job_id))
    report = {"moved": progress.moved, "orphans": progress.orphans} | _kept()
    is_whole = progress.left == 0
    _move(
        lease,
        JobState.DONE if is_whole else JobState.FAILED,
        from_states=[JobState.RUNNING, JobState.STOPPING],
        report=report,
        error="" if is_whole else f"Count mismatch: {progress.left} messages have no outcome.",
        at_rest=True,
    )
    _analyze()


def _analyze() -> None:
    """Have the planner know what the archive holds; pages say how much it is from the same figures."""
    tables = [table.archive for table in HUB_TABLES]
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {', '.join(map(connection.ops.quote_name, tables))}")
    except DatabaseError:
        logger.warning("ANALYZE was refused; the database will do it by itself in a while.")


def _kept() -> dict[str, object]:
    """Return what stays by the rule that nothing moves whose age is not known."""
    with connection.cursor() as cursor:
        cursor.execute(statement("responses_without_time"))
        return {"kept_responses_without_time": cursor.fetchone()[0]}


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
