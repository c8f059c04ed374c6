"""
A job runs with the rights that its maker has by then: each attempt asks, and the watcher while it runs.

Source: reliability S-28, S-30.
"""

from django.contrib.auth import get_user_model
from django.db import transaction

from messages_app.access.actors import may_be_users
from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry
from messages_app.jobs.asking.rights import missing_right
from messages_app.jobs.guarding.stopping import stop_by_itself
from messages_app.jobs.holding.endings import end_early
from messages_app.jobs.holding.lease import Lease
from messages_app.jobs.models import Job
from messages_app.jobs.states import FailReason, JobState, failed


def why_not_allowed(job: Job) -> str:
    """
    Return why a job's maker may no longer make it, in a sentence; empty: they may, or no user made it.

    A job of the command line or of a schedule is no user's. A maker who was removed, or has another name now,
    may make nothing.
    """
    name = job.created_by
    user = get_user_model().objects.defer("password").filter(username=name).first()
    if user is None:
        return f"Its maker {name} is no user any more." if may_be_users(name) else ""
    if not user.is_active:
        return f"Its maker {name} is disabled."
    right = missing_right(user, job)
    return f"Its maker {name} may no longer make such a job: the right {right} is missing." if right else ""


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
