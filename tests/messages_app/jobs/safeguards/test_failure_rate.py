"""Running jobs that stop because too many of their messages failed again in the hub."""

import pytest

from messages_app.jobs.engine import runner
from messages_app.jobs.engine.watch import watch_jobs
from messages_app.jobs.models import Job
from messages_app.jobs.safeguards.failure_rate import Tried, count_recent
from messages_app.jobs.selectors import job_progress
from messages_app.messages.models import Message
from messages_app.shared.job_states import JobState
from tests.support.eventually import eventually
from tests.support.factories import make_message
from tests.support.jobs import done_by, hub_ends, make_failed, new_job, refusing_rows, run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]


class TestRecent:
    def test_counts_only_what_the_hub_has_retried(self):
        ids = make_failed(6)
        job = run("restart", {"state": "FAILED"}).job
        hub_ends("OK", ids[:1])
        hub_ends("FAILED", ids[1:2])
        hub_ends("PARTLY_FAILED", ids[2:4])
        hub_ends("PROCESSING", ids[4:5])

        assert count_recent(job) == Tried(tried=4, failed=3)

    def test_counts_messages_that_the_job_failed_to_change(self):
        ids = make_failed(4)
        with refusing_rows("message", "msg_id = %s", ids[:1]):
            job = run("restart", {"state": "FAILED"}).job

        assert count_recent(job) == Tried(tried=1, failed=1)

    def test_counts_of_a_cancel_only_what_failed_immediately(self):
        for _ in range(3):
            make_message(state="POSTPONED")
        job = run("cancel", {"state": "POSTPONED"}).job

        assert count_recent(job) == Tried(tried=3, failed=0)


class TestLookAt:
    @pytest.mark.slow
    def test_stops_a_running_job_over_its_limit(self, start_worker):
        make_failed(400)
        start_worker()
        job = new_job("restart", {"state": "FAILED"}, rate=30, stop_at_failure_rate=0.5)
        eventually(lambda: job_progress(job.pk).done >= 30, seconds=60)
        tried = done_by(job)
        hub_ends("FAILED", tried[:16])
        hub_ends("OK", tried[16:20])
        watch_jobs()

        eventually(lambda: Job.objects.filter(pk=job.pk, state=JobState.STOPPED).exists(), seconds=30)

        progress = job_progress(job.pk)
        assert progress.job.error == "16 of the last 20 messages failed, more than 50 %."
        assert progress.job.report["failure_rate"] == {"tried": 20, "failed": 16, "limit": 0.5}
        assert progress.planned == progress.done + progress.skipped == 400
        assert Message.objects.exclude(state="FAILED").count() == progress.done - 16

    @pytest.mark.slow
    def test_waits_for_twenty_and_leaves_a_job_within_its_limit(self):
        ids = make_failed(40)
        job = new_job("restart", {"state": "FAILED"}, stop_at_failure_rate=0.5)
        runner.run_job(job_id=job.pk)
        Job.objects.filter(pk=job.pk).update(state=JobState.RUNNING)

        hub_ends("FAILED", ids[:19])
        watch_jobs()
        assert Job.objects.get(pk=job.pk).state == JobState.RUNNING
        hub_ends("OK", ids[19:38])
        watch_jobs()
        assert Job.objects.get(pk=job.pk).state == JobState.RUNNING
        hub_ends("FAILED", ids[38:])
        watch_jobs()
        assert Job.objects.get(pk=job.pk).state == JobState.STOPPED
