"""The task of a schedule: it creates a job, or records why it does not."""

from datetime import timedelta

from celery import shared_task
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry
from messages_app.core.problems import quote_value
from messages_app.jobs.errors import AlreadyRunning, InvalidJob, NotAllowed
from messages_app.jobs.models import Job, JobSchedule
from messages_app.jobs.permissions import CAN_SCHEDULE
from messages_app.jobs.schedules.runs import create_job_of_schedule, note_run
from messages_app.jobs.schedules.times import MIN_MINUTES
from messages_app.messages.attachment import NotAttachedForThis

# A second delivery of the same run comes earlier than the next run can.
_APART = timedelta(minutes=MIN_MINUTES - 1)


@shared_task
def run_schedule(schedule_id: object = None, *more: object, **_: object) -> None:
    """
    Create the job of a schedule, if the schedule exists, is enabled, and no delivery has taken this run yet.

    Raises:
        ValueError: the periodic task was edited in the admin and does not name a schedule.
    """
    if not isinstance(schedule_id, int) or isinstance(schedule_id, bool) or more:
        arguments = quote_value(str([schedule_id, *more]))
        text = (
            f"A periodic task of run_schedule takes the number of one schedule, such as [3], not {arguments}."
        )
        raise ValueError(text)
    _make_job_of_run(schedule_id)


def _make_job_of_run(schedule_id: int) -> None:
    """
    Create the schedule's job.

    The schedule records, without an error, that the job of the last run or another archive job is not
    finished, or that the owner may no longer create such a job. A run that is delivered twice, or whose
    schedule was removed, does nothing.
    """
    with transaction.atomic():
        schedule = _take_run(schedule_id)
        if schedule is None:
            return
        job, outcome = _make_job(schedule)
        note_run(schedule, outcome, job)


def _take_run(schedule_id: int) -> JobSchedule | None:
    """Return the schedule after taking this run, or None if another delivery has taken it."""
    is_due = Q(last_run_at=None) | Q(last_run_at__lte=Now() - _APART)
    is_ours = JobSchedule.objects.filter(is_due, pk=schedule_id, enabled=True).update(last_run_at=Now())
    # The worker's database role may not read passwords.
    schedules = JobSchedule.objects.select_related("owner").defer("owner__password")
    return schedules.get(pk=schedule_id) if is_ours else None


def _make_job(schedule: JobSchedule) -> tuple[Job | None, str]:
    actor = _actor_of_schedule(schedule)
    try:
        _check_owner(schedule)
        job = create_job_of_schedule(schedule, actor=actor, user=schedule.owner, is_scheduled=True)
    except AlreadyRunning as error:
        return None, _record_none(schedule, actor, f"Skipped: {error}")
    except (InvalidJob, NotAllowed, NotAttachedForThis) as error:
        return None, _record_none(schedule, actor, f"Refused: {error}")
    return job, f"Created job {job.pk}."


def _actor_of_schedule(schedule: JobSchedule) -> audit.Actor:
    """Return the actor for the audit log: the schedule with its owner."""
    owner = schedule.owner.get_username() if schedule.owner else schedule.created_by
    return audit.Actor(username=f"schedule {schedule.pk} ({owner})"[:150])


def _check_owner(schedule: JobSchedule) -> None:
    if schedule.owner is None or not schedule.owner.has_perm(CAN_SCHEDULE):
        raise NotAllowed("its creator no longer has permission; save the schedule again.")


def _record_none(schedule: JobSchedule, actor: audit.Actor, outcome: str) -> str:
    audit.record_entry(
        actor=actor,
        action="run_schedule",
        outcome=AuditEntry.Outcome.REFUSED,
        reason=schedule.reason,
        details={"schedule": schedule.pk, "why": outcome},
    )
    return outcome
