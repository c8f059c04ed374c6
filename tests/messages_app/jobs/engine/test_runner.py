"""Jobs that are killed, taken over, fenced, stopped or refused: the ledger and the oracle must hold."""

import datetime as dt

import psycopg
import pytest
from django.db import connection

from messages_app.jobs.archive_months.tables import this_month
from messages_app.jobs.connections import database_dsn
from messages_app.jobs.engine import runner, watch
from messages_app.jobs.leases import claim_job
from messages_app.jobs.models import Job, JobChunk, JobItem, LedgerRow
from messages_app.jobs.selectors import job_progress
from messages_app.jobs.services.control import stop_job
from messages_app.jobs.services.create import create_job
from messages_app.messages.models import ArchiveMessage, Message
from messages_app.shared.job_states import FINAL_STATES, JobState
from messages_app.shared.message_states import MessageState
from tests.support.eventually import eventually
from tests.support.jobs import ANA
from tests.support.oracle import Oracle, places
from tests.support.workers import kill, make_old_messages

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]


def create_archive_job() -> Job:
    return create_job(
        kind="archive", filter={}, options={}, dry_run=False, reason="test", actor=ANA, user=None
    )


def plan_only(job: Job) -> None:
    """Plan the chunks of a job without a worker, so that none is done."""
    lease = claim_job(job.pk)
    with runner.spark_session(runner.spark_address()) as spark:
        runner.plan_job(spark, lease, Job.objects.get(pk=job.pk))
    release_lease(job)


def release_lease(job: Job) -> None:
    """Let the lease expire, as if its holder had not renewed it."""
    Job.objects.filter(pk=job.pk).update(lease_until=dt.datetime(2000, 1, 1, tzinfo=dt.UTC))


def another_connection() -> psycopg.Connection:
    return psycopg.connect(database_dsn(), autocommit=True)


class TestRunJob:
    def test_loses_and_duplicates_nothing_when_its_worker_is_killed(self, start_worker):
        make_old_messages(12_000)
        oracle = Oracle()
        worker = start_worker()
        job = create_archive_job()
        eventually(lambda: job_progress(job.pk).done, seconds=120)

        kill(worker)
        assert Job.objects.get(pk=job.pk).state == JobState.RUNNING
        start_worker()
        eventually(lambda: sweep_until_ended(job), seconds=120)

        progress = job_progress(job.pk)
        assert oracle.verdict().is_clean
        assert (progress.job.state, progress.job.attempt) == (JobState.DONE, 2)
        assert (progress.planned, progress.done) == (12_000, 12_000)
        assert progress.moved == {"message": 12_000, "request": 12_000, "response": 12_000}

    def test_continues_with_the_chunks_that_are_left(self):
        make_old_messages(2_500)
        job = create_archive_job()
        plan_only(job)

        runner.run_job(job_id=job.pk)

        progress = job_progress(job.pk)
        assert progress.job.attempt == 2
        assert (progress.job.state, progress.done) == (JobState.DONE, 2_500)

    def test_changes_nothing_once_another_attempt_has_the_job(self):
        make_old_messages(100)
        job = create_archive_job()
        plan_only(job)
        sleeper = claim_job(job.pk)
        release_lease(job)
        claim_job(job.pk)

        with runner.spark_session(runner.spark_address()) as spark:
            runner.work_off(spark, sleeper, Job.objects.get(pk=job.pk))

        assert job_progress(job.pk).done == 0
        assert ArchiveMessage.objects.count() == 0

    def test_does_nothing_while_someone_works_on_the_job(self):
        job = create_archive_job()
        claim_job(job.pk)

        runner.run_job(job_id=job.pk)

        assert Job.objects.get(pk=job.pk).attempt == 1

    def test_leaves_a_message_that_was_restarted_after_the_plan(self):
        make_old_messages(3)
        job = create_archive_job()
        plan_only(job)
        restarted = Message.objects.order_by("msg_id").first()
        Message.objects.filter(pk=restarted.pk).update(state=MessageState.PARTLY_FAILED)
        oracle = Oracle()

        runner.run_job(job_id=job.pk)

        assert oracle.verdict().is_clean
        assert places("message")[0] == {restarted.pk}
        assert job_progress(job.pk).outcomes == [("done", 2), ("skipped:moved_on", 1)]

    def test_counts_a_message_that_the_hub_deleted_after_the_plan(self):
        make_old_messages(3)
        job = create_archive_job()
        plan_only(job)
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM response; DELETE FROM request;")
            cursor.execute("DELETE FROM message WHERE correlation_id = 'bulk-2'")

        runner.run_job(job_id=job.pk)

        assert job_progress(job.pk).outcomes == [("done", 2), ("skipped:vanished", 1)]

    def test_skips_a_row_that_the_hub_holds(self):
        make_old_messages(3)
        job = create_archive_job()
        plan_only(job)
        held = Message.objects.order_by("msg_id").first().pk
        with another_connection() as hub, hub.transaction():
            hub.execute("SELECT 1 FROM message WHERE msg_id = %s FOR UPDATE", (held,))

            runner.run_job(job_id=job.pk)

        assert job_progress(job.pk).outcomes == [("done", 2), ("skipped:locked", 1)]

    def test_lets_only_a_poison_row_fail(self):
        make_old_messages(3)
        poison = Message.objects.order_by("msg_id").first()
        ArchiveMessage.objects.create(
            **{field.attname: getattr(poison, field.attname) for field in Message._meta.concrete_fields}
        )
        job = create_archive_job()

        runner.run_job(job_id=job.pk)

        progress = job_progress(job.pk)
        assert progress.outcomes == [("done", 2), (f"failed:archive_message_{this_month():%Y_%m}_pkey", 1)]
        assert Message.objects.filter(pk=poison.pk).exists()

    def test_stops_before_the_first_move_when_columns_differ(self):
        make_old_messages(3)
        job = create_archive_job()
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE message ADD COLUMN tenant text")
        try:
            runner.run_job(job_id=job.pk)
        finally:
            with connection.cursor() as cursor:
                cursor.execute("ALTER TABLE message DROP COLUMN tenant")

        progress = job_progress(job.pk)
        assert progress.job.state == JobState.FAILED
        assert "tenant" in progress.job.error
        assert ArchiveMessage.objects.count() == 0

    def test_accounts_for_every_message_of_a_job_that_is_stopped(self):
        make_old_messages(2_500)
        job = create_archive_job()
        plan_only(job)
        stop_job(job_id=job.pk, actor=ANA, reason="enough")

        runner.run_job(job_id=job.pk)

        progress = job_progress(job.pk)
        assert progress.job.state == JobState.STOPPED
        assert (progress.planned, progress.done, progress.skipped) == (2_500, 0, 2_500)
        assert not LedgerRow.objects.filter(job_id=job.pk, outcome=None).exists()

    def test_gives_up_after_too_many_attempts_without_progress(self, settings):
        make_old_messages(3)
        job = create_archive_job()
        plan_only(job)
        Job.objects.filter(pk=job.pk).update(attempt=settings.JOB_MAX_ATTEMPTS)

        runner.run_job(job_id=job.pk)

        progress = job_progress(job.pk)
        assert progress.job.state == JobState.FAILED
        assert progress.outcomes == [("failed:not_reached", 3)]

    def test_plans_again_when_the_attempt_before_died_while_planning(self):
        make_old_messages(3)
        job = create_archive_job()
        JobChunk.objects.create(job_id=job.pk, chunk_no=0, content="messages", planned=7)
        JobItem.objects.create(job_id=job.pk, msg_id=1, chunk_no=0, root_msg_id=1, old_state="OK")

        runner.run_job(job_id=job.pk)

        progress = job_progress(job.pk)
        assert (progress.planned, progress.done) == (3, 3)


def sweep_until_ended(job: Job) -> bool:
    watch.sweep_jobs()
    return Job.objects.filter(pk=job.pk, state__in=FINAL_STATES).exists()
