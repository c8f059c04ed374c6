"""Runs of schedules: the job that a run creates, the record of the last runs, and a run now."""

from typing import Literal

from django.db import transaction

from messages_app.access.actors import Caller
from messages_app.audit import services as audit
from messages_app.core.clock import database_clock
from messages_app.jobs.errors import AlreadyRunning
from messages_app.jobs.kinds.spec import JobRequest
from messages_app.jobs.models import Job, JobSchedule
from messages_app.jobs.schedules import relative_times
from messages_app.jobs.schedules.services import check_right, get_schedule
from messages_app.jobs.services.create import create_job
from messages_app.jobs.validation import check_job
from messages_app.shared.job_records import RecentRun
from messages_app.shared.job_states import ACTIVE_STATES

MAX_RUNS = 5
_MAX_OUTCOME = 1000


def create_job_of_schedule(
    schedule: JobSchedule, *, actor: audit.Actor, user: Caller | None, is_scheduled: bool
) -> Job:
    """
    Create the job of one run.

    Raises:
        AlreadyRunning: the job of the last run, or another archive job, is not finished.
        InvalidJob, NotAllowed, NotAttachedForThis: as `create_job`.
    """
    active = Job.objects.filter(state__in=sorted(ACTIVE_STATES))
    last = None if schedule.last_job is None else active.filter(pk=schedule.last_job).first()
    if last is not None:
        raise AlreadyRunning(last.pk, f"Job {last.pk} of the previous run is {last.state}.")
    return create_job(
        kind=schedule.kind,
        filter=relative_times.with_exact_times(schedule.filter, now=database_clock()),
        options=schedule.options,
        dry_run=False,
        reason=schedule.reason,
        actor=actor,
        user=user,
        is_scheduled=is_scheduled,
    )


def note_run(schedule: JobSchedule, outcome: str, job: Job | None) -> None:
    """Record the outcome of a run, in words, at a schedule that this transaction has locked or taken."""
    run = RecentRun(
        at=database_clock().isoformat(), outcome=_kind_of_outcome(outcome, job), job=job.pk if job else None
    )
    schedule.last_job = job.pk if job else schedule.last_job
    schedule.last_outcome = outcome[:_MAX_OUTCOME]
    schedule.recent_runs = [run, *schedule.recent_runs][:MAX_RUNS]
    schedule.save(update_fields=["last_job", "last_outcome", "recent_runs"])


def check_run(schedule: JobSchedule, user: Caller) -> JobRequest:
    """Return the job that a run now would create. Raises InvalidJob, NotAllowed or NotAttachedForThis."""
    return check_job(
        kind=schedule.kind,
        filter=relative_times.with_exact_times(schedule.filter, now=database_clock()),
        options=schedule.options,
        reason=schedule.reason,
        user=user,
    )


def run_now(*, schedule_id: int, actor: audit.Actor, user: Caller) -> Job:
    """
    Create the job of a schedule now, with the permissions of `user`. It may be paused.

    The same limits hold as for a job that `user` creates: a large one may wait for a second person. The next
    run by the clock is made as well.

    Raises:
        NotAllowed: `user` may not change schedules, or not create such a job.
        ScheduleNotFound: no schedule has this id.
        AlreadyRunning, InvalidJob, NotAttachedForThis: as `create_job`.
        Problem: `user` has too many active jobs.
    """
    check_right(user)
    with transaction.atomic():
        schedule = get_schedule(schedule_id)
        job = create_job_of_schedule(schedule, actor=actor, user=user, is_scheduled=False)
        note_run(schedule, f"Created job {job.pk}.", job)
        details = {"schedule": schedule.pk}
        audit.record_entry(
            actor=actor, action="run_schedule", job_id=job.pk, reason=schedule.reason, details=details
        )
    return job


def _kind_of_outcome(outcome: str, job: Job | None) -> Literal["created", "skipped", "refused"]:
    if job:
        return "created"
    return "skipped" if outcome.startswith("Skipped") else "refused"
