"""
The permissions of a job's creator: each attempt checks that they are enough, and so does the watcher.

Source: docs/contributing/spec/promises.md, S-28, S-30.
"""

from django.contrib.auth import get_user_model
from django.db import transaction

from messages_app.access.actors import may_be_users
from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry
from messages_app.jobs.leases import Lease, end_early
from messages_app.jobs.models import Job
from messages_app.jobs.permissions import missing_right
from messages_app.jobs.safeguards.automatic_stops import stop_by_itself
from messages_app.shared.job_states import FailReason, JobState, failed_outcome


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
        stop_by_itself(job, from_state=JobState.RUNNING, error=why)
