"""
Pause, resume, stop, approve or refuse a job, or change its rate: each is a conditional change with an audit
entry.
"""

from collections.abc import Collection, Mapping

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.core.problems import FieldError
from messages_app.core.statements import Statements
from messages_app.jobs.errors import InvalidJob, JobConflict, JobNotFound
from messages_app.jobs.leases import enqueue_job
from messages_app.jobs.models import Job
from messages_app.jobs.permissions import refusal_of_creator
from messages_app.jobs.validation import CONFIRMED, TO_DO, check_confirmed, check_rate
from messages_app.shared.job_states import (
    ACTIVE_STATES,
    PAUSABLE_STATES,
    STOPPABLE_STATES,
    JobState,
    PauseReason,
)

statements = Statements("messages_app.jobs")


def stop_job(*, job_id: int, actor: audit.Actor, reason: str) -> Job:
    """
    Stop a job. Processed messages stay as they are, chunks in progress finish, and no new chunk starts.

    A second call changes nothing and is not an error.

    Raises:
        JobNotFound: no job has this id.
        JobConflict: it has ended.
    """
    job = _change_job(
        "stop_job",
        "it cannot be stopped",
        {"from_states": sorted(STOPPABLE_STATES), "stopped": JobState.STOPPED, "stopping": JobState.STOPPING},
        reached={JobState.STOPPING, JobState.STOPPED},
        job_id=job_id,
        actor=actor,
        reason=reason,
    )
    transaction.on_commit(lambda: enqueue_job(job_id))  # No worker would notice the stop of a paused job.
    return job


def pause_job(*, job_id: int, actor: audit.Actor, reason: str) -> Job:
    """
    Pause a job. Chunks in progress finish, at most one per executor, and no new chunk starts.

    A second call changes nothing and is not an error.

    Raises:
        JobNotFound: no job has this id.
        JobConflict: it is not queued or running.
    """
    return _change_job(
        "pause_job",
        "it cannot be paused",
        {
            "from_states": sorted(PAUSABLE_STATES),
            "paused": JobState.PAUSED,
            "paused_for": PauseReason.OPERATOR,
        },
        reached={JobState.PAUSED},
        job_id=job_id,
        actor=actor,
        reason=reason,
    )


def resume_job(*, job_id: int, actor: audit.Actor, reason: str, confirmed: int | None = None) -> Job:
    """
    Resume a paused job. A job that waits for its test batch continues without waiting.

    Args:
        confirmed: the number of messages that a job that waits for a confirmation may change.

    Raises:
        InvalidJob: it waits for a confirmation, and the number is missing or too small.
        JobNotFound: no job has this id.
        JobConflict: it is not paused.
    """
    if error := check_confirmed(confirmed):
        raise InvalidJob([error])
    changed = try_change(
        "resume_job",
        job_id=job_id,
        actor=actor,
        reason=reason,
        values=make_resume_values(confirmed=confirmed),
        details={} if confirmed is None else {"confirmed": confirmed},
    )
    job = read_job(job_id)
    if not changed and job.paused_for == PauseReason.CONFIRMATION:
        raise InvalidJob([_unconfirmed_error(job)])
    if not changed:
        raise JobConflict(f"Job {job_id} is {job.state}; it is not paused.", current_state=job.state)
    transaction.on_commit(lambda: enqueue_job(job_id))
    return job


def change_rate(*, job_id: int, rate: float | None, actor: audit.Actor, reason: str) -> Job:
    """
    Change the rate of a job in messages per second; None: no limit. It applies within a second.

    Raises:
        InvalidJob: the rate is out of range.
        JobNotFound: no job has this id.
        JobConflict: it has ended.
    """
    if error := check_rate(rate):
        raise InvalidJob([error])
    return _change_job(
        "change_rate",
        "its rate can no longer be changed",
        {"from_states": sorted(ACTIVE_STATES), "rate": rate},
        job_id=job_id,
        actor=actor,
        reason=reason,
        details={"rate": rate},
    )


def _unconfirmed_error(job: Job) -> FieldError:
    to_do, confirmed = (job.report.get(name) for name in (TO_DO, CONFIRMED))
    text = (
        f"Job {job.pk} has {to_do} messages, but {confirmed} were confirmed."
        f" Confirm {to_do} to continue, or stop the job."
    )
    return FieldError("confirmed", "required", text)


def make_resume_values(*reasons: PauseReason, confirmed: int | None = None) -> Mapping[str, object]:
    """
    Return the parameters of resume_job.sql, for a job that waits for one of these reasons or, without
    reasons, for any.
    """
    return {
        "paused": JobState.PAUSED,
        "paused_for": list(reasons) or None,
        "confirmation": PauseReason.CONFIRMATION,
        "confirmed": confirmed,
        "planning": JobState.PLANNING,
        "queued": JobState.QUEUED,
    }


def _change_job(
    name: str,
    refusal: str,
    values: Mapping[str, object],
    *,
    job_id: int,
    actor: audit.Actor,
    reason: str,
    reached: Collection[JobState] = (),
    details: Mapping[str, object] | None = None,
) -> Job:
    """
    Change a job, and return it.

    Args:
        reached: states in which nothing had to be changed.

    Raises:
        JobNotFound: no job has this id.
        JobConflict: it is in another state; `refusal` are the last words of the sentence.
    """
    changed = try_change(name, job_id=job_id, actor=actor, reason=reason, values=values, details=details)
    job = read_job(job_id)
    if not changed and job.state not in reached:
        raise JobConflict(f"Job {job_id} is {job.state}; {refusal}.", current_state=job.state)
    return job


def try_change(
    name: str,
    *,
    job_id: int,
    actor: audit.Actor,
    reason: str,
    values: Mapping[str, object],
    details: Mapping[str, object] | None = None,
) -> bool:
    """
    Change a job by one conditional statement, with its audit entry. Return whether the condition was true.
    """
    with transaction.atomic():
        changed = statements.fetch_row(name, {"job_id": job_id, **values})
        if changed:
            audit.record_entry(
                actor=actor,
                action=name,
                job_id=job_id,
                after_state=changed[0],
                reason=reason,
                details=details or {},
            )
    return changed is not None


def resume_by_itself(
    job_id: int, *reasons: PauseReason, reason: str, details: Mapping[str, object] | None = None
) -> None:
    """Resume a job that waits for one of these reasons, on behalf of the console."""
    values = make_resume_values(*reasons)
    if try_change(
        "resume_job", job_id=job_id, actor=audit.SYSTEM, reason=reason, values=values, details=details
    ):
        enqueue_job(job_id)


def read_job(job_id: int) -> Job:
    """
    Read a job.

    Raises:
        JobNotFound: no job has this id.
    """
    job = Job.objects.filter(pk=job_id).first()
    if job is None:
        raise JobNotFound(f"No job has the id {job_id}.")
    return job


def approve_job(*, job_id: int, actor: audit.Actor, reason: str) -> Job:
    """
    Approve a job that waits for a second person. It continues with its frozen set, which the page shows.

    Raises:
        JobNotFound: no job has this id.
        JobConflict: it does not wait for a second person, or `actor` created it.
    """
    return _decide_approval(
        "approve_job", job_id=job_id, actor=actor, reason=reason, values={"queued": JobState.QUEUED}
    )


def refuse_job(*, job_id: int, actor: audit.Actor, reason: str) -> Job:
    """Refuse a job that waits for a second person. It ends without changes. Raises like `approve_job`."""
    values = {"stopping": JobState.STOPPING, "error": f"Refused by {actor.username}: {reason}"}
    return _decide_approval("refuse_job", job_id=job_id, actor=actor, reason=reason, values=values)


def _decide_approval(
    name: str, *, job_id: int, actor: audit.Actor, reason: str, values: Mapping[str, object]
) -> Job:
    waiting = {"waiting": JobState.PLANNED, "paused_for": PauseReason.SECOND_PERSON}
    person = {"person": actor.username, "person_id": actor.user_id}
    is_decided = try_change(
        name, job_id=job_id, actor=actor, reason=reason, values={**waiting, **person, **values}
    )
    job = read_job(job_id)
    if not is_decided:
        raise JobConflict(_refusal_of_decision(job, actor), current_state=job.state)
    transaction.on_commit(lambda: enqueue_job(job_id))
    return job


def _refusal_of_decision(job: Job, actor: audit.Actor) -> str:
    if job.paused_for == PauseReason.SECOND_PERSON and job.is_by(actor.user_id, actor.username):
        return refusal_of_creator(job)
    return f"Job {job.pk} is {job.state}; it is not waiting for approval."
