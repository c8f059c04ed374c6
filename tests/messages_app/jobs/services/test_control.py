"""Pausing, resuming and stopping jobs while workers come, go and die."""

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.jobs.engine import watch
from messages_app.jobs.engine.watch import watch_jobs
from messages_app.jobs.errors import JobConflict
from messages_app.jobs.leases import claim_job, release_job
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import job_progress
from messages_app.jobs.services.control import change_rate, pause_job, resume_job, stop_job
from messages_app.messages.models import Message
from messages_app.shared.job_states import FINAL_STATES, JobState, PauseReason
from tests.support.eventually import eventually
from tests.support.jobs import WHY, make_failed, new_job, plan_only, work
from tests.support.workers import kill


def job_in(state: str, **columns: object) -> Job:
    return Job.objects.create(kind="restart", reason="test", state=state, **columns)


@pytest.mark.django_db
class TestPauseJob:
    def test_shows_since_when_and_for_whom(self):
        job = pause_job(job_id=job_in("running").pk, **WHY)

        assert (job.state, job.paused_for) == (JobState.PAUSED, PauseReason.OPERATOR)
        assert job.paused_at is not None
        assert AuditEntry.objects.get(job_id=job.pk).action == "pause_job"

    @pytest.mark.parametrize("state", [*sorted(FINAL_STATES), "planning", "stopping"])
    def test_refuses_a_job_that_is_not_running(self, state):
        with pytest.raises(JobConflict):
            pause_job(job_id=job_in(state).pk, **WHY)


@pytest.mark.django_db
class TestResumeJob:
    @pytest.mark.parametrize("reason", PauseReason)
    def test_queues_a_job_whatever_it_waits_for(self, reason):
        paused = job_in("paused", paused_for=reason, chunk_count=1, attempt=4, error="full")

        job = resume_job(job_id=paused.pk, **WHY)

        assert (job.state, job.paused_for, job.paused_at, job.error) == (JobState.QUEUED, "", None, "")
        assert job.resumed_attempt == 4

    def test_plans_a_job_that_was_never_planned(self):
        assert resume_job(job_id=job_in("paused").pk, **WHY).state == JobState.PLANNING

    def test_decides_a_waiting_test_batch_and_leaves_a_decided_one(self):
        canary = {"size": 3, "decided_at": None}
        job = job_in("paused", chunk_count=1, paused_for="canary", report={"canary": canary, "moved": {}})
        found = resume_job(job_id=job.pk, **WHY).report["canary"]

        assert found["size"] == 3
        Job.objects.filter(pk=job.pk).update(state="paused")
        assert resume_job(job_id=job.pk, **WHY).report["canary"] == found

    @pytest.mark.parametrize("state", [*sorted(FINAL_STATES), "running", "stopping"])
    def test_refuses_a_job_that_is_not_paused(self, state):
        with pytest.raises(JobConflict):
            resume_job(job_id=job_in(state).pk, **WHY)


@pytest.mark.django_db
class TestStopJob:
    def test_lets_the_watcher_end_a_job_without_a_worker(self):
        job = stop_job(job_id=job_in("paused", attempt=2, error="full").pk, **WHY)
        assert (job.state, job.error) == (JobState.STOPPING, "")

        watch_jobs()

        job.refresh_from_db()
        assert (job.state, job.error) == (JobState.STOPPED, "")

    def test_leaves_it_to_the_worker_that_has_the_job(self):
        job = job_in("running")
        held = claim_job(job.pk)
        stop_job(job_id=job.pk, **WHY)

        watch_jobs()

        assert Job.objects.get(pk=job.pk).state == JobState.STOPPING
        release_job(held, error="")
        watch_jobs()
        assert Job.objects.get(pk=job.pk).state == JobState.STOPPED


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("spark_remote")
class TestSteering:
    def test_pauses_within_a_slice_holds_no_worker_and_continues(self, start_worker):
        make_failed(60)
        start_worker()
        job = new_job("restart", {"state": "FAILED"}, rate=8)
        eventually(lambda: job_progress(job.pk).done, seconds=120)
        pause_job(job_id=job.pk, **WHY)
        eventually(lambda: Job.objects.get(pk=job.pk).lease_until is None)

        rested = job_progress(job.pk).done
        other = new_job("restart", {"msg_timestamp_from": "2000-01-01T00:00:00Z", "state": "CANCEL"})
        eventually(lambda: Job.objects.filter(pk=other.pk, state=JobState.DONE).exists(), seconds=60)
        assert job_progress(job.pk).done == rested < 60
        change_rate(job_id=job.pk, rate=None, **WHY)
        resume_job(job_id=job.pk, **WHY)

        eventually(lambda: Job.objects.filter(pk=job.pk, state=JobState.DONE).exists(), seconds=60)
        assert job_progress(job.pk).done == 60
        assert not Message.objects.filter(state="FAILED").exists()

    @pytest.mark.slow
    def test_keeps_no_other_job_waiting_for_one_with_a_low_rate(self, start_worker):
        make_failed(60)
        start_worker(jobs_at_once=2)
        slow = new_job("restart", {"state": "FAILED"}, rate=2)
        eventually(lambda: job_progress(slow.pk).done, seconds=120)

        other = new_job("archive", {"state": "OK", "correlation_id": "nobody"})
        eventually(lambda: Job.objects.filter(pk=other.pk, state=JobState.DONE).exists(), seconds=60)
        assert Job.objects.get(pk=slow.pk).state == JobState.RUNNING
        change_rate(job_id=slow.pk, rate=None, **WHY)

        eventually(lambda: Job.objects.filter(pk=slow.pk, state=JobState.DONE).exists(), seconds=60)
        assert job_progress(slow.pk).done == 60

    @pytest.mark.slow
    def test_resumes_a_job_whose_worker_died_while_it_was_paused(self, start_worker):
        make_failed(60)
        worker = start_worker()
        job = new_job("restart", {"state": "FAILED"}, rate=8)
        eventually(lambda: job_progress(job.pk).done, seconds=120)
        kill(worker)
        pause_job(job_id=job.pk, **WHY)
        change_rate(job_id=job.pk, rate=None, **WHY)
        resume_job(job_id=job.pk, **WHY)
        start_worker()

        def is_done() -> bool:
            watch.sweep_jobs()
            return Job.objects.filter(pk=job.pk, state=JobState.DONE).exists()

        eventually(is_done, seconds=60)
        assert job_progress(job.pk).done == 60

    def test_never_gives_up_on_a_job_that_was_paused_often(self, settings):
        settings.JOB_MAX_ATTEMPTS = 1
        make_failed(2)
        job = new_job("restart", {"state": "FAILED"})
        plan_only(job)
        for _ in range(3):
            release_job(claim_job(job.pk), error="")
            pause_job(job_id=job.pk, **WHY)
            resume_job(job_id=job.pk, **WHY)

        assert work(job).job.state == JobState.DONE
