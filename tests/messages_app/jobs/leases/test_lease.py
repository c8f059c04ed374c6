"""The worker that has a job, and the times without one."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models.functions import Now

from messages_app.jobs.connections import database_dsn
from messages_app.jobs.leases import Lease, claim_job, move_job, pause_job, release_job, renewed_lease
from messages_app.jobs.models import Job
from messages_app.shared.job_states import JobState, PauseReason
from spark_tasks.chunks import hold_fence
from spark_tasks.contract import JobKey
from tests.spark_tasks.moves.scenes import executor, is_waiting
from tests.support.eventually import eventually

pytestmark = pytest.mark.django_db(transaction=True)


def claimed() -> tuple[Job, Lease]:
    job = Job.objects.create(kind="restart", reason="test", state="running")
    return job, claim_job(job.pk)


def lease_times(job: Job) -> tuple:
    return Job.objects.values_list("heartbeat_at", "lease_until").get(pk=job.pk)


def beating_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if "_beat" in thread.name]


class TestClaim:
    def test_waits_for_a_chunk_of_the_old_attempt_that_is_being_committed(self):
        job, lease = claimed()
        release_job(lease, error="")
        key = JobKey(dsn=database_dsn(), job_id=job.pk, attempt=lease.attempt, rivals=())
        sessions: list[int] = []

        def take_over() -> Lease | None:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_backend_pid()")
                sessions.append(cursor.fetchone()[0])
            try:
                return claim_job(job.pk)
            finally:
                connection.close()

        with ThreadPoolExecutor(1) as pool:
            with executor() as chunk, chunk.transaction():
                hold_fence(chunk, key, state=JobState.RUNNING)
                later = pool.submit(take_over)
                assert eventually(lambda: sessions and is_waiting(sessions[0]))
                assert not later.done()
            assert later.result().attempt == lease.attempt + 1


class TestHeartbeat:
    def test_keeps_a_job_that_is_paused_while_its_last_chunks_end(self, settings):
        settings.JOB_HEARTBEAT_SECONDS = 0.05
        job, lease = claimed()
        with renewed_lease(lease):
            Job.objects.filter(pk=job.pk).update(state="paused", heartbeat_at=None)

            assert eventually(lambda: Job.objects.get(pk=job.pk).heartbeat_at)

    def test_never_reverts_a_job_that_was_given_back(self, settings):
        settings.JOB_HEARTBEAT_SECONDS = 0.01
        for _ in range(20):
            job, lease = claimed()
            with renewed_lease(lease):
                eventually(lambda job=job: Job.objects.get(pk=job.pk).heartbeat_at)
                release_job(lease, error="")

            assert claim_job(job.pk) is not None

    def test_ends_without_renewing_the_lease_of_the_attempt_that_took_over(self, settings):
        settings.JOB_HEARTBEAT_SECONDS = 0.05
        job, overtaken = claimed()
        Job.objects.filter(pk=job.pk).update(lease_until=Now() - timedelta(seconds=1))
        current = claim_job(job.pk)
        assert current.attempt == overtaken.attempt + 1
        before = lease_times(job)

        with renewed_lease(overtaken):
            assert eventually(lambda: not beating_threads())

        assert lease_times(job) == before


class TestRelease:
    def test_gives_back_only_a_held_lease_and_keeps_messages(self):
        job, lease = claimed()
        pause_job(lease, paused_for=PauseReason.DISK_FULL, from_states=[JobState.RUNNING], error="full")

        assert release_job(lease, error="") is None
        assert Job.objects.get(pk=job.pk).error == "full"


class TestRest:
    def test_pauses_a_job_and_gives_back_its_lease(self):
        job, lease = claimed()

        assert pause_job(
            lease, paused_for=PauseReason.CANARY, from_states=[JobState.RUNNING], report={"a": 1}
        )

        job.refresh_from_db()
        assert (job.state, job.paused_for, job.lease_until) == (JobState.PAUSED, PauseReason.CANARY, None)
        assert (job.finished_at, job.report) == (None, {"a": 1})

    def test_changes_nothing_once_another_attempt_has_the_job(self):
        job, lease = claimed()
        release_job(lease, error="")
        claim_job(job.pk)

        assert not pause_job(lease, paused_for=PauseReason.CANARY, from_states=[JobState.RUNNING])
        assert not move_job(lease, JobState.DONE, from_states=[JobState.RUNNING], at_rest=True)
        assert Job.objects.get(pk=job.pk).state == JobState.RUNNING
