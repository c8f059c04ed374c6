"""Stopping a job on the console's own account, and ending one that is to stop and that nobody works on."""

from django.db import connection, transaction
from psycopg.types.json import Jsonb

from messages_app.audit import services as audit
from messages_app.jobs.holding.endings import stop_if_asked
from messages_app.jobs.holding.lease import claim, heartbeat
from messages_app.jobs.models import Job
from messages_app.jobs.sql import statement
from messages_app.jobs.states import JobState


def stop_by_itself(job: Job, *, from_state: JobState, error: str, report: dict[str, object]) -> bool:
    """
    Have a job stop that nobody asked to; return whether it was still as it was when that was decided.

    Args:
        error: why, as its page says it.
        report: what its report says of it besides.
    """
    values = {
        "job_id": job.pk,
        "attempt": job.attempt,
        "from_state": from_state,
        "stopping": JobState.STOPPING,
        "error": error,
        "report": Jsonb(report),
    }
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(statement("stop_by_itself"), values)
            is_stopping = cursor.fetchone() is not None
        if is_stopping:
            audit.record(
                actor=audit.SYSTEM,
                action="stop_job",
                job_id=job.pk,
                before_state=from_state,
                after_state=JobState.STOPPING,
                reason=error,
                details=report,
            )
    return is_stopping


def end_stopping(job_id: int) -> None:
    """End a job that is to stop, unless a worker has it: that one will. Spark is not needed for it."""
    held = claim(job_id)
    if held is not None:
        with heartbeat(held):
            stop_if_asked(held)
