"""
Waiting for the end of a job, for callers of the API that would else ask again and again.

A waiting caller holds a thread of the web process, so few of them may wait at once; it holds no connection to
the database, and asks by the job's key.
"""

import time
from threading import BoundedSemaphore

from django.db import connection

from messages_app.jobs.models import Job
from messages_app.jobs.states import FINAL_STATES, JobState

MAX_SECONDS = 60
# A web process has four threads; the others go on answering.
MOST_WAITERS = 2
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 0.5

_places = BoundedSemaphore(MOST_WAITERS)


def wait_for_end(job: Job, *, seconds: float) -> None:
    """
    Return once the job has ended, or after so many seconds; at once where too many callers wait already.

    A dry run has ended when it is planned.
    """
    if not _places.acquire(blocking=False):
        return
    try:
        _wait(job, until=time.monotonic() + seconds)
    finally:
        _places.release()


def _wait(job: Job, *, until: float) -> None:
    pause = _FIRST_PAUSE
    while not _has_ended(job) and (left := until - time.monotonic()) > 0:
        if not connection.in_atomic_block:
            connection.close()  # to the pool, where others find it
        time.sleep(min(pause, left))
        pause = min(pause * 1.5, _LONGEST_PAUSE)


def _has_ended(job: Job) -> bool:
    """Whether the job works no longer, now; one that is gone does not."""
    state = Job.objects.filter(pk=job.pk).values_list("state", flat=True).first()
    return state is None or state in FINAL_STATES or (job.dry_run and state == JobState.PLANNED)
