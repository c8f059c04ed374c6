"""
Runs one job: claims it, plans it, processes its chunks on Spark and records its end.

A worker may die at any point: the next attempt continues from the ledger.

Source: docs/contributing/spec/design.md, "Jobs", R-5, R-6.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from django.conf import settings
from django.db import connection, transaction
from pyspark.sql import SparkSession

from messages_app.core.statements import Statements
from messages_app.jobs.connections import database_dsn, spark_address
from messages_app.jobs.drivers.analyse import Analysing
from messages_app.jobs.drivers.archive import Archiving, Restoring
from messages_app.jobs.drivers.driver import CannotRun, Driver
from messages_app.jobs.drivers.export import Exporting
from messages_app.jobs.drivers.group_failures import GroupingFailures
from messages_app.jobs.drivers.index_keys import IndexingKeys
from messages_app.jobs.drivers.reprocess import ArchivingHistory, Reprocessing
from messages_app.jobs.drivers.resend import Resending
from messages_app.jobs.drivers.transitions import Transitions
from messages_app.jobs.engine.spark_spans import SparkStep, trace_spark
from messages_app.jobs.engine.warmth import is_cold
from messages_app.jobs.kinds.registry import rivals_of
from messages_app.jobs.leases import (
    Lease,
    claim_job,
    end_early,
    end_if_not_allowed,
    enqueue_job,
    lock_job,
    move_job,
    note_step,
    release_job,
    renewed_lease,
    stop_if_asked,
)
from messages_app.jobs.models import Job, JobChunk, JobItem, JobRefusal
from messages_app.jobs.safeguards import canary
from messages_app.jobs.safeguards.passing_faults import rest_until_passed
from messages_app.jobs.selectors import progress_of
from messages_app.jobs.services import bulk_guard
from messages_app.jobs.validation import describe_stored_faults
from messages_app.shared.job_records import JobReport
from messages_app.shared.job_states import (
    LIVE_STATES,
    FailReason,
    JobKind,
    JobState,
    PlanStep,
    failed_outcome,
)
from messages_app.shared.message_states import MessageAction
from spark_tasks.contract import Fenced, JobKey
from spark_tasks.executor import run_chunks
from spark_tasks.failpoints import Step, pass_failpoint
from spark_tasks.session import session_id_of, spark_session

statements = Statements("messages_app.jobs")
logger = logging.getLogger(__name__)


DRIVERS: dict[str, Driver] = {
    JobKind.ARCHIVE: Archiving(),
    JobKind.RESTORE: Restoring(),
    JobKind.RESTART: Transitions(MessageAction.RESTART),
    JobKind.CANCEL: Transitions(MessageAction.CANCEL),
    JobKind.EXPORT: Exporting(),
    JobKind.ARCHIVE_HISTORY: ArchivingHistory(),
    JobKind.REPROCESS: Reprocessing(),
    JobKind.GROUP_FAILURES: GroupingFailures(),
    JobKind.ANALYSE: Analysing(),
    JobKind.INDEX_KEYS: IndexingKeys(),
    JobKind.RESEND: Resending(),
}


_MAX_ERROR = 2000  # characters of a Spark error that are kept


def run_job(*, job_id: int) -> None:
    """
    Run a job to its end, or as far as this attempt can. Does nothing if another worker has claimed the job.
    """
    lease = claim_job(job_id)
    if lease is None:
        return
    pass_failpoint(Step.CLAIMED)
    with renewed_lease(lease):
        try:
            _work_on_job(lease)
        except CannotRun as error:
            end_early(
                lease, JobState.FAILED, outcome=failed_outcome(FailReason.NOT_REACHED), error=str(error)
            )
        except Exception as error:
            _end_attempt(lease, error)


def _work_on_job(lease: Lease) -> None:
    job = Job.objects.get(pk=lease.job_id)
    if _has_given_up(lease):
        end_early(lease, JobState.FAILED, outcome=failed_outcome(FailReason.NOT_REACHED), error=job.error)
        return
    if job.state != JobState.STOPPING:
        if fault := describe_stored_faults(job):
            raise CannotRun(fault)
        if not end_if_not_allowed(lease, job):
            with _warm_session(lease) as spark:
                _plan_and_run(spark, lease, job)
    if not stop_if_asked(lease):
        _give_back(lease)


def _end_attempt(lease: Lease, error: Exception) -> None:
    """Stop, pause or release a job whose attempt failed. Called where `error` is handled."""
    connection.close_if_unusable_or_obsolete()  # The database may be available again.
    is_stopped = stop_if_asked(lease)
    if not is_stopped and rest_until_passed(lease, error):
        # The page of the job says so. A trace at each attempt would hide other faults.
        logger.warning("Job %s, attempt %s, waits: %s", lease.job_id, lease.attempt, _shorten_error(error))
        return
    logger.exception("Job %s, attempt %s ended early.", lease.job_id, lease.attempt)
    if not is_stopped:
        release_job(lease, error=_shorten_error(error))


@contextmanager
def _warm_session(lease: Lease) -> Iterator[SparkSession]:
    """Yield the worker's Spark session. Until it is warm, the job shows warming up as its step."""
    note_step(lease, PlanStep.STARTING_SPARK)
    with spark_session(spark_address()) as spark:
        note_step(lease, PlanStep.WARMING_UP if is_cold(session_id_of(spark)) else PlanStep.NONE)
        yield spark


def _give_back(lease: Lease) -> None:
    """Release a paused job, so that a worker can claim it when someone resumes it."""
    if release_job(lease, error="") in LIVE_STATES:
        enqueue_job(
            lease.job_id
        )  # Someone has resumed it, and the task of that resume found the job still claimed.


def _plan_and_run(spark: SparkSession, lease: Lease, job: Job) -> None:
    driver = DRIVERS[job.kind]
    if job.dry_run:
        with trace_spark(spark, "preview", job):
            report = driver.preview(spark, job=job)
        move_job(lease, JobState.PLANNED, from_states=[JobState.PLANNING], report=report, at_rest=True)
        return
    if job.state == JobState.PLANNING:
        plan_job(spark, lease, job)
    work_off(spark, lease, job)


def plan_job(spark: SparkSession, lease: Lease, job: Job) -> None:
    """
    Freeze the job's set and queue its chunks. A plan of an earlier attempt is replaced.

    If the set needs a second person, or is larger than was confirmed, the job waits instead.
    """
    _clear_plan(lease)
    with trace_spark(spark, "plan", job) as step:
        chunk_count = DRIVERS[job.kind].plan(spark, key=_key_of_job(lease, job, step), job=job)
    pass_failpoint(Step.PLANNED)
    with transaction.atomic():
        report = bulk_guard.new_plan_report(job)
        move_job(
            lease, JobState.QUEUED, from_states=[JobState.PLANNING], chunk_count=chunk_count, report=report
        )
        if not bulk_guard.rest_until_approved(lease, job):
            bulk_guard.rest_until_confirmed(lease, job)
    pass_failpoint(Step.QUEUED)


def work_off(spark: SparkSession, lease: Lease, job: Job) -> None:
    """Process the pending chunks, and end the job after the last one."""
    driver = DRIVERS[job.kind]
    while move_job(lease, JobState.RUNNING, from_states=[JobState.QUEUED, JobState.RUNNING]):
        pending = statements.fetch_column("pending_chunks", {"job_id": lease.job_id})
        if not pending:
            pass_failpoint(Step.ENDING)
            _finish_job(lease, driver)
            pass_failpoint(Step.ENDED)
            return
        job.refresh_from_db()  # Someone may have resumed the job without waiting for its test batch.
        part = canary.next_part(job, pending)
        if part is None:
            canary.pause_for_canary(lease, job)
            return
        pass_failpoint(Step.RUNNING)
        try:
            _study_set(spark, lease, job)
        except Fenced:
            return  # Paused, stopped or taken over.
        with trace_spark(spark, "chunks", job, chunks=len(part.chunk_nos)) as step:
            tasks = run_chunks(
                spark,
                key=_key_of_job(lease, job, step),
                action=driver.make_action(job),
                chunk_nos=part.chunk_nos,
                rate=job.rate,
                until=part.until,
            )
            step.send_tasks(tasks)
        pass_failpoint(Step.WORKED_OFF)


def _study_set(spark: SparkSession, lease: Lease, job: Job) -> None:
    """
    Do the work over the whole set.

    Raises:
        Fenced: the job was paused, stopped or taken over meanwhile.
    """

    def note_report(report: JobReport) -> None:
        if not move_job(lease, JobState.RUNNING, from_states=[JobState.RUNNING], report=report):
            raise Fenced(f"Job {lease.job_id} is no longer running under attempt {lease.attempt}.")

    is_studied = job.kind == JobKind.ANALYSE
    untraced = nullcontext(SparkStep())
    with trace_spark(spark, "study", job) if is_studied else untraced as step:
        key = _key_of_job(lease, job, step)
        report = DRIVERS[job.kind].study_set(spark, key=key, job=job, note_report=note_report)
    if report:
        note_report(report)


def _finish_job(lease: Lease, driver: Driver) -> None:
    """
    End the job. A job whose ledger does not add up fails with that error; this would be a defect of the
    console (docs/contributing/spec/promises.md, I-20).
    """
    job = Job.objects.get(pk=lease.job_id)
    progress = progress_of(job)
    is_whole = progress.left == 0
    move_job(
        lease,
        JobState.DONE if is_whole else JobState.FAILED,
        from_states=[JobState.RUNNING, JobState.STOPPING],
        report={"moved": progress.moved, "orphans": progress.orphans} | driver.finish(job),
        error="" if is_whole else f"Count mismatch: {progress.left} messages have no outcome.",
        at_rest=True,
    )
    driver.tidy_up()


def _key_of_job(lease: Lease, job: Job, step: SparkStep) -> JobKey:
    dsn = step.name_connections(database_dsn())
    return JobKey(dsn=dsn, job_id=lease.job_id, attempt=lease.attempt, rivals=rivals_of(job.kind))


def _clear_plan(lease: Lease) -> None:
    """
    Remove the plan of an earlier attempt. That attempt is fenced and can no longer write.

    Raises:
        Fenced: this attempt is fenced too, because a later attempt wrote the plan.
    """
    pass_failpoint(Step.CLEARING)
    with transaction.atomic():
        if not lock_job(lease, states=[JobState.PLANNING]):
            raise Fenced(f"Job {lease.job_id} is not planned under attempt {lease.attempt} any more.")
        for table in (JobRefusal, JobItem, JobChunk):
            table.objects.filter(job_id=lease.job_id).delete()


def _has_given_up(lease: Lease) -> bool:
    """Whether too many attempts in a row made no progress. A resume resets the count."""
    last_progress: int = statements.only_row("last_progress", {"job_id": lease.job_id})[0]
    return lease.attempt - last_progress > int(settings.JOB_MAX_ATTEMPTS)


def _shorten_error(error: Exception) -> str:
    """Return the first line of an error, without addresses, which may contain passwords."""
    text = str(error).strip().splitlines() or [type(error).__name__]
    return text[0][:_MAX_ERROR]
