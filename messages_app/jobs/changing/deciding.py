"""What a second person says to a job that waits for one: go on with what is planned, or not at all."""

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.jobs.changing.refusals import JobConflict
from messages_app.jobs.changing.steering import found_job, try_change
from messages_app.jobs.holding.bell import wake
from messages_app.jobs.models import Job
from messages_app.jobs.states import JobState, PauseReason


def approve_job(*, job_id: int, actor: audit.Actor, reason: str) -> Job:
    """
    Have a job go on that waits for a second person. Its set is the one that was frozen, and that is shown.

    Raises:
        JobNotFound: no job has this id.
        JobConflict: it does not wait for a second person, or `actor` is its maker.
    """
    return _decide(
        "approve_job", job_id=job_id, actor=actor, reason=reason, values={"queued": JobState.QUEUED}
    )


def refuse_job(*, job_id: int, actor: audit.Actor, reason: str) -> Job:
    """Have a job that waits for a second person end with nothing done. Raises as approve_job."""
    values = {"stopping": JobState.STOPPING, "error": f"Refused by {actor.username}: {reason}"}
    return _decide("refuse_job", job_id=job_id, actor=actor, reason=reason, values=values)


def _decide(name: str, *, job_id: int, actor: audit.Actor, reason: str, values: dict[str, object]) -> Job:
    waiting = {"waiting": JobState.PLANNED, "paused_for": PauseReason.SECOND_PERSON}
    with transaction.atomic():
        is_decided = try_change(
            name,
            job_id=job_id,
            actor=actor,
            reason=reason,
            values=waiting | {"person": actor.username} | values,
        )
    job = found_job(job_id)
    if not is_decided:
        raise JobConflict(_refusal(job, actor), current_state=job.state)
    transaction.on_commit(lambda: wake(job_id))
    return job


def _refusal(job: Job, actor: audit.Actor) -> str:
    if job.paused_for == PauseReason.SECOND_PERSON and job.created_by == actor.username:
        return f"Job {job.pk} is your own; another person decides about it."
    return f"Job {job.pk} is {job.state}; it does not wait for a second person."
