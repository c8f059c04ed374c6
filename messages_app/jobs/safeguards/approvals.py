"""
A job of very many messages rests in `planned`, its set frozen, until another person approves or refuses it.

While it waits it has its messages, as any job has: so it does not wait for ever.
"""

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction

from messages_app.access.actors import may_be_users
from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry
from messages_app.core.statements import Statements
from messages_app.jobs import leases
from messages_app.jobs.leases import Lease, end_early
from messages_app.jobs.models import Job
from messages_app.jobs.permissions import missing_right
from messages_app.jobs.safeguards.failure_rate import end_stopping, stop_by_itself
from messages_app.jobs.selectors import progress_of
from messages_app.jobs.services.limits import SECOND_PERSON_FROM
from messages_app.jobs.validation import CONFIRMED, TO_DO, covers
from messages_app.shared.job_records import JobReport
from messages_app.shared.job_states import FailReason, JobState, PauseReason, failed

statements = Statements("messages_app.jobs")


def rest_if_needed(held: leases.Lease, job: Job) -> bool:
    """
    Lay a job to rest whose plan, just made, is of too many messages for one person; it holds no worker.

    Returns:
        Whether it was.
    """
    start = job.report.get(SECOND_PERSON_FROM)
    if start is None or progress_of(job).left < start:
        return False
    return leases.rest(
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
    job_ids = [job_id for (job_id,) in statements.rows("undecided_jobs", values)]
    for job in Job.objects.filter(pk__in=job_ids):
        _stop(job)


def _stop(job: Job) -> None:
    text = f"It was not approved within {settings.BULK_GUARD_HOURS} hours."
    if stop_by_itself(job, from_state=JobState.PLANNED, error=text, report={}):
        end_stopping(job.pk)


# The number that a person has confirmed, held against the set that was frozen.
#
# A set that is more than a tenth larger rests, frozen, before anything is changed, until somebody confirms
# its own number. Where a second person decides about the job anyway, that person sees both and is asked
# alone.


def frozen(job: Job) -> JobReport:
    """Return what the report of a job says of the plan that was just made, where a number was confirmed."""
    return {TO_DO: progress_of(job).left} if CONFIRMED in job.report else {}


def rest_if_larger(held: leases.Lease, job: Job) -> bool:
    """Lay a job to rest whose plan, just made, is larger than what was confirmed; return whether it was."""
    confirmed = job.report.get(CONFIRMED)
    if confirmed is None:
        return False
    to_do = progress_of(job).left
    if covers(confirmed, to_do):
        return False
    return leases.rest(
        held,
        paused_for=PauseReason.CONFIRMATION,
        from_states=[JobState.QUEUED],
        action="ask_confirmation",
    )


# A job runs with the rights that its maker has by then: each attempt asks, and the watcher while it runs.
#
# Source: docs/spec/promises.md, S-28, S-30.


def why_not_allowed(job: Job) -> str:
    """
    Return why a job's maker may no longer make it, in a sentence; empty: they may, or no user made it.

    A job of the command line or of a schedule is no user's. A maker who was removed, or has another name now,
    may make nothing.
    """
    name = job.created_by
    user = get_user_model().objects.defer("password").filter(username=name).first()
    if user is None:
        return f"Its creator {name} is no longer a user." if may_be_users(name) else ""
    if not user.is_active:
        return f"Its creator {name} is disabled."
    right = missing_right(user, job)
    return f"Its creator {name} no longer has the permission {right}." if right else ""


def end_if_not_allowed(held: Lease, job: Job) -> bool:
    """
    End a job that its maker may no longer make, with what is done; return whether it must not run.

    The audit has it, in the same transaction.
    """
    why = why_not_allowed(job)
    with transaction.atomic():
        if why and end_early(held, JobState.FAILED, outcome=failed(FailReason.RIGHT_LOST), error=why):
            audit.record(
                actor=audit.SYSTEM,
                action="run_job",
                outcome=AuditEntry.Outcome.REFUSED,
                job_id=job.pk,
                before_state=job.state,
                after_state=JobState.FAILED,
                reason=why,
                details={"maker": job.created_by},
            )
    return bool(why)


def look_at(job: Job) -> None:
    """Have a running job stop that its maker may no longer make."""
    if why := why_not_allowed(job):
        stop_by_itself(job, from_state=JobState.RUNNING, error=why, report={})
