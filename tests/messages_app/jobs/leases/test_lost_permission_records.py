"""Jobs whose creator has lost the permission, with their whole records; without Spark."""

import pytest

from messages_app.jobs.leases import end_if_not_allowed, stop_if_not_allowed
from messages_app.jobs.models import Job, JobChunk
from messages_app.jobs.selectors import job_progress
from tests.messages_app.jobs.stored_jobs import NO_RESTART, held_lease, make_planned
from tests.support.audit_entries import audit_rows, by_system
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db(transaction=True)


class TestLostPermission:
    def test_ends_a_job_with_its_open_messages_and_records_the_creator(self):
        ada = make_user("support")
        job = make_planned("running", created_by="ada", creator_id=ada.pk, report={"to_do": 3})
        JobChunk.objects.filter(job_id=job.pk, chunk_no=0).update(moved={"message": 4})
        orphans = {"content": "orphan_requests", "planned": 5, "outcomes": {"done": 2}}
        JobChunk.objects.create(job_id=job.pk, chunk_no=7, **orphans)
        assert end_if_not_allowed(held_lease(job), job) is True
        progress = job_progress(job.pk)
        ended = progress.job
        assert (ended.state, ended.error, ended.lease_until) == ("failed", NO_RESTART, None)
        assert dict(progress.outcomes) == {"skipped:in_job": 1, "failed:right_lost": 3}
        assert ended.report == {
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
                reason=NO_RESTART,
                details={"maker": "ada"},
            )
        ]

    def test_of_an_overtaken_attempt_changes_nothing(self):
        ada = make_user("support")
        job = make_planned("running", created_by="ada", creator_id=ada.pk, attempt=3)
        assert end_if_not_allowed(held_lease(job), job) is True
        assert (Job.objects.get(pk=job.pk).state, audit_rows()) == ("running", [])

    def test_lets_others_continue(self):
        ada = make_user("operator")
        for creator in ({"created_by": "ada", "creator_id": ada.pk}, {"created_by": "command line (ana)"}):
            job = make_planned("running", **creator)
            assert end_if_not_allowed(held_lease(job), job) is False
            stop_if_not_allowed(job)
            assert (Job.objects.get(pk=job.pk).state, audit_rows()) == ("running", [])

    def test_stops_a_job_that_is_running_at_another_worker(self):
        ada = make_user("support")
        job = make_planned("running", created_by="ada", creator_id=ada.pk)
        stop_if_not_allowed(job)
        after = Job.objects.get(pk=job.pk)
        assert (after.state, after.error, after.lease_until) == ("stopping", NO_RESTART, job.lease_until)
        states = {"before_state": "running", "after_state": "stopping"}
        assert audit_rows() == [by_system("stop_job", job_id=job.pk, reason=NO_RESTART, **states)]
