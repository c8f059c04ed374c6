"""Run a whole job in this process, like a worker, and measure each part."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import NamedTuple

# Two executors, as Spark's local[*] has on two cores.
_THREADS = 2


class Phases(NamedTuple):
    """Seconds of a job: until its set is written, until its chunks are done and it ended, and in total."""

    plan: float
    work: float
    total: float


def run_on_spark(kind: str, *, filter: dict, options: dict) -> Phases:
    """Run a job from its creation to its end: plan, ledger and audit are part of the time."""
    from messages_app.jobs.engine import runner

    began = time.monotonic()
    job = _create(kind, filter, options)
    with _at_work(job) as (lease, spark):
        runner.plan_job(spark, lease, job)
        planned = time.monotonic()
        runner.work_off(spark, lease, job)
    return _phases(job, began, planned)


def run_without_spark(kind: str, *, filter: dict, options: dict, plan: Callable) -> Phases:
    """
    Run the same job with the same chunks, but by two threads of this process.

    Args:
        plan: writes the job's plan, given its key; returns how many chunks there are.
    """
    from messages_app.jobs.connections import database_dsn
    from messages_app.jobs.drivers.registry import DRIVERS
    from messages_app.jobs.engine import runner
    from messages_app.jobs.kinds.registry import rivals_of
    from messages_app.jobs.leases import move_job
    from messages_app.jobs.models import JobChunk
    from messages_app.shared.job_states import JobState
    from spark_tasks.contract import JobKey
    from spark_tasks.executor import do_chunks

    began = time.monotonic()
    job = _create(kind, filter, options)
    with _at_work(job) as (lease, spark):
        key = JobKey(dsn=database_dsn(), job_id=job.pk, attempt=lease.attempt, rivals=rivals_of(kind))
        chunk_count = plan(key, job)
        move_job(lease, JobState.QUEUED, from_states=[JobState.PLANNING], chunk_count=chunk_count)
        planned = time.monotonic()
        move_job(lease, JobState.RUNNING, from_states=[JobState.QUEUED])
        action = DRIVERS[kind].action(job)
        chunks = (
            JobChunk.objects.filter(job_id=job.pk).order_by("chunk_no").values_list("chunk_no", flat=True)
        )
        with ThreadPoolExecutor(_THREADS) as pool:
            list(pool.map(lambda chunk_no: do_chunks(key, action, [chunk_no], None), list(chunks)))
        runner.work_off(spark, lease, job)
    return _phases(job, began, planned)


def _create(kind: str, filter: dict, options: dict):
    from messages_app.audit.services import SYSTEM
    from messages_app.jobs.services import create_job

    return create_job(
        kind=kind,
        filter=filter,
        options=options,
        dry_run=False,
        reason="benchmark",
        actor=SYSTEM,
        user=None,
    )


@contextmanager
def _at_work(job):
    from messages_app.jobs.engine import runner
    from messages_app.jobs.leases import claim_job, renewed_lease

    lease = claim_job(job.pk)
    with renewed_lease(lease), runner.spark_session(runner.spark_address()) as spark:
        yield lease, spark


def _phases(job, began: float, planned: float) -> Phases:
    """Take the end from the job's own row: tables are analyzed after it, and no one waits for that."""
    job.refresh_from_db()
    if job.state != "done":
        raise SystemExit(f"The job ended as {job.state}: {job.error}")
    total = (job.finished_at - job.created_at).total_seconds()
    return Phases(planned - began, total - (planned - began), total)
