"""
A job of very many messages rests in `planned`, its set frozen, until another person approves or refuses it.

While it waits it has its messages, as any job has: so it does not wait for ever.
"""

from django.conf import settings
from django.db import connection

from messages_app.jobs.asking.bulk_guard import SECOND_PERSON_FROM
from messages_app.jobs.guarding.stopping import end_stopping, stop_by_itself
from messages_app.jobs.holding import lease
from messages_app.jobs.models import Job
from messages_app.jobs.queries import progress_of
from messages_app.jobs.sql import statement
from messages_app.jobs.states import JobState, PauseReason


def rest_if_needed(held: lease.Lease, job: Job) -> bool:
    """
    Lay a job to rest whose plan, just made, is of too many messages for one person; it holds no worker.

    Returns:
        Whether it was.
    """
    start = job.report.get(SECOND_PERSON_FROM)
    if start is None or progress_of(job).left < start:
        return False
    return lease.rest(
        held,
        state=JobState.PLANNED,
        paused_for=PauseReason.SECOND_PERSON,
        from_states=[JobState.QUEUED],
        action="ask_second_person",
    )


def give_up() -> None:
    """Stop every job that nobody has decided about for too long."""
    values = {
        "waiting": JobState.PLANNED,
        "paused_for": PauseReason.SECOND_PERSON,
        "hours": settings.BULK_GUARD_HOURS,
    }
    with connection.cursor() as cursor:
        cursor.execute(statement("undecided_jobs"), values)
        job_ids = [row[0] for row in cursor]
    for job in Job.objects.filter(pk__in=job_ids):
        _stop(job)


def _stop(job: Job) -> None:
    text = f"No second person has approved it within {settings.BULK_GUARD_HOURS} hours."
    if stop_by_itself(job, from_state=JobState.PLANNED, error=text, report={}):
        end_stopping(job.pk)
