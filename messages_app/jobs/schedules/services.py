"""Every write to schedules. A schedule and its periodic task of Celery beat change together."""

import json
from dataclasses import replace
from typing import TypedDict, Unpack, cast

from django.db import transaction
from django_celery_beat.models import CrontabSchedule, PeriodicTask, PeriodicTasks

from messages_app.access.actors import Caller
from messages_app.audit import services as audit
from messages_app.core.clock import database_clock
from messages_app.core.edit_versions import check_version, version_of
from messages_app.core.problems import FieldError
from messages_app.jobs.errors import InvalidJob, NotAllowed
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.models import JobSchedule
from messages_app.jobs.permissions import CAN_SCHEDULE, masked_filter, shown_options
from messages_app.jobs.schedules import relative_times
from messages_app.jobs.schedules.times import cron_fault, zone_fault
from messages_app.jobs.validation import check_job
from messages_app.messages.filters.vocabulary import TIMES
from messages_app.shared.job_records import Given, JobFilter

RUN_SCHEDULE = "messages_app.jobs.schedules.tasks.run_schedule"


class ScheduleNotFound(Exception):
    """No schedule has this id."""


class ScheduleValues(TypedDict):
    """
    The columns of a schedule that its owner sets.

    The times of `filter` may be relative (relative_times.py): each run converts them to exact times.
    """

    kind: str
    filter: Given
    options: Given
    reason: str
    cron: str
    zone: str
    enabled: bool


def values_of_schedule(schedule: JobSchedule) -> ScheduleValues:
    return cast(ScheduleValues, {name: getattr(schedule, name) for name in ScheduleValues.__annotations__})


def read_version(schedule: JobSchedule) -> str:
    """Return the version of a schedule, for `save_schedule`."""
    return version_of(schedule, ScheduleValues.__annotations__)


def save_schedule(
    *,
    schedule_id: int | None = None,
    actor: audit.Actor,
    user: Caller,
    version: str | None = None,
    **values: Unpack[ScheduleValues],
) -> JobSchedule:
    """
    Create a schedule, or change the one with this id. Its runs have the permissions of `user` from now on.

    Args:
        version: of the schedule that the caller has seen; None: it is not compared.

    Raises:
        EditConflict: it has another version.
        InvalidJob: the job, the cron expression or the zone is wrong, or an archive job has no age limit;
            `errors` name each field.
        NotAllowed: `user` may not create schedules, or not such a job.
        ScheduleNotFound: no schedule has this id.
    """
    check_right(user)
    columns = {
        **values,
        "filter": _checked_filter(values, user),
        "options": dict(values["options"]),
        "cron": " ".join(values["cron"].split()),
        "owner": user,
    }
    with transaction.atomic():
        if schedule_id is None:
            schedule = JobSchedule.objects.create(created_by=actor.username, **columns)
        else:
            check_version(version, read_version(get_schedule(schedule_id)))
            JobSchedule.objects.filter(pk=schedule_id).update(**columns)
            schedule = JobSchedule.objects.get(pk=schedule_id)
        _store_task(schedule)
        action = "create_schedule" if schedule_id is None else "change_schedule"
        _record_change(action, schedule, actor=actor)
    return schedule


def delete_schedule(*, schedule_id: int, actor: audit.Actor, user: Caller, reason: str = "") -> None:
    """
    Remove a schedule. Its jobs are kept.

    Args:
        reason: the reason for the audit log; empty: the reason of its jobs.

    Raises:
        NotAllowed: `user` may not change schedules.
        ScheduleNotFound: no schedule has this id.
    """
    check_right(user)
    with transaction.atomic():
        schedule = get_schedule(schedule_id)
        PeriodicTask.objects.filter(name=_task_name(schedule)).delete()
        schedule.delete()
        _record_change("delete_schedule", schedule, actor=actor, schedule_id=schedule_id, reason=reason)


def pause_schedule(*, schedule_id: int, actor: audit.Actor, user: Caller) -> None:
    """
    Pause a schedule: it makes no jobs until it is resumed. Its owner stays the same.

    Raises:
        NotAllowed: `user` may not change schedules.
        ScheduleNotFound: no enabled schedule has this id.
    """
    check_right(user)
    with transaction.atomic():
        if not JobSchedule.objects.filter(pk=schedule_id, enabled=True).update(enabled=False):
            raise ScheduleNotFound(f"No enabled schedule has the id {schedule_id}.")
        schedule = JobSchedule.objects.get(pk=schedule_id)
        PeriodicTask.objects.filter(name=_task_name(schedule)).update(enabled=False)
        PeriodicTasks.update_changed()
        _record_change("change_schedule", schedule, actor=actor)


def resume_schedule(*, schedule_id: int, actor: audit.Actor, user: Caller) -> None:
    """
    Resume a schedule. It is checked like a new one, and its runs have the permissions of `user` from now on.

    Raises: as `save_schedule`.
    """
    with transaction.atomic():
        values = values_of_schedule(get_schedule(schedule_id))
        values["enabled"] = True
        save_schedule(schedule_id=schedule_id, actor=actor, user=user, **values)


def forget_schedule(schedule_id: int) -> None:
    """Remove a schedule whose parameters must be erased, without an audit entry that would repeat them."""
    schedule = JobSchedule.objects.select_for_update().filter(pk=schedule_id).first()
    if schedule is not None:
        PeriodicTask.objects.filter(name=_task_name(schedule)).delete()
        schedule.delete()


def check_right(user: Caller) -> None:
    """Raise NotAllowed for users who may not change schedules."""
    if not user.has_perm(CAN_SCHEDULE):
        raise NotAllowed("Only administrators can change schedules.")


def _checked_filter(values: ScheduleValues, user: Caller) -> JobFilter:
    """
    Return the filter as jobs store it, but with relative times as they were given.

    Everything is checked as for a run now, so that all errors are reported together.
    """
    faults = (cron_fault(values["cron"]), zone_fault(values["zone"]), _months_fault(values))
    errors = [fault for fault in faults if fault]
    now = database_clock()
    in_address = relative_times.as_address(values["filter"], now=now)
    try:
        request = check_job(
            kind=values["kind"],
            filter=relative_times.with_exact_times(in_address, now=now),
            options=values["options"],
            reason=values["reason"],
            user=user,
        )
    except InvalidJob as error:
        raise InvalidJob([*map(_with_relative_times, error.errors), *errors]) from None
    if errors:
        raise InvalidJob(errors)
    return request.filter | relative_times.relative_ones(in_address)


def _months_fault(values: ScheduleValues) -> FieldError | None:
    """Require an explicit age limit: unattended jobs must not depend on a default."""
    if not spec_of(values["kind"]).has_age_limit or "older_than_months" in values["options"]:
        return None
    return FieldError("options.older_than_months", "required", "Enter a number of months, at least 1.")


def _with_relative_times(error: FieldError) -> FieldError:
    """Add to an error about a time that schedules also accept relative times."""
    if error.code != "invalid_value" or error.field.removeprefix("filter.") not in TIMES:
        return error
    return replace(error, message=f"{error.message} Relative times are allowed: -7d, -24h, today.")


def get_schedule(schedule_id: int) -> JobSchedule:
    """Return and lock the schedule with this id. Raises ScheduleNotFound."""
    schedule = JobSchedule.objects.select_for_update().filter(pk=schedule_id).first()
    if schedule is None:
        raise ScheduleNotFound(f"No schedule has the id {schedule_id}.")
    return schedule


def _task_name(schedule: JobSchedule) -> str:
    return f"job schedule {schedule.pk}"


def _store_task(schedule: JobSchedule) -> None:
    minute, hour, day_of_month, month, day_of_week = schedule.cron.split()
    crontab, _ = CrontabSchedule.objects.get_or_create(
        minute=minute,
        hour=hour,
        day_of_month=day_of_month,
        month_of_year=month,
        day_of_week=day_of_week,
        timezone=schedule.zone,
    )
    PeriodicTask.objects.update_or_create(
        name=_task_name(schedule),
        defaults={
            "task": RUN_SCHEDULE,
            "args": json.dumps([schedule.pk]),
            "crontab": crontab,
            "enabled": schedule.enabled,
            # Without this, a run that the new cron expression would already have had is made immediately.
            "last_run_at": database_clock(),
        },
    )


def _record_change(
    action: str,
    schedule: JobSchedule,
    *,
    actor: audit.Actor,
    schedule_id: int | None = None,
    reason: str = "",
) -> None:
    values = values_of_schedule(schedule)
    details = {
        **values,
        "schedule": schedule_id or schedule.pk,
        "filter": masked_filter(schedule.filter),
        "options": shown_options(schedule.kind, schedule.options, None),
    }
    details.pop("reason")
    audit.record_entry(
        actor=actor,
        action=action,
        subject_kind="schedule",
        subject=schedule_id or schedule.pk,
        reason=reason or schedule.reason,
        details=details,
    )
