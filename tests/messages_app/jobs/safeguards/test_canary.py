"""Jobs that process their first messages, wait, and continue or stop depending on the results of the hub."""

import datetime as dt

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.jobs.engine import watch
from messages_app.jobs.engine.watch import watch_jobs
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import JobProgress, job_progress
from messages_app.jobs.services.control import resume_job, stop_job
from messages_app.messages.models import Message
from messages_app.shared.job_states import FINAL_STATES, JobState, PauseReason
from tests.support.eventually import eventually
from tests.support.factories import make_message
from tests.support.jobs import WHY, done_by, hub_ends, make_failed, new_job, refusing_rows, run, work
from tests.support.workers import kill

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]


def rest_for_canary(count: int = 6, **options: object) -> tuple[Job, list[int]]:
    """
    Run a restart until it waits for its first three messages. Return the job and the ids of all messages.
    """
    make_failed(count)
    job = run("restart", {"state": "FAILED"}, canary=3, **options).job
    assert (job.state, job.paused_for) == (JobState.PAUSED, PauseReason.CANARY)
    return job, done_by(job)


def look(job: Job) -> Job:
    watch_jobs()
    return Job.objects.get(pk=job.pk)


def figures(job: Job) -> tuple[int, ...]:
    canary = Job.objects.get(pk=job.pk).report["canary"]
    return tuple(canary[name] for name in ("size", "ok", "failed", "open", "other"))


class TestCanary:
    def test_pauses_after_its_first_messages_and_holds_no_worker(self):
        job, done = rest_for_canary()

        assert len(done) == 3
        assert job.lease_until is None
        assert figures(job) == (3, 0, 0, 3, 0)
        assert Message.objects.filter(state="FAILED").count() == 3

    def test_waits_while_one_of_them_is_not_final(self):
        job, done = rest_for_canary()
        hub_ends("OK", done[:2])
        hub_ends("POSTPONED", done[2:])

        assert look(job).state == JobState.PAUSED
        assert figures(job) == (3, 2, 0, 1, 0)

    def test_continues_once_they_are_ok(self):
        job, done = rest_for_canary()
        hub_ends("OK", done)

        assert look(job).state == JobState.QUEUED
        progress = work(job)

        assert (progress.job.state, progress.done) == (JobState.DONE, 6)
        assert progress.job.report["canary"]["decided_at"]
        assert figures(job) == (3, 3, 0, 0, 0)
        assert AuditEntry.objects.filter(job_id=job.pk, action="resume_job", actor="system").exists()

    def test_stops_if_one_fails_and_reports_how_many(self):
        job, done = rest_for_canary()
        hub_ends("OK", done[:1])
        hub_ends("FAILED", done[1:])

        job = look(job)

        assert (job.state, job.error) == (JobState.STOPPED, "2 of 3 messages of the test batch failed.")
        assert job.report["canary"]["decided_at"]
        progress = job_progress(job.pk)
        assert dict(progress.outcomes) == {"done": 3, "skipped:stopped": 3}
        assert Message.objects.filter(state="FAILED").count() == 5

    def test_continues_with_as_many_failures_as_it_allows(self):
        job, done = rest_for_canary(stop_at_failure_rate=0.4)
        hub_ends("FAILED", done[:1])
        hub_ends("OK", done[1:])

        assert look(job).state == JobState.QUEUED

    def test_waits_for_an_operator_past_its_time_and_then_continues(self):
        job, done = rest_for_canary()
        Job.objects.filter(pk=job.pk).update(paused_at=dt.datetime(2000, 1, 1, tzinfo=dt.UTC))

        assert look(job).paused_for == PauseReason.CANARY_UNDECIDED
        hub_ends("OK", done)
        assert look(job).state == JobState.PAUSED
        assert figures(job) == (3, 3, 0, 0, 0)
        resume_job(job_id=job.pk, **WHY)

        progress = work(job)
        assert (progress.job.state, progress.done) == (JobState.DONE, 6)

    def test_stops_past_its_time_when_too_many_have_failed_by_then(self):
        job, done = rest_for_canary()
        hub_ends("FAILED", done[:1])
        Job.objects.filter(pk=job.pk).update(paused_at=dt.datetime(2000, 1, 1, tzinfo=dt.UTC))

        assert look(job).state == JobState.STOPPED

    def test_continues_without_the_result_if_an_operator_resumes_it(self):
        job, _ = rest_for_canary()
        resume_job(job_id=job.pk, **WHY)

        progress = work(job)

        assert (progress.job.state, progress.done) == (JobState.DONE, 6)
        assert figures(job) == (3, 0, 0, 3, 0)

    def test_is_stopped_by_an_operator_without_spark(self):
        job, _ = rest_for_canary()
        stop_job(job_id=job.pk, **WHY)

        assert look(job).state == JobState.STOPPED
        assert dict(job_progress(job.pk).outcomes) == {"done": 3, "skipped:stopped": 3}

    def test_counts_immediate_failures_and_ignores_skipped_messages(self):
        ids = make_failed(3)
        for _ in range(2):
            make_message(state="OK")
        with refusing_rows("message", "msg_id = %s", ids[:1]):
            job = run("restart", {"state": "FAILED,OK"}, canary=2, stop_at_failure_rate=0.6).job

        assert figures(job) == (2, 0, 1, 1, 0)

    def test_does_not_wait_if_it_includes_all_messages(self):
        make_failed(2)

        assert run("restart", {"state": "FAILED"}, canary=3).job.state == JobState.DONE

    def test_continues_automatically_in_a_cancel_because_it_is_final_immediately(self):
        for _ in range(4):
            make_message(state="POSTPONED")

        job = run("cancel", {"state": "POSTPONED"}, canary=3).job

        assert (job.state, figures(job)) == (JobState.QUEUED, (3, 3, 0, 0, 0))
        assert work(job).done == 4

    @pytest.mark.slow
    def test_changes_only_its_first_messages_if_its_worker_is_killed(self, start_worker):
        make_failed(40)
        worker = start_worker()
        job = new_job("restart", {"state": "FAILED"}, canary=20, rate=8)
        eventually(lambda: job_progress(job.pk).done, seconds=120)
        kill(worker)
        start_worker()

        eventually(lambda: sweep_until_paused(job), seconds=60)

        assert job_progress(job.pk).done == 20
        hub_ends("OK", done_by(job))
        watch_jobs()
        eventually(lambda: ended(job), seconds=60)
        assert job_progress(job.pk).done == 40


def sweep_until_paused(job: Job) -> bool:
    watch.sweep_jobs()
    return Job.objects.filter(pk=job.pk, state=JobState.PAUSED).exists()


def ended(job: Job) -> JobProgress | None:
    return job_progress(job.pk) if Job.objects.filter(pk=job.pk, state__in=FINAL_STATES).exists() else None
