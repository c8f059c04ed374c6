"""
Every write to a job on behalf of an operator. Creating a job is an insert; the work starts elsewhere.

Source: DESIGN.md "Jobs"; reliability I-27, I-31.
"""

from collections.abc import Mapping

from django.db import IntegrityError, connection, transaction

from messages_app.audit import services as audit
from messages_app.jobs.bell import wake
from messages_app.jobs.models import Job
from messages_app.jobs.options import InvalidJob, check_job
from messages_app.jobs.sql import statement
from messages_app.jobs.states import ACTIVE_STATES, JobState

__all__ = ["AlreadyRunning", "InvalidJob", "JobConflict", "JobNotFound", "create_job", "stop_job"]

STOPPABLE_STATES = frozenset({JobState.PLANNING, JobState.PLANNED, JobState.QUEUED, JobState.RUNNING})


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
) -> Job:
    """
    Accept a job: its set is fixed by what the database's clock and the last id say now.

    Raises:
        InvalidJob: a parameter is wrong; `errors` name each.
        AlreadyRunning: an archive job is under way.
    """
    checked = check_job(kind=kind, filter=filter, options=options, reason=reason)
    try:
        with transaction.atomic():
            job = _insert_job(kind=kind, options=checked, dry_run=dry_run, reason=reason, actor=actor)
            audit.record(
                actor=actor,
                action=f"{kind}.preview" if dry_run else kind,
                job_id=job.pk,
                reason=reason,
                details={"options": checked},
            )
    except IntegrityError as error:
        raise _overlap(kind) from error
    transaction.on_commit(lambda: wake(job.pk))
    return job


def _insert_job(
    *, kind: str, options: dict[str, object], dry_run: bool, reason: str, actor: audit.Actor
) -> Job:
    with connection.cursor() as cursor:
        cursor.execute(statement("freeze_point"), {"older_than_months": options["older_than_months"]})
        watermark, cutoff, last_msg_id = cursor.fetchone()
    return Job.objects.create(
        kind=kind,
        options=options,
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
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            statement("request_stop"),
            {
                "job_id": job_id,
                "stoppable_states": sorted(STOPPABLE_STATES),
                "stopped": JobState.STOPPED,
                "stopping": JobState.STOPPING,
            },
        )
        changed = cursor.fetchone()
        if changed:
            audit.record(actor=actor, action="stop_job", job_id=job_id, after_state=changed[0], reason=reason)
    job = Job.objects.filter(pk=job_id).first()
    if job is None:
        raise JobNotFound(f"No job has the id {job_id}.")
    if not changed and job.state not in {JobState.STOPPING, JobState.STOPPED}:
        raise JobConflict(f"Job {job_id} is {job.state}; it cannot be stopped.", current_state=job.state)
    return job
