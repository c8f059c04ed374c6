"""Jobs that wait for a second person or a number: at each limit, with their whole records; without Spark."""

from datetime import timedelta

import pytest

from messages_app.core.clock import database_clock
from messages_app.jobs.leases import Lease
from messages_app.jobs.models import Job, JobChunk
from messages_app.jobs.safeguards import creator_rights
from messages_app.jobs.safeguards.approvals import give_up, new_plan_report, rest_if_larger, rest_if_needed
from messages_app.jobs.safeguards.creator_rights import end_if_not_allowed
from messages_app.jobs.selectors import job_progress
from tests.support.audit_entries import audit_rows, by_system
from tests.support.factories import make_user
from tests.support.ledgers import store_ledger

pytestmark = pytest.mark.django_db(transaction=True)

PLAN = {1: "skipped:in_job", 2: None, 3: None, 4: None}  # three messages to do


def store_job(state: str = "queued", **columns: object) -> Job:
    """Store a restart whose plan has three messages to do and one that it skips."""
    held = {"attempt": 2, "lease_until": database_clock() + timedelta(minutes=5)}
    defaults = {"kind": "restart", "reason": "r", "created_by": "ana", "chunk_count": 2}
    job = Job.objects.create(state=state, **defaults | held | columns)
    store_ledger(job, PLAN)
    return job


def held(job: Job) -> Lease:
    return Lease(job_id=job.pk, attempt=2)


def changed_columns(job: Job, before: dict[str, object]) -> dict[str, object]:
    row = Job.objects.values().get(pk=job.pk)
    return {name: value for name, value in row.items() if value != before[name]}


class TestRest:
    CASES = (
        (
            rest_if_needed,
            "second_person_from",
            (3, 2, 1),
            (4, None),
            "planned",
            "second_person",
            "ask_second_person",
        ),
        (rest_if_larger, "confirmed", (2, 1, 0), (3, 4, None), "paused", "confirmation", "ask_confirmation"),
    )

    @pytest.mark.parametrize(("call", "name", "waits", "goes_on", "state", "reason", "action"), CASES)
    def test_is_needed_from_a_number_of_messages_on(self, call, name, waits, goes_on, state, reason, action):
        for number in (*waits, *goes_on):
            job = store_job(report={"to_do": 9} if number is None else {"to_do": 9, name: number})
            before = Job.objects.values().get(pk=job.pk)
            assert call(held(job), job) is (number in waits)
            changed = changed_columns(job, before)
            if number in waits:
                assert changed.pop("paused_at") is not None
                assert changed == {"state": state, "paused_for": reason, "lease_until": None}
                details = {"paused_for": reason}
                entry = by_system(action, job_id=job.pk, after_state=state, details=details)
                assert audit_rows()[-1] == entry
            else:
                assert changed == {}
        assert len(audit_rows()) == len(waits)

    @pytest.mark.parametrize(("call", "name", "waits"), [case[:3] for case in CASES])
    @pytest.mark.parametrize("change", [{"state": "running"}, {"state": "stopping"}, {"attempt": 3}])
    def test_is_not_possible_once_the_job_has_moved_on(self, call, name, waits, change):
        job = store_job(report={name: waits[0]})
        Job.objects.filter(pk=job.pk).update(**change)
        before = Job.objects.values().get(pk=job.pk)
        assert call(held(job), job) is False
        assert (changed_columns(job, before), audit_rows()) == ({}, [])

    def test_reports_a_plan_only_if_someone_confirmed_a_number(self):
        assert new_plan_report(store_job(report={"confirmed": 9})) == {"to_do": 3}
        assert new_plan_report(store_job()) == {}


class TestGiveUp:
    def test_stops_jobs_that_have_waited_too_long(self, settings):
        settings.BULK_GUARD_HOURS = 5
        now = database_clock()
        waiting = {"state": "planned", "paused_for": "second_person", "lease_until": None}
        late = store_job(**waiting, paused_at=now - timedelta(hours=5, seconds=1), report={"to_do": 3})
        others = [
            store_job(**waiting, paused_at=now - timedelta(hours=4, minutes=59)),
            store_job(**waiting | {"paused_for": "confirmation"}, paused_at=now - timedelta(hours=6)),
            store_job(**waiting | {"state": "paused"}, paused_at=now - timedelta(hours=6)),
        ]
        before = list(Job.objects.filter(pk__in=[job.pk for job in others]).order_by("pk").values())
        give_up()
        error = "It was not approved within 5 hours."
        progress = job_progress(late.pk)
        job = progress.job
        assert (job.state, job.error, job.paused_for, job.paused_at) == ("stopped", error, "", None)
        assert dict(progress.outcomes) == {"skipped:in_job": 1, "skipped:stopped": 3}
        assert list(Job.objects.filter(pk__in=[job.pk for job in others]).order_by("pk").values()) == before
        states = {"before_state": "planned", "after_state": "stopping"}
        assert audit_rows() == [by_system("stop_job", job_id=late.pk, reason=error, **states)]
        give_up()
        assert len(audit_rows()) == 1


class TestLostPermission:
    def test_ends_a_job_with_its_open_messages_and_records_the_creator(self):
        ada = make_user("support")
        job = store_job("running", created_by="ada", creator_id=ada.pk, report={"to_do": 3})
        JobChunk.objects.filter(job_id=job.pk, chunk_no=0).update(moved={"message": 4})
        orphans = {"content": "orphan_requests", "planned": 5, "outcomes": {"done": 2}}
        JobChunk.objects.create(job_id=job.pk, chunk_no=7, **orphans)
        assert end_if_not_allowed(held(job), job) is True
        progress = job_progress(job.pk)
        error = "Its creator ada no longer has the permission messages_app.restart_message."
        assert (progress.job.state, progress.job.error, progress.job.lease_until) == ("failed", error, None)
        assert dict(progress.outcomes) == {"skipped:in_job": 1, "failed:right_lost": 3}
        assert progress.job.report == {
            "to_do": 3,
            "moved": {"message": 4},
            "orphans": {"orphan_requests": {"planned": 5, "done": 2, "failed:right_lost": 3}},
        }
        assert JobChunk.objects.filter(job_id=job.pk, committed_at=None).count() == 0
        assert audit_rows() == [
            by_system(
                "run_job",
                outcome="refused",
                job_id=job.pk,
                before_state="running",
                after_state="failed",
                reason=error,
                details={"maker": "ada"},
            )
        ]

    def test_of_an_overtaken_attempt_changes_nothing(self):
        ada = make_user("support")
        job = store_job("running", created_by="ada", creator_id=ada.pk, attempt=3)
        assert end_if_not_allowed(held(job), job) is True
        assert (Job.objects.get(pk=job.pk).state, audit_rows()) == ("running", [])

    def test_lets_others_continue(self):
        ada = make_user("operator")
        for creator in ({"created_by": "ada", "creator_id": ada.pk}, {"created_by": "command line (ana)"}):
            job = store_job("running", **creator)
            assert end_if_not_allowed(held(job), job) is False
            creator_rights.look_at(job)
            assert (Job.objects.get(pk=job.pk).state, audit_rows()) == ("running", [])

    def test_stops_a_job_that_is_running_at_another_worker(self):
        ada = make_user("support")
        job = store_job("running", created_by="ada", creator_id=ada.pk)
        creator_rights.look_at(job)
        after = Job.objects.get(pk=job.pk)
        error = "Its creator ada no longer has the permission messages_app.restart_message."
        assert (after.state, after.error, after.lease_until) == ("stopping", error, job.lease_until)
        states = {"before_state": "running", "after_state": "stopping"}
        assert audit_rows() == [by_system("stop_job", job_id=job.pk, reason=error, **states)]
