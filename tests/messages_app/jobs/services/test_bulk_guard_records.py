"""Jobs that wait for a second person or a number: at each limit, with their whole records; without Spark."""

from datetime import timedelta

import pytest

from messages_app.core.clock import database_clock
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import job_progress
from messages_app.jobs.services.bulk_guard import (
    new_plan_report,
    rest_until_approved,
    rest_until_confirmed,
    stop_undecided_jobs,
)
from tests.messages_app.jobs.stored_jobs import held_lease, make_planned
from tests.support.audit_entries import audit_rows, by_system

pytestmark = pytest.mark.django_db(transaction=True)


def changed_columns(job: Job, before: dict[str, object]) -> dict[str, object]:
    row = Job.objects.values().get(pk=job.pk)
    return {name: value for name, value in row.items() if value != before[name]}


class TestRest:
    CASES = (
        (
            rest_until_approved,
            "second_person_from",
            (3, 2, 1),
            (4, None),
            "planned",
            "second_person",
            "ask_second_person",
        ),
        (
            rest_until_confirmed,
            "confirmed",
            (2, 1, 0),
            (3, 4, None),
            "paused",
            "confirmation",
            "ask_confirmation",
        ),
    )

    @pytest.mark.parametrize(("call", "name", "waits", "goes_on", "state", "reason", "action"), CASES)
    def test_is_needed_from_a_number_of_messages_on(self, call, name, waits, goes_on, state, reason, action):
        for number in (*waits, *goes_on):
            job = make_planned(report={"to_do": 9} if number is None else {"to_do": 9, name: number})
            before = Job.objects.values().get(pk=job.pk)
            assert call(held_lease(job), job) is (number in waits)
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
        job = make_planned(report={name: waits[0]})
        Job.objects.filter(pk=job.pk).update(**change)
        before = Job.objects.values().get(pk=job.pk)
        assert call(held_lease(job), job) is False
        assert (changed_columns(job, before), audit_rows()) == ({}, [])

    def test_reports_a_plan_only_if_someone_confirmed_a_number(self):
        assert new_plan_report(make_planned(report={"confirmed": 9})) == {"to_do": 3}
        assert new_plan_report(make_planned()) == {}


class TestStopUndecidedJobs:
    def test_stops_jobs_that_have_waited_too_long(self, settings):
        settings.BULK_GUARD_HOURS = 5
        now = database_clock()
        waiting = {"state": "planned", "paused_for": "second_person", "lease_until": None}
        late = make_planned(**waiting, paused_at=now - timedelta(hours=5, seconds=1), report={"to_do": 3})
        others = [
            make_planned(**waiting, paused_at=now - timedelta(hours=4, minutes=59)),
            make_planned(**waiting | {"paused_for": "confirmation"}, paused_at=now - timedelta(hours=6)),
            make_planned(**waiting | {"state": "paused"}, paused_at=now - timedelta(hours=6)),
        ]
        before = list(Job.objects.filter(pk__in=[job.pk for job in others]).order_by("pk").values())
        stop_undecided_jobs()
        error = "It was not approved within 5 hours."
        progress = job_progress(late.pk)
        job = progress.job
        assert (job.state, job.error, job.paused_for, job.paused_at) == ("stopped", error, "", None)
        assert dict(progress.outcomes) == {"skipped:in_job": 1, "skipped:stopped": 3}
        assert list(Job.objects.filter(pk__in=[job.pk for job in others]).order_by("pk").values()) == before
        states = {"before_state": "planned", "after_state": "stopping"}
        assert audit_rows() == [by_system("stop_job", job_id=late.pk, reason=error, **states)]
        stop_undecided_jobs()
        assert len(audit_rows()) == 1
