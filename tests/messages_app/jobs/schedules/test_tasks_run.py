from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.utils import timezone

from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor
from messages_app.jobs.models import Job, JobSchedule
from messages_app.jobs.schedules import tasks
from messages_app.jobs.schedules.services import save_schedule
from messages_app.jobs.schedules.tasks import run_schedule
from tests.support.factories import make_user
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db

AGO = "UPDATE job_schedule SET last_run_at = last_run_at - interval '4 minutes'"


def make_schedule(**changes: object) -> JobSchedule:
    good = {
        "kind": "archive",
        "filter": {},
        "options": {"older_than_months": 3},
        "reason": "every night",
        "cron": "30 2 * * *",
        "zone": "UTC",
        "enabled": True,
    }
    return save_schedule(actor=Actor(username="ada"), user=make_user("admin"), **good | changes)


def run(schedule: JobSchedule) -> JobSchedule:
    """Let the schedule become due, and return the schedule after its run."""
    with connection.cursor() as cursor:
        cursor.execute(AGO)
    run_schedule(schedule_id=schedule.pk)
    schedule.refresh_from_db()
    return schedule


class TestRunSchedule:
    def test_makes_the_job(self):
        schedule = run(make_schedule(filter={"state": "OK"}))
        job = Job.objects.get()
        assert (job.kind, job.filter, job.reason) == ("archive", {"state": "OK"}, "every night")
        assert job.options == {"older_than_months": 3, "to": "tables"}
        assert (schedule.last_job, schedule.last_outcome) == (job.pk, f"Created job {job.pk}.")
        assert schedule.last_run_at is not None

    def test_counts_relative_times_from_the_run_by_the_clock_of_the_database(self):
        filter = {"receive_timestamp_from": "-7d", "receive_timestamp_to": "-24h"}
        schedule = run(make_schedule(filter=filter))
        job = Job.objects.get()
        for name, ago in zip(sorted(filter), (timedelta(days=7), timedelta(hours=24)), strict=True):
            age = job.watermark - datetime.fromisoformat(job.filter[name])
            assert abs(age - ago) < timedelta(seconds=10)
        assert schedule.filter == filter

    def test_is_named_by_the_job_and_its_audit(self):
        schedule = run(make_schedule())
        job = Job.objects.get()
        entry = AuditEntry.objects.get(job_id=job.pk)
        assert job.created_by == entry.actor == f"schedule {schedule.pk} (ada)"

    def test_makes_one_job_of_a_run_delivered_twice(self):
        schedule = run(make_schedule(kind="restart", filter={"state": "FAILED"}, options={}))
        run_schedule(schedule_id=schedule.pk)
        assert Job.objects.count() == 1

    def test_skips_a_run_while_another_archive_job_is_active(self):
        running = Job.objects.create(kind="archive", state="running", reason="r")
        schedule = run(make_schedule())
        assert schedule.last_job is None
        assert schedule.last_outcome.startswith(f"Skipped: Archive job {running.pk} is not finished")
        entry = AuditEntry.objects.get(action="run_schedule")
        assert (entry.outcome, entry.details["schedule"]) == ("refused", schedule.pk)

    def test_skips_runs_until_its_last_job_has_ended(self):
        schedule = run(make_schedule(kind="cancel", filter={"state": "NEW"}, options={"rate": 1}))
        for _ in range(2):
            assert "Skipped: Job" in run(schedule).last_outcome
        Job.objects.update(state="done", finished_at=timezone.now())
        assert run(schedule).last_outcome.startswith("Created job")
        assert Job.objects.count() == 2

    @pytest.mark.parametrize("change", ["is_active", "groups", "gone"])
    def test_refuses_the_run_if_its_owner_lost_the_permission(self, change):
        schedule = make_schedule()
        if change == "is_active":
            schedule.owner.is_active = False
            schedule.owner.save()
        elif change == "groups":
            schedule.owner.groups.clear()
        else:
            schedule.owner.delete()
        assert run(schedule).last_outcome.startswith("Refused: ")
        assert not Job.objects.exists()

    def test_refuses_the_run_if_its_row_was_edited_manually(self):
        schedule = make_schedule()
        JobSchedule.objects.update(options={"where": "1=1"})
        assert "options.where" in run(schedule).last_outcome
        assert not Job.objects.exists()

    def test_does_nothing_while_it_is_not_enabled(self):
        assert run(make_schedule(enabled=False)).last_run_at is None
        assert not Job.objects.exists()

    @pytest.mark.parametrize("schedule_id", [777, -1])
    def test_does_nothing_without_a_schedule(self, schedule_id):  # J71
        tasks.run_schedule(schedule_id)
        assert not Job.objects.exists()

    @pytest.mark.django_db(transaction=True)
    def test_makes_one_job_of_many_deliveries_at_the_same_time(self):
        schedule = make_schedule(kind="restart", filter={"state": "FAILED"}, options={})
        assert in_threads(*[lambda: run_schedule(schedule_id=schedule.pk)] * 4) == [None] * 4
        assert Job.objects.count() == 1
