"""The whole audit entry of each change of a job by a user, and of jobs that follow another one."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from messages_app.jobs.errors import JobConflict
from messages_app.jobs.models import Job
from messages_app.jobs.services.control import (
    approve_job,
    change_rate,
    pause_job,
    refuse_job,
    resume_job,
    stop_job,
)
from messages_app.jobs.services.retry_undo import retry_failed, undo_job
from tests.support.audit_entries import GRACE, audit_rows, by_grace
from tests.support.ledgers import store_ledger

pytestmark = pytest.mark.django_db

WHY = {"actor": GRACE, "reason": "the gateway is back"}


def store_job(state: str, paused_for: str = "", **columns: object) -> int:
    defaults = {"kind": "cancel", "reason": "r", "created_by": "ada", "creator_id": 8, "attempt": 3}
    return Job.objects.create(state=state, paused_for=paused_for, **defaults | columns).pk


@pytest.mark.parametrize(
    ("call", "values", "job", "after", "details"),
    [
        (pause_job, {}, ("running",), "paused", {}),
        (resume_job, {}, ("paused", "operator"), "planning", {}),
        (resume_job, {"confirmed": 12}, ("paused", "confirmation"), "planning", {"confirmed": 12}),
        (stop_job, {}, ("running",), "stopping", {}),
        (change_rate, {"rate": 2.5}, ("queued",), "queued", {"rate": 2.5}),
        (change_rate, {"rate": None}, ("running",), "running", {"rate": None}),
        (approve_job, {}, ("planned", "second_person"), "queued", {}),
        (refuse_job, {}, ("planned", "second_person"), "stopping", {}),
    ],
)
def test_a_change_is_recorded_with_its_user_reason_state_and_details(call, values, job, after, details):
    job_id = store_job(*job)
    call(job_id=job_id, **values, **WHY)
    entry = by_grace(call.__name__, job_id=job_id, after_state=after, details=details, reason=WHY["reason"])
    assert audit_rows() == [entry]


def test_a_second_call_changes_and_records_nothing():
    job_id = store_job("running")
    for call in (pause_job, stop_job):
        call(job_id=job_id, **WHY)
        call(job_id=job_id, **WHY)
    assert [row["action"] for row in audit_rows()] == ["pause_job", "stop_job"]


def test_a_refused_change_records_nothing():
    with pytest.raises(JobConflict):
        resume_job(job_id=store_job("running"), confirmed=3, **WHY)
    assert audit_rows() == []


class TestFollowers:
    def ended(self, kind: str, **columns: object) -> int:
        """Store a job that ended an hour ago, with one message done and one failed."""
        columns = {"kind": kind, "finished_at": Now() - timedelta(hours=1)} | columns
        asked = {"filter": {"state": "NEW"}, "options": {"rate": 4.0, "total": True}}
        job_id = store_job("done", **asked | columns)
        store_ledger(Job.objects.get(pk=job_id), {1: "done", 2: "failed:uq_x"})
        return job_id

    def row(self, job: Job) -> dict[str, object]:
        names = (
            "kind",
            "filter",
            "options",
            "rate",
            "reason",
            "created_by",
            "creator_id",
            "undo_of",
            "retry_of",
        )
        return Job.objects.values("state", "dry_run", "report", *names).get(pk=job.pk)

    def test_of_an_undo_have_no_filter_and_name_the_job(self):
        origin = self.ended("cancel")
        job = undo_job(job_id=origin, **WHY)
        assert self.row(job) == {
            "kind": "cancel",
            "state": "planning",
            "dry_run": False,
            "filter": {},
            "options": {},
            "rate": None,
            "report": {},
            "reason": "the gateway is back",
            "created_by": "grace",
            "creator_id": 71,
            "undo_of": origin,
            "retry_of": None,
        }
        details = {"undo_of": origin, "retry_of": None, "options": {}}
        entry = by_grace("undo_job", job_id=job.pk, reason=WHY["reason"], details=details)
        assert audit_rows() == [entry]

    @pytest.mark.parametrize("undo_of", [None, 5])
    def test_of_a_retry_have_the_filter_and_the_options_of_the_job(self, undo_of):
        origin = self.ended("restart", undo_of=undo_of)
        job = retry_failed(job_id=origin, **WHY)
        options = {"rate": 4.0, "total": True}
        assert self.row(job) == {
            "kind": "restart",
            "state": "planning",
            "dry_run": False,
            "filter": {"state": "NEW"},
            "options": options,
            "rate": 4.0,
            "report": {},
            "reason": "the gateway is back",
            "created_by": "grace",
            "creator_id": 71,
            "undo_of": undo_of,
            "retry_of": origin,
        }
        details = {"undo_of": undo_of, "retry_of": origin, "options": options}
        entry = by_grace("retry_failed", job_id=job.pk, reason=WHY["reason"], details=details)
        assert audit_rows() == [entry]
