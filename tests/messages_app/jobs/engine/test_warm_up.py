"""The preparation of Spark before a worker's first job, seen from Spark's processes."""

import pytest
from django.db import connection

from hubconsole.celery import app
from hubconsole.checks import servers as checks
from messages_app.jobs.engine import warm_up
from messages_app.jobs.engine.warmth import Warmth, current_warmth, set_warmth
from messages_app.jobs.models import Job, JobChunk
from messages_app.messages.models import ArchiveMessage, Message
from messages_app.shared.job_states import FINAL_STATES, JobState
from spark_tasks.session import end_sessions, spark_session
from tests.spark_tasks.actions.archives import message
from tests.support.children import living_children
from tests.support.eventually import eventually
from tests.support.jobs import make_failed, new_job, run

pytestmark = pytest.mark.django_db(transaction=True)


def python_workers(servers) -> set[int]:
    """Return the Python processes of Spark: its own, and the ones forked from them."""
    return {child.pid for child in living_children(servers.pid("spark")) if "python" in child.name()}


def is_warm() -> bool:
    found = app.control.broadcast("spark_warmth", reply=True, timeout=1.0, limit=1) or []
    return any(answer == "warm" for each in found for answer in each.values())


def step_of_a_job() -> str:
    """Return the reason for the delay of a job that runs in this process."""
    make_failed(1)
    return Job.objects.get(pk=run("restart", {"state": "FAILED"}).job.pk).step


def end_of(job: Job) -> Job:
    eventually(lambda: Job.objects.filter(pk=job.pk, state__in=FINAL_STATES).exists(), 60)
    return Job.objects.get(pk=job.pk)


class TestWorker:
    @pytest.mark.slow
    def test_reports_that_it_is_warming_up_and_has_started_everything_before_its_first_job(
        self, servers, spark_remote, start_worker
    ):
        assert checks.check_spark() is None
        start_worker(jobs_at_once=2, HUBCONSOLE_SPARK_WARM_UP="on")
        note = "Spark is warming up; until then jobs start more slowly"
        eventually(lambda: checks.check_spark() == note, 60)
        eventually(is_warm, 120, every=0.2)
        assert checks.check_spark() is None
        started = python_workers(servers)
        jobs = []
        for _ in range(3):
            make_failed(3)
            jobs.append(end_of(new_job("restart", {"state": "FAILED"})))
        message("OK", parent_msg_id=message("OK").pk)
        for kind in ("archive", "restore"):
            jobs.append(end_of(new_job(kind, {"state": "OK"})))

        assert {job.state for job in jobs} == {JobState.DONE}
        assert {job.step for job in jobs} == {""}
        assert Message.objects.filter(state="PARTLY_FAILED").count() == 9
        assert started
        assert python_workers(servers) <= started


class TestKeepWarm:
    @pytest.fixture(autouse=True)
    def _of_no_session(self, spark_remote):
        end_sessions()
        set_warmth(Warmth.STARTING)
        yield
        set_warmth(Warmth.NONE)

    @pytest.mark.slow
    def test_warms_each_new_session_once_and_leaves_no_trace(self, spark_remote):
        final, failed = message("OK"), make_failed(1)
        assert [warm_up.keep_warm(), warm_up.keep_warm()] == [True, False]
        assert current_warmth() is Warmth.WARM
        end_sessions()
        assert [warm_up.keep_warm(), warm_up.keep_warm()] == [True, False]
        assert set(Message.objects.values_list("msg_id", "state")) == {
            (final.pk, "OK"),
            (failed[0], "FAILED"),
        }
        assert not Job.objects.exists()
        assert not JobChunk.objects.exists()
        assert not ArchiveMessage.objects.exists()
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM audit_entry")
            assert cursor.fetchone()[0] == 0

    @pytest.mark.slow
    def test_lets_a_job_show_why_it_waits_until_it_is_warm(self, spark_remote):
        assert step_of_a_job() == "warming_up"
        warm_up.keep_warm()
        assert step_of_a_job() == ""
        end_sessions()
        assert step_of_a_job() == "warming_up"

    def test_keeps_a_session_while_the_database_is_unavailable(self, spark_remote, settings):
        with spark_session(spark_remote) as spark:
            before = spark.session_id
        settings.SPARK_DATABASE = connection.settings_dict | {"NAME": "nowhere"}
        assert [warm_up.keep_warm() for _ in range(3)] == [False] * 3
        assert current_warmth() is Warmth.WARMING
        with spark_session(spark_remote) as spark:
            assert spark.session_id == before
