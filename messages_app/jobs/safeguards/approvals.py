"""
Approval of very large jobs: when its set is frozen, a job waits in `planned` until another person decides.

Other jobs skip its messages while it waits, so the wait has a time limit.
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
from messages_app.jobs.validation import CONFIRMED, TO_DO, is_confirmed
from messages_app.shared.job_records import JobReport
from messages_app.shared.job_states import FailReason, JobState, PauseReason, failed_outcome

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
    job_ids = [job_id for (job_id,) in statements.rows("undecided_jobs", values)]
    for job in Job.objects.filter(pk__in=job_ids):
        _stop_unapproved(job)


def _stop_unapproved(job: Job) -> None:
    text = f"It was not approved within {settings.BULK_GUARD_HOURS} hours."
    if stop_by_itself(job, from_state=JobState.PLANNED, error=text, report={}):
        end_stopping(job.pk)


# The comparison of the confirmed number with the frozen set.
#
# If the set is more than a tenth larger, the job waits, without changing anything, until someone confirms the
# actual number. If a second person must decide about the job anyway, that person sees both numbers, and no
# other confirmation is needed.


def new_plan_report(job: Job) -> JobReport:
    """Return the part of a job's report about its new plan, if someone confirmed a number."""
    return {TO_DO: progress_of(job).left} if CONFIRMED in job.report else {}


def rest_if_larger(held: leases.Lease, job: Job) -> bool:
    """Pause a job whose new plan has more messages than were confirmed. Return whether it was paused."""
    confirmed = job.report.get(CONFIRMED)
    if confirmed is None:
        return False
    to_do = progress_of(job).left
    if is_confirmed(confirmed, to_do):
        return False
    return leases.pause_job(
        held,
        paused_for=PauseReason.CONFIRMATION,
        from_states=[JobState.QUEUED],
        action="ask_confirmation",
    )


# A job runs with the current permissions of its creator: each attempt checks them, and so does the watcher
# while it runs.
#
# Source: docs/contributing/spec/promises.md, S-28, S-30.


def why_not_allowed(job: Job) -> str:
    """
    Return why the creator of a job may no longer create it; empty if they may, or if no user created it.

    Jobs from the command line or a schedule have no user. A creator who was removed has no permissions.
    """
    name = job.created_by
    if job.creator_id is None and not may_be_users(name):
        return ""
    user = get_user_model().objects.defer("password").filter(pk=job.creator_id or 0).first()
    if user is None:
        return f"Its creator {name} is no longer a user."
    if not user.is_active:
        return f"Its creator {name} is disabled."
    right = missing_right(user, job)
    return f"Its creator {name} no longer has the permission {right}." if right else ""


def end_if_not_allowed(held: Lease, job: Job) -> bool:
    """
    End a job that its creator may no longer create. Processed messages stay as they are. Return whether the
    job must not run.

    The audit entry is written in the same transaction.
    """
    why = why_not_allowed(job)
    with transaction.atomic():
        if why and end_early(held, JobState.FAILED, outcome=failed_outcome(FailReason.RIGHT_LOST), error=why):
            audit.record_entry(
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
    """Stop a running job that its creator may no longer create."""
    if why := why_not_allowed(job):
        stop_by_itself(job, from_state=JobState.RUNNING, error=why, report={})
