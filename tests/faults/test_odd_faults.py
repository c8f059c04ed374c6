"""Faults other than killed processes: lost tasks and answers, drift, locks, concurrent jobs; and none."""

import os
import subprocess
import sys

import psycopg
import pytest
from django.db import OperationalError, connection
from kombu import Connection

from hubconsole.celery import app
from messages_app.jobs.connections import database_dsn
from messages_app.jobs.errors import AlreadyRunning
from messages_app.jobs.leases import RUN_JOB, enqueue_job
from messages_app.jobs.models import Job, LedgerRow
from messages_app.messages.models import ArchiveMessage
from messages_app.shared.job_states import JobState
from spark_tasks.failpoints import VARIABLE, Order, Step
from tests.faults.rig import Rig
from tests.faults.work import MESSAGES, OF_A_FILE, WORKS, make_rows, new_job
from tests.support.eventually import eventually
from tests.support.threads import in_threads
from tests.support.workers import database_of_tests

pytestmark = pytest.mark.slow

ANSWER_LOST_AT = (Step.PART_WRITTEN, Step.SLICE_BOOKED)


class TestNoFault:
    def test_reaches_every_step(self, rig: Rig, watched):
        make_rows(WORKS["archive"])
        watch = watched()

        rig.until_ended(new_job(WORKS["archive"]))

        rig.until(lambda: rig.failpoints.came_to(Step.ENDED))
        watch.check()
        # By its maker, and by the ones who write files.
        assert {step for step in Step if not rig.failpoints.came_to(step)} == {Step.ACCEPTED, *OF_A_FILE}


class TestNotification:
    def test_is_not_needed_by_a_job_whose_web_process_died_before_notifying(self, rig: Rig, watched):
        make_rows(WORKS["archive"])
        watch = watched()
        rig.failpoints.order(Step.ACCEPTED, Order.KILL)

        maker = subprocess.run(
            [sys.executable, "manage.py", "archive"],
            env=os.environ | database_of_tests() | {VARIABLE: str(rig.failpoints.folder)},
            check=False,
        )

        assert maker.returncode == -9
        assert rig.until_ended(Job.objects.get()).state == JobState.DONE
        watch.check()

    def test_may_be_notified_repeatedly(self, rig: Rig, watched):
        make_rows(WORKS["restart"])
        watch = watched()
        job = new_job(WORKS["restart"])
        for _ in range(20):
            enqueue_job(job.pk)

        ended = rig.until_ended(job)

        rig.until_idle()
        watch.check()
        assert (ended.state, ended.attempt) == (JobState.DONE, 1)

    def test_sends_missing_jobs_and_unknown_tasks(self, rig: Rig):
        with Connection(app.conf.broker_url) as broker:
            producer = broker.Producer()
            for body, kind in (
                (b"no json", "application/json"),
                (b"\x80\x04N.", "application/x-python-serialize"),
            ):
                producer.publish(
                    body,
                    routing_key="spark",
                    content_type=kind,
                    content_encoding="binary",
                    headers={"task": RUN_JOB},
                )
        enqueue_job(2**62)
        make_rows(WORKS["cancel"], messages=3)

        assert rig.until_ended(new_job(WORKS["cancel"])).state == JobState.DONE


class TestNewSparkServer:
    def test_serves_workers_that_used_the_previous_one(self, rig: Rig):
        make_rows(WORKS["archive"], messages=30)
        for _ in range(3):
            job = rig.until_ended(new_job(WORKS["archive"]))
            assert (job.state, job.attempt) == (JobState.DONE, 1)
            rig.kill_spark()
            rig.until_whole()


class TestLostAnswer:
    @pytest.mark.parametrize(
        ("name", "step"),
        [(name, step) for name, work in WORKS.items() for step in ANSWER_LOST_AT if step in work.steps],
    )
    def test_of_a_commit_changes_nothing(self, rig: Rig, watched, name: str, step: Step):
        make_rows(WORKS[name])
        watch = watched()
        rig.failpoints.order(step, Order.WAIT)
        job = new_job(WORKS[name])
        rig.until_at(step)

        rig.proxy.lose_commits(1)
        lost_before = rig.proxy.lost
        rig.failpoints.let_go(step)

        ended = rig.until_ended(job)
        assert rig.proxy.lost == lost_before + 1
        assert (ended.state, ended.attempt) == (JobState.DONE, 1)
        watch.check()


class TestDrift:
    def test_ends_the_job_before_another_row_is_moved_without_the_new_column(self, rig: Rig, watched):
        make_rows(WORKS["archive"])
        watch = watched()
        rig.failpoints.order(Step.SLICE_BEGUN, Order.WAIT)
        job = new_job(WORKS["archive"])
        rig.until_at(Step.SLICE_BEGUN)
        rig.until(lambda: not others_move())
        moved = ArchiveMessage.objects.count()
        alter("ALTER TABLE message ADD COLUMN tenant text DEFAULT 'north'")
        try:
            rig.failpoints.let_go(Step.SLICE_BEGUN)
            ended = rig.until_ended(job)
        finally:
            rig.until_quiet()
            watch.end()
            alter("ALTER TABLE message DROP COLUMN tenant")

        assert ended.state == JobState.FAILED
        assert "tenant" in ended.error
        assert ArchiveMessage.objects.count() == moved
        watch.check()


class TestLock:
    @pytest.mark.parametrize("name", ["archive", "restart"])
    def test_of_the_hub_leaves_the_row_to_it_and_reports_it(self, rig: Rig, watched, name: str):
        make_rows(WORKS[name])
        watch = watched()
        with psycopg.connect(database_dsn()) as hub:
            held = hub.execute(
                "SELECT msg_id FROM message WHERE source_system = 'CRM' AND correlation_id LIKE 'bulk-%7'"
                " ORDER BY msg_id LIMIT 3 FOR UPDATE"
            ).fetchall()
            job = new_job(WORKS[name])
            ended = rig.until_ended(job)

        ledger = LedgerRow.objects.filter(job_id=job.pk, msg_id__in=[row[0] for row in held])
        assert ended.state == JobState.DONE
        assert set(ledger.values_list("outcome", flat=True)) == {"skipped:locked"}
        # The hub at work may have had failures of its own before the set was frozen.
        assert LedgerRow.objects.filter(job_id=job.pk).count() >= MESSAGES
        watch.check()


class TestTwoAtOnce:
    def test_refuses_all_except_one(self, rig: Rig, watched):
        make_rows(WORKS["archive"], messages=300)
        watch = watched()

        made = in_threads(*[lambda: new_job(WORKS["archive"])] * 4)

        jobs = [one for one in made if isinstance(one, Job)]
        assert len(jobs) == 1
        assert sum(isinstance(one, AlreadyRunning) for one in made) == 3
        assert rig.until_ended(jobs[0]).state == JobState.DONE
        watch.check()

    def test_share_no_message(self, rig: Rig, watched):
        make_rows(WORKS["restart"])
        watch = watched()

        jobs = in_threads(*[lambda: new_job(WORKS["restart"])] * 2)

        for job in jobs:
            assert rig.until_ended(job).state == JobState.DONE
        watch.check()
        outcomes = LedgerRow.objects.filter(outcome="done").values_list("msg_id", flat=True)
        assert len(outcomes) == len(set(outcomes))


def alter(statement: str) -> None:
    """Change a table once no one reads it; a change that waits must not hold the hub up for long."""

    def is_done() -> bool:
        with connection.cursor() as cursor:
            try:
                cursor.execute(f"BEGIN; SET LOCAL lock_timeout = '200ms'; {statement}; COMMIT")
            except OperationalError:
                cursor.execute("ROLLBACK")
                return False
        return True

    eventually(is_done)


def others_move() -> bool:
    """Return whether an executor is in the middle of a chunk."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_stat_activity"
            " WHERE application_name = 'hubconsole-executor' AND backend_xid IS NOT NULL)"
        )
        return cursor.fetchone()[0]
