"""
Approval of very large jobs: when its set is frozen, a job waits in `planned` until another person decides,
or until someone confirms a number that is larger than expected.

Other jobs skip its messages while it waits, so the wait has a time limit.
"""

from django.conf import settings

from messages_app.core.statements import Statements
from messages_app.jobs import leases
from messages_app.jobs.models import Job
from messages_app.jobs.safeguards.automatic_stops import end_stopping, stop_by_itself
from messages_app.jobs.selectors import progress_of
from messages_app.jobs.services.bulk_guard import SECOND_PERSON_FROM
from messages_app.jobs.validation import CONFIRMED, TO_DO, is_confirmed
from messages_app.shared.job_records import JobReport
from messages_app.shared.job_states import JobState, PauseReason

statements = Statements("messages_app.jobs")


def rest_if_needed(held: leases.Lease, job: Job) -> bool:
    """
    Pause a job whose new plan has so much to do that a second person must decide. It then occupies no worker.

    Returns:
        Whether it was paused.
    """
    start = job.report.get(SECOND_PERSON_FROM)
    if start is None or progress_of(job).left < start:
        return False
    return leases.pause_job(
        held,
        state=JobState.PLANNED,
        paused_for=PauseReason.SECOND_PERSON,
        from_states=[JobState.QUEUED],
        action="ask_second_person",
    )


def give_up() -> None:
    """Stop every job that has waited too long for a decision."""
    values = {
        "waiting": JobState.PLANNED,
        "paused_for": PauseReason.SECOND_PERSON,
        "hours": settings.BULK_GUARD_HOURS,
    }
    text = f"It was not approved within {settings.BULK_GUARD_HOURS} hours."
    for job in Job.objects.filter(pk__in=statements.fetch_column("undecided_jobs", values)):
        if stop_by_itself(job, from_state=JobState.PLANNED, error=text):
            end_stopping(job.pk)


def new_plan_report(job: Job) -> JobReport:
    """Return the part of a job's report about its new plan, if someone confirmed a number."""
    return {TO_DO: progress_of(job).left} if CONFIRMED in job.report else {}


def rest_if_larger(held: leases.Lease, job: Job) -> bool:
    """
    Pause a job whose new plan has more messages than were confirmed. Return whether it was paused.

    The difference may be a tenth. If a second person must decide about the job anyway, that person sees both
    numbers, and no other confirmation is needed.
    """
    confirmed = job.report.get(CONFIRMED)
    if confirmed is None or is_confirmed(confirmed, progress_of(job).left):
        return False
    return leases.pause_job(
        held,
        paused_for=PauseReason.CONFIRMATION,
        from_states=[JobState.QUEUED],
        action="ask_confirmation",
    )
