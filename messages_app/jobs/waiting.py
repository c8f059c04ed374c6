"""
Waiting for the end of a job, for API callers that would otherwise poll.

A waiting call occupies a thread of the web process, so only a few may wait at the same time. It holds no
database connection and reads the job by its key.
"""

import time
from enum import StrEnum
from threading import BoundedSemaphore

from django.db import connection

from messages_app.jobs.models import Job
from messages_app.shared.job_states import FINAL_STATES as ENDED_STATES
from messages_app.shared.job_states import JobState

MAX_SECONDS = 60
# A web process has four threads. The other two continue to answer.
MAX_WAITERS = 2
_FIRST_PAUSE, _MAX_PAUSE = 0.05, 0.5
_places = BoundedSemaphore(MAX_WAITERS)


class WaitEnd(StrEnum):
    """Why a call stopped waiting."""

    JOB = "job"  # the job has ended
    TIME = "time"  # the requested time is over
    LIMIT = "limit"  # too many other calls wait


def wait_for_end(job: Job, *, seconds: float) -> WaitEnd:
    """
    Return when the job has ended, after `seconds`, or immediately if too many callers are already waiting.

    A dry run ends when it is planned.
    """
    if not _places.acquire(blocking=False):
        return WaitEnd.JOB if _has_ended(job) else WaitEnd.LIMIT
    try:
        return _await_end(job, until=time.monotonic() + seconds)
    finally:
        _places.release()


def _await_end(job: Job, *, until: float) -> WaitEnd:
    pause = _FIRST_PAUSE
    while not _has_ended(job):
        if (left := until - time.monotonic()) <= 0:
            return WaitEnd.TIME
        if not connection.in_atomic_block:
            connection.close()  # Return the connection to the pool.
        time.sleep(min(pause, left))
        pause = min(pause * 1.5, _MAX_PAUSE)
    return WaitEnd.JOB


def _has_ended(job: Job) -> bool:
    """Whether the job has ended, or is gone."""
    state = Job.objects.filter(pk=job.pk).values_list("state", flat=True).first()
    return state is None or state in ENDED_STATES or (job.dry_run and state == JobState.PLANNED)
