"""Jobs whose disk is full or whose storage is away: their rows and audit entries; without Spark."""

from datetime import timedelta

import psycopg
import pytest

from messages_app.core.clock import database_clock
from messages_app.jobs.leases import Lease
from messages_app.jobs.models import Job
from messages_app.jobs.safeguards.passing_faults import rest_until_passed, try_again
from messages_app.shared.job_states import JobState
from spark_tasks.storage.faults import StorageAway
from tests.support.audit_entries import audit_rows, by_system

pytestmark = pytest.mark.django_db

FULL = psycopg.errors.DiskFull("could not extend file")
ERROR = "Disk full: could not extend file. The job continues automatically when there is space."


def store_job(state: str, **columns: object) -> Job:
    now = database_clock()
    waiting = {"attempt": 2, "lease_until": now, "report": {"to_do": 9}, "chunk_count": 1}
    return Job.objects.create(kind="restart", state=state, reason="r", created_by="ada", **waiting | columns)


@pytest.mark.parametrize("state", JobState)
def test_a_job_at_work_rests_with_the_reason(state):
    job, other = store_job(state), store_job(state)
    before = Job.objects.values().get(pk=job.pk), Job.objects.values().get(pk=other.pk)
    is_at_work = state in {"planning", "queued", "running"}
    assert rest_until_passed(Lease(job_id=job.pk, attempt=2), FULL) is is_at_work
    after = Job.objects.values().get(pk=job.pk), Job.objects.values().get(pk=other.pk)
    if is_at_work:
        changed = {name: value for name, value in after[0].items() if value != before[0][name]}
        assert changed.pop("paused_at") is not None
        assert changed == {"state": "paused", "paused_for": "disk_full", "error": ERROR, "lease_until": None}
        entry = {"reason": ERROR, "after_state": "paused", "details": {"paused_for": "disk_full"}}
        assert audit_rows() == [by_system("pause_job", job_id=job.pk, **entry)]
        before = (after[0], before[1])
    assert after == before


def test_a_job_of_another_attempt_or_with_another_error_does_not_rest():
    job = store_job("running")
    assert rest_until_passed(Lease(job_id=job.pk, attempt=3), FULL) is False
    assert rest_until_passed(Lease(job_id=job.pk, attempt=2), psycopg.errors.DeadlockDetected("x")) is False
    assert (Job.objects.get(pk=job.pk).state, audit_rows()) == ("running", [])


def test_a_job_rests_while_its_storage_is_away_and_is_tried_again(settings):
    settings.JOB_ROOM_SECONDS = 0
    job = store_job("running")
    assert rest_until_passed(Lease(job_id=job.pk, attempt=2), StorageAway("s3://hub asks to wait: 503."))
    job.refresh_from_db()
    error = "s3://hub asks to wait: 503. The job continues automatically when the storage can be used."
    assert (job.state, job.paused_for, job.error) == ("paused", "storage_away", error)
    try_again()
    job.refresh_from_db()
    assert (job.state, job.paused_for, job.error) == ("queued", "", "")
    reasons = [row["reason"] for row in audit_rows()]
    assert reasons == [error, "To check whether the storage can be used again."]


def test_a_job_is_tried_again_after_its_wait_and_no_other_one(settings):
    settings.JOB_ROOM_SECONDS = 60
    long_ago = database_clock() - timedelta(seconds=61)
    full = {"paused_for": "disk_full", "paused_at": long_ago, "error": ERROR}
    jobs = [store_job("paused", **full), store_job("paused", **full, chunk_count=None)]
    others = [
        store_job("paused", **full | {"paused_at": database_clock()}),
        store_job("paused", **full | {"paused_for": "operator"}),
        store_job("planned", **full),
    ]
    before = list(Job.objects.filter(pk__in=[job.pk for job in others]).order_by("pk").values())
    try_again()
    found = [
        (job.state, job.paused_for, job.error)
        for job in Job.objects.filter(pk__lte=jobs[1].pk).order_by("pk")
    ]
    assert found == [("queued", "", ""), ("planning", "", "")]
    assert list(Job.objects.filter(pk__in=[job.pk for job in others]).order_by("pk").values()) == before
    reason = "To check whether the disk has free space again."
    assert sorted(audit_rows(), key=lambda row: row["job_id"]) == [
        by_system("resume_job", job_id=job.pk, after_state=state, reason=reason)
        for job, state in zip(jobs, ("queued", "planning"), strict=True)
    ]
    try_again()
    assert len(audit_rows()) == 2
