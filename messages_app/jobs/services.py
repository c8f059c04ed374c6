"""
Every write to a job on behalf of an operator. Creating a job is an insert; the work starts elsewhere.

Source: DESIGN.md "Jobs"; reliability I-27, I-31.
"""

from collections.abc import Mapping

from django.db import IntegrityError, connection, transaction

from messages_app.audit import services as audit
from messages_app.jobs.bell import wake
from messages_app.jobs.models import Job
from messages_app.jobs.options import InvalidJob, check_job, check_rate
from messages_app.jobs.sql import statement
from messages_app.jobs.states import (
    ACTIVE_STATES,
    PAUSABLE_STATES,
    STOPPABLE_STATES,
    JobState,
    PauseReason,
)

__all__ = [
    "AlreadyRunning",
    "InvalidJob",
    "JobConflict",
    "JobNotFound",
    "change_rate",
    "create_job",
    "pause_job",
    "resume_job",
    "stop_job",
]


class AlreadyRunning(Exception):
    """A job of this kind is under way, and two may not overlap; `job_id` names it."""

    def __init__(self, job_id: int) -> None:
        super().__init__(f"Archive job {job_id} is not finished yet; two may not overlap.")
        self.job_id = job_id


class JobNotFound(Exception):
    """No job has this id."""


class JobConflict(Exception):
    """The job's state does not allow what was asked; nothing was changed."""

    def __init__(self, text: str, *, current_state: str) -> None:
        super().__init__(text)
        self.current_state = current_state


def create_job(
    *,
    kind: str,
    filter: Mapping[str, object],
    options: Mapping[str, object],
    dry_run: bool,
    reason: str,
    actor: audit.Actor,
    user: object | None,
) -> Job:
    """
    Accept a job: its set is fixed by what the database's clock and the last id say now.

    Args:
        filter: by the names of the message list's filters; a list where a filter takes several values.
        user: whose rights decide which filters and columns there are; None for the command line.

    Raises:
        InvalidJob: a parameter is wrong; `errors` name each.
        AlreadyRunning: an archive job is under way.
    """
    checked, kept_filter = check_job(kind=kind, filter=filter, options=options, reason=reason, user=user)
    try:
        with transaction.atomic():
            job = _insert_job(
                kind=kind,
                filter=kept_filter,
                options=checked,
                dry_run=dry_run,
                reason=reason,
                actor=actor,
            )
            audit.record(
                actor=actor,
                action=f"{kind}.preview" if dry_run else kind,
                job_id=job.pk,
                reason=reason,
                details={"options": checked, "filter": kept_filter},
            )
    except IntegrityError as error:
        raise _overlap(kind) from error
    transaction.on_commit(lambda: wake(job.pk))
    return job


def _insert_job(
    *,
    kind: str,
    filter: dict[str, object],
    options: dict[str, object],
    dry_run: bool,
    reason: str,
    actor: audit.Actor,
) -> Job:
    with connection.cursor() as cursor:
        cursor.execute(statement("freeze_point"), {"older_than_months": options.get("older_than_months")})
        watermark, cutoff, last_msg_id = cursor.fetchone()
    return Job.objects.create(
        kind=kind,
        filter=filter,
        options=options,
        rate=options.get("rate"),
        dry_run=dry_run,
        reason=reason,
        watermark=watermark,
        cutoff=cutoff,
        last_msg_id=last_msg_id or 0,
        created_by=actor.username,
    )


def _overlap(kind: str) -> AlreadyRunning:
    running = Job.objects.filter(kind=kind, state__in=ACTIVE_STATES, dry_run=False).values_list(
        "pk", flat=True
    )
    return AlreadyRunning(running.first() or 0)


def stop_job(*, job_id: int, actor: audit.Actor, reason: str) -> Job:
    """
    Ask a job to stop. Chunks that are done stay done; none begins after those under way.

    Asking again changes nothing and is no error.

    Raises:
        JobNotFound: no job has this id.
        JobConflict: it has ended.
    """
    values = {
        "from_states": sorted(STOPPABLE_STATES),
        "stopped": JobState.STOPPED,
        "stopping": JobState.STOPPING,
    }
    job = _change("stop_job", job_id=job_id, actor=actor, reason=reason, values=values)
    if job.state not in {JobState.STOPPING, JobState.STOPPED}:
        raise JobConflict(f"Job {job_id} is {job.state}; it cannot be stopped.", current_state=job.state)
    transaction.on_commit(lambda: wake(job_id))  # a paused job has nobody who would see it
    return job


def pause_job(*, job_id: int, actor: audit.Actor, reason: str) -> Job:
    """
    Have a job rest: what is under way is done, at most a chunk for each executor, and nothing begins.

    Asking again changes nothing and is no error.

    Raises:
        JobNotFound: no job has this id.
        JobConflict: it is not queued or running.
    """
    values = {
        "from_states": sorted(PAUSABLE_STATES),
        "paused": JobState.PAUSED,
        "paused_for": PauseReason.OPERATOR,
    }
    job = _change("pause_job", job_id=job_id, actor=actor, reason=reason, values=values)
    if job.state != JobState.PAUSED:
        raise JobConflict(f"Job {job_id} is {job.state}; it cannot be paused.", current_state=job.state)
    return job


def resume_job(*, job_id: int, actor: audit.Actor, reason: str) -> Job:
    """
    Have a paused job go on; one that waits for its canary goes on without it.

    Raises:
        JobNotFound: no job has this id.
        JobConflict: it is not paused.
    """
    values = {"from_states": [JobState.PAUSED], "queued": JobState.QUEUED}
    with transaction.atomic():
        changed = _try_change("resume_job", job_id=job_id, actor=actor, reason=reason, values=values)
    job = _found(job_id)
    if not changed:
        raise JobConflict(f"Job {job_id} is {job.state}; it is not paused.", current_state=job.state)
    transaction.on_commit(lambda: wake(job_id))
    return job


def change_rate(*, job_id: int, rate: float | None, actor: audit.Actor, reason: str) -> Job:
    """
    Change how many messages a second a job may do, None for as fast as it goes; it obeys within a second.

    Raises:
        InvalidJob: the rate is out of range.
        JobNotFound: no job has this id.
        JobConflict: it has ended.
    """
    if error := check_rate(rate):
        raise InvalidJob([error])
    values = {"from_states": sorted(ACTIVE_STATES), "rate": rate}
    with transaction.atomic():
        changed = _try_change(
            "change_rate", job_id=job_id, actor=actor, reason=reason, values=values, details={"rate": rate}
        )
    job = _found(job_id)
    if not changed:
        raise JobConflict(f"Job {job_id} is {job.state}; it has no rate any more.", current_state=job.state)
    return job


def _change(name: str, *, job_id: int, actor: audit.Actor, reason: str, values: dict[str, object]) -> Job:
    with transaction.atomic():
        _try_change(name, job_id=job_id, actor=actor, reason=reason, values=values)
    return _found(job_id)


def _try_change(
    name: str,
    *,
    job_id: int,
    actor: audit.Actor,
    reason: str,
    values: dict[str, object],
    details: dict[str, object] | None = None,
) -> bool:
    """Do one conditional change of a job with its audit entry; return whether it was possible."""
    with connection.cursor() as cursor:
        cursor.execute(statement(name), {"job_id": job_id, **values})
        changed = cursor.fetchone()
    if changed:
        audit.record(
            actor=actor,
            action=name,
            job_id=job_id,
            after_state=changed[0],
            reason=reason,
            details=details or {},
        )
    return changed is not None


def _found(job_id: int) -> Job:
    job = Job.objects.filter(pk=job_id).first()
    if job is None:
        raise JobNotFound(f"No job has the id {job_id}.")
    return job
