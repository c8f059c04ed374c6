"""Stops of jobs by the console itself, and the end of stopping jobs that no worker has claimed."""

from django.db import transaction
from psycopg.types.json import Jsonb

from messages_app.audit import services as audit
from messages_app.core.statements import Statements
from messages_app.jobs.leases import claim_job, renewed_lease, stop_if_asked
from messages_app.jobs.models import Job
from messages_app.shared.job_records import JobReport
from messages_app.shared.job_states import JobState

statements = Statements("messages_app.jobs")


def stop_by_itself(job: Job, *, from_state: JobState, error: str, report: JobReport | None = None) -> bool:
    """
    Stop a job on behalf of the console. Return False if the job has left `from_state`.

    Args:
        error: the reason, as the page of the job shows it.
        report: additions to the report of the job.
    """
    values = {
        "job_id": job.pk,
        "attempt": job.attempt,
        "from_state": from_state,
        "stopping": JobState.STOPPING,
        "error": error,
        "report": Jsonb(report or {}),
    }
    with transaction.atomic():
        is_stopping = statements.fetch_row("stop_by_itself", values) is not None
        if is_stopping:
            audit.record_entry(
                actor=audit.SYSTEM,
                action="stop_job",
                job_id=job.pk,
                before_state=from_state,
                after_state=JobState.STOPPING,
                reason=error,
                details=report or {},
            )
    return is_stopping


def end_stopping(job_id: int) -> None:
    """End a stopping job, unless a worker has claimed it and will end it. This does not need Spark."""
    held = claim_job(job_id)
    if held is not None:
        with renewed_lease(held):
            stop_if_asked(held)
