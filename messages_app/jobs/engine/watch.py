"""
Checks, every few seconds, jobs that wait for something or may have to stop. Needs neither Spark nor a job
worker.

Two watchers may run at the same time: each change is one conditional statement.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from django.db import connection

from messages_app.core.statements import Statements
from messages_app.jobs.leases import end_stopping, enqueue_job, stop_if_not_allowed
from messages_app.jobs.models import Job
from messages_app.jobs.safeguards import canary, failure_rate, passing_faults
from messages_app.jobs.services.bulk_guard import stop_undecided_jobs
from messages_app.shared.job_states import LIVE_STATES, JobState, PauseReason

statements = Statements("messages_app.jobs")


logger = logging.getLogger(__name__)

_WAITING_FOR_CANARY = (PauseReason.CANARY, PauseReason.CANARY_UNDECIDED)


def watch_jobs() -> None:
    """Check each such job. An error in one check is logged and does not stop the others."""
    for look in _iterate_checks():
        try:
            look()
        except Exception:
            logger.exception("The watcher of jobs could not finish a check.")
            connection.close_if_unusable_or_obsolete()


def _iterate_checks() -> Iterator[Callable[[], None]]:
    for job in Job.objects.filter(state=JobState.PAUSED, paused_for__in=_WAITING_FOR_CANARY):
        yield partial(canary.look_at, job)
    for job in Job.objects.filter(state=JobState.RUNNING):
        yield partial(stop_if_not_allowed, job)
        if job.options.get("stop_at_failure_rate") is not None:
            yield partial(failure_rate.look_at, job)
    yield passing_faults.try_again
    yield stop_undecided_jobs
    for job_id in _unwatched_jobs([JobState.STOPPING]):
        yield partial(end_stopping, job_id)


def sweep_jobs() -> None:
    """Send the task of every live job that no worker has claimed. The worker makes the next attempt."""
    for job_id in _unwatched_jobs(LIVE_STATES):
        enqueue_job(job_id)


def _unwatched_jobs(states: Iterable[JobState]) -> list[int]:
    return [row[0] for row in statements.fetch_rows("unwatched_jobs", {"live_states": sorted(states)})]
