"""A job's lease: who may work on it, kept up by a heartbeat. Source: reliability I-28, I-34."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.conf import settings
from django.db import DatabaseError, connection, transaction

from messages_app.jobs.sql import statement
from messages_app.jobs.states import LIVE_STATES, JobState

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Lease:
    job_id: int
    attempt: int

    def key(self) -> dict[str, object]:
        return {
            "job_id": self.job_id,
            "attempt": self.attempt,
            "live_states": sorted(LIVE_STATES),
            "lease_s": settings.JOB_LEASE_SECONDS,
        }


def claim(job_id: int) -> Lease | None:
    """Take the job under a new attempt, unless it has ended, rests, or somebody works on it."""
    key = Lease(job_id=job_id, attempt=0).key()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement("claim_job"), key)
        row = cursor.fetchone()
    return Lease(job_id=job_id, attempt=row[0]) if row else None


def release(lease: Lease, *, error: str) -> JobState | None:
    """Give the job back, after an error or while it is paused; return its state, None if it is not ours."""
    held = lease.key() | {"live_states": sorted(LIVE_STATES | {JobState.PAUSED}), "error": error}
    with connection.cursor() as cursor:
        cursor.execute(statement("release_job"), held)
        row = cursor.fetchone()
    return JobState(row[0]) if row else None


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
        with connection.cursor() as cursor:
            cursor.execute(statement("beat"), lease.key())
            return cursor.fetchone() is not None
    except DatabaseError:
        # The database may be back before the lease runs out; if not, another attempt takes over.
        logger.warning("Job %s: no heartbeat, the database did not answer.", lease.job_id)
        connection.close()
        return True
