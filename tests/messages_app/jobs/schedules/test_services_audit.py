"""Schedules with their tasks and audit entries, compared whole."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group
from django_celery_beat.models import PeriodicTask

from messages_app.core.clock import database_clock
from messages_app.jobs.models import Job, JobSchedule
from messages_app.jobs.schedules.services import RUN_SCHEDULE, delete_schedule, forget_schedule, save_schedule
from messages_app.jobs.schedules.tasks import run_schedule
from messages_app.jobs.schedules.times import MIN_MINUTES
from tests.support.audit_entries import GRACE, audit_rows, by_grace, by_system
from tests.support.factories import make_user
from tests.support.transaction_time import transaction_time

pytestmark = pytest.mark.django_db

NIGHT = {
    "kind": "restart",
    "filter": {"state": "FAILED", "receive_timestamp_from": "-7d"},
    "options": {"rate": 5.0},
    "reason": "each night",
    "cron": "1 2 3 4 5",
    "zone": "Europe/Prague",
    "enabled": False,
}
DAY = {
    "kind": "cancel",
    "filter": {"state": "NEW"},
    "options": {"canary": 3},
    "reason": "each day",
    "cron": "6 7 8 9 0",
    "zone": "UTC",
    "enabled": True,
}


def rows() -> list[dict[str, object]]:
    return list(JobSchedule.objects.order_by("pk").values())


def tasks() -> list[dict[str, object]]:
    """Return the periodic tasks of schedules, with their times."""
    return [
        {
            "name": task.name,
            "args": task.args,
            "kwargs": task.kwargs,
            "enabled": task.enabled,
            "cron": [
                getattr(task.crontab, name)
                for name in ("minute", "hour", "day_of_month", "month_of_year", "day_of_week")
            ],
            "zone": str(task.crontab.timezone),
        }
        for task in PeriodicTask.objects.filter(task=RUN_SCHEDULE).order_by("pk")
    ]


def task_of(schedule: JobSchedule, asked: dict[str, object]) -> dict[str, object]:
    return {
        "name": f"job schedule {schedule.pk}",
        "args": f"[{schedule.pk}]",
        "kwargs": "{}",
        "enabled": asked["enabled"],
        "cron": str(asked["cron"]).split(),
        "zone": asked["zone"],
    }


def test_each_change_is_stored_with_its_task_and_recorded():
    ada, bob = make_user("admin"), make_user("admin", username="bob")
    first = save_schedule(actor=GRACE, user=ada, **NIGHT)
    other = save_schedule(actor=GRACE, user=bob, **DAY)
    columns = {"created_by": "grace", "last_run_at": None, "last_job": None, "last_outcome": ""}
    columns["recent_runs"] = []
    stored = [
        {"schedule_id": schedule.pk, "owner_id": owner.pk, **asked, **columns}
        for schedule, owner, asked in ((first, ada, NIGHT), (other, bob, DAY))
    ]
    assert rows() == stored
    assert tasks() == [task_of(first, NIGHT), task_of(other, DAY)]
    before = database_clock()

    save_schedule(schedule_id=first.pk, actor=GRACE, user=bob, **DAY)
    assert rows() == [{**stored[0], **DAY, "owner_id": bob.pk}, stored[1]]
    assert tasks() == [task_of(first, DAY), task_of(other, DAY)]
    late = [
        task.last_run_at >= before for task in PeriodicTask.objects.filter(task=RUN_SCHEDULE).order_by("pk")
    ]
    assert late == [True, False]

    delete_schedule(schedule_id=first.pk, actor=GRACE, user=ada, reason="no longer needed")
    delete_schedule(schedule_id=save_schedule(actor=GRACE, user=ada, **NIGHT).pk, actor=GRACE, user=ada)
    assert (rows(), tasks()) == ([stored[1]], [task_of(other, DAY)])
    forget_schedule(other.pk), forget_schedule(other.pk)
    assert (rows(), tasks()) == ([], [])

    def entry(action: str, schedule_id: int, asked: dict[str, object], reason: str) -> dict[str, object]:
        details = {name: value for name, value in asked.items() if name != "reason"}
        subject = {"subject_kind": "schedule", "subject": str(schedule_id)}
        return by_grace(action, reason=reason, details={"schedule": schedule_id, **details}, **subject)

    third = audit_rows()[-1]["details"]["schedule"]
    assert third not in {first.pk, other.pk}
    assert audit_rows() == [
        entry("create_schedule", first.pk, NIGHT, "each night"),
        entry("create_schedule", other.pk, DAY, "each day"),
        entry("change_schedule", first.pk, DAY, "each day"),
        entry("delete_schedule", first.pk, DAY, "no longer needed"),
        entry("create_schedule", third, NIGHT, "each night"),
        entry("delete_schedule", third, NIGHT, "each night"),
    ]


def test_the_audit_log_has_no_part_of_a_payload():
    options = {"find": "secret", "replace": "other", "rate": 5}
    editor = make_user("admin", "view_payload", "edit_payload")
    schedule = save_schedule(actor=GRACE, user=editor, **NIGHT | {"kind": "resend", "options": options})
    delete_schedule(schedule_id=schedule.pk, actor=GRACE, user=editor)
    assert [row["details"]["options"] for row in audit_rows()] == [
        {"find": "•••", "replace": "•••", "rate": 5}
    ] * 2


def test_a_run_and_a_skipped_run_are_recorded_by_the_schedule_and_its_owner():
    ada = make_user("admin")
    schedule = save_schedule(actor=GRACE, user=ada, **DAY)
    run_schedule(schedule.pk)
    job = Job.objects.get()
    assert (job.created_by, job.creator_id, job.options["canary"]) == (
        f"schedule {schedule.pk} (ada)",
        None,
        3,
    )
    JobSchedule.objects.update(last_run_at=None)
    run_schedule(schedule.pk)
    schedule.refresh_from_db()
    why = f"Skipped: Job {job.pk} of the previous run is planning."
    assert (schedule.last_job, schedule.last_outcome) == (job.pk, why)
    author = {"actor": f"schedule {schedule.pk} (ada)", "reason": "each day"}
    created, skipped = audit_rows("cancel", "run_schedule")
    assert created == by_system("cancel", job_id=job.pk) | author | {
        "details": {"options": job.options, "filter": {"state": "NEW"}}
    }
    assert skipped == by_system("run_schedule", outcome="refused") | author | {
        "details": {"schedule": schedule.pk, "why": why}
    }


@pytest.mark.parametrize(("late", "is_taken"), [(-1, False), (0, True), (1, True)])
def test_a_run_is_taken_once_in_the_shortest_time_between_two(late, is_taken):
    schedule = save_schedule(actor=GRACE, user=make_user("admin"), **DAY)
    edge = transaction_time() - timedelta(minutes=MIN_MINUTES - 1, seconds=late)
    JobSchedule.objects.update(last_run_at=edge - (timedelta() if late else timedelta(microseconds=1)))
    run_schedule(schedule.pk)
    assert Job.objects.exists() is is_taken
    assert (JobSchedule.objects.get().last_run_at > edge) is is_taken


def test_a_run_needs_the_permissions_for_schedules_and_for_the_job():
    ada = make_user("admin")
    schedule = save_schedule(actor=GRACE, user=ada, **DAY)
    ada.groups.set(Group.objects.filter(name="operator"))
    run_schedule(schedule.pk)
    schedule.refresh_from_db()
    why = "Refused: its creator no longer has permission; save the schedule again."
    assert (schedule.last_job, schedule.last_outcome, Job.objects.count()) == (None, why, 0)
    author = {"actor": f"schedule {schedule.pk} (ada)", "reason": "each day"}
    details = {"schedule": schedule.pk, "why": why}
    assert audit_rows("run_schedule") == [
        by_system("run_schedule", outcome="refused", details=details) | author
    ]
