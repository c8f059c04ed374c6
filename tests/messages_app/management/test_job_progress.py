import io
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.db import connection

from messages_app.core.clock import database_clock
from messages_app.jobs.models import Job
from messages_app.management.job_progress import watch_job
from tests.support.eventually import eventually

pytestmark = pytest.mark.django_db(transaction=True)

OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


@contextmanager
def watching(job: Job):
    """Watch the job in a thread. Yield the output so far, and the future result."""
    stream = io.StringIO()

    def run() -> object:
        try:
            return watch_job(job.pk, stream=stream)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        yield stream, pool.submit(run)
        # so that the thread ends even if the test has failed
        Job.objects.filter(pk=job.pk).update(state="stopped")


def end(job: Job, state: str, watched: Future) -> str:
    Job.objects.filter(pk=job.pk).update(state=state)
    return watched.result(timeout=30).job.state


class TestWatch:
    @pytest.mark.parametrize(
        ("paused_for", "said"),
        [("operator", "Paused by an operator"), ("canary", "test batch"), ("disk_full", "space")],
    )
    def test_shows_what_a_paused_job_waits_for_and_continues_waiting(self, paused_for, said):
        job = Job.objects.create(kind="restart", state="paused", paused_for=paused_for, attempt=1, reason="r")
        with watching(job) as (stream, watched):
            eventually(lambda: f"Job {job.pk} is paused." in stream.getvalue())
            assert said in stream.getvalue()
            assert end(job, "done", watched) == "done"
            assert stream.getvalue().count("is paused") == 1

    def test_shows_the_fault_that_a_job_waits_for(self):
        job = Job.objects.create(
            kind="export",
            state="paused",
            paused_for="storage_away",
            error="The bucket of s3://hub does not exist. The job continues automatically.",
            attempt=1,
            reason="r",
        )
        with watching(job) as (stream, watched):
            eventually(lambda: f"Job {job.pk} is paused." in stream.getvalue())
            assert stream.getvalue() == (
                f"Job {job.pk} is paused. The storage of exports cannot be used at the moment."
                " The bucket of s3://hub does not exist. The job continues automatically.\n"
            )
            end(job, "done", watched)

    @pytest.mark.parametrize("state", ["stopped", "failed"])
    def test_fails_with_a_job_that_failed(self, state):
        job = Job.objects.create(kind="restart", state="stopping", attempt=1, reason="r")
        with watching(job) as (stream, watched):
            eventually(lambda: "is stopping." in stream.getvalue())
            assert end(job, state, watched) == state

    def test_ends_with_a_completed_dry_run(self):
        job = Job.objects.create(kind="restart", state="planned", dry_run=True, reason="r")
        assert watch_job(job.pk, stream=io.StringIO()).job.state == "planned"

    def test_survives_a_restart_of_the_database(self):
        job = Job.objects.create(kind="restart", state="paused", paused_for="operator", attempt=1, reason="r")
        with watching(job) as (stream, watched):
            eventually(lambda: "is paused." in stream.getvalue())
            with connection.cursor() as cursor:
                cursor.execute(OTHERS)
            eventually(lambda: "The database does not answer. Still waiting." in stream.getvalue())
            assert end(job, "done", watched) == "done"

    def test_shows_the_step_of_a_plan_and_its_duration(self):
        clock = database_clock()
        job = Job.objects.create(kind="restart", attempt=1, reason="r", step="starting_spark")
        times = {"created_at": clock - timedelta(seconds=30), "lease_until": clock + timedelta(minutes=5)}
        Job.objects.filter(pk=job.pk).update(**times)
        with watching(job) as (stream, watched):
            eventually(lambda: "Waiting for Spark" in stream.getvalue())
            assert f"Job {job.pk} is planning, 3" in stream.getvalue()
            Job.objects.filter(pk=job.pk).update(step="")
            eventually(lambda: "Selecting messages." in stream.getvalue())
            assert end(job, "done", watched) == "done"
            assert stream.getvalue().count("Waiting for Spark") == 1
