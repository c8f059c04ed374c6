"""Archive jobs to Parquet files, from creation to ledger, on real Spark, checked by the oracle."""

import datetime as dt
from pathlib import Path

import psycopg
import pytest
from django.db import connection

from messages_app.jobs.connections import database_dsn
from messages_app.jobs.engine import watch
from messages_app.jobs.models import Job, LedgerRow
from messages_app.jobs.selectors import job_progress
from messages_app.messages.models import Message
from messages_app.messages.parquet_archive.models import ColdFile, ColdMessage, ColdPart
from messages_app.shared.job_states import FINAL_STATES, JobState
from tests.support import factories, jobs
from tests.support.cold import forever, make_orphans, old_message, to_parquet, with_traffic
from tests.support.eventually import eventually
from tests.support.oracle import Oracle, places
from tests.support.workers import kill, make_old_messages

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]


@pytest.fixture(autouse=True)
def folder(settings, tmp_path) -> Path:
    settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path / "archive")
    return tmp_path / "archive"


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def another_connection() -> psycopg.Connection:
    return psycopg.connect(database_dsn(), autocommit=True)


class TestArchiveToParquet:
    def test_writes_every_row_bit_for_bit_and_deletes_it(self, folder):
        ids = {with_traffic(old_message()).pk for _ in range(3)}
        forever(Message.objects.get(pk=min(ids)))
        make_orphans()
        young = factories.make_message(state="OK")
        oracle = Oracle()

        progress = to_parquet()

        assert str(oracle.verdict()) == ""
        assert progress.job.state == JobState.DONE, progress.job.error
        assert places("message") == ({young.pk}, set())
        assert set(ColdMessage.objects.values_list("pk", flat=True)) == ids
        assert progress.moved == {"message": 3, "external_call": 3, "request": 4, "response": 8, "funnel": 3}
        assert files_in(folder) == set(ColdFile.objects.values_list("path", flat=True))
        assert progress.job.report["parquet_bytes"] == sum(
            path.stat().st_size for path in folder.rglob("*.parquet")
        )

    def test_keeps_a_family_in_the_month_of_its_head(self):
        head = old_message(last_process_timestamp=dt.datetime(2026, 3, 31, 23, 59, tzinfo=dt.UTC))
        for day in (1, 30):
            old_message(
                parent_msg_id=head.pk, last_process_timestamp=dt.datetime(2026, 4, day, tzinfo=dt.UTC)
            )
        old_message(last_process_timestamp=dt.datetime(2026, 4, 1, tzinfo=dt.UTC))

        to_parquet()

        assert set(ColdPart.objects.values_list("month", "kept")) == {
            (dt.date(2026, 3, 1), 3),
            (dt.date(2026, 4, 1), 1),
        }
        assert any(
            path.startswith("message/month=2026-03/job-")
            for path in ColdFile.objects.values_list("path", flat=True)
        )

    def test_does_not_change_a_row_that_no_file_can_hold(self):
        fine, poison = old_message(), old_message()
        with connection.cursor() as cursor:
            cursor.execute("UPDATE message SET msg_timestamp = '20000-01-01' WHERE msg_id = %s", [poison.pk])
        oracle = Oracle()

        progress = to_parquet()

        assert str(oracle.verdict()) == ""
        assert progress.outcomes == [("done", 1), ("failed:CannotKeep", 1)]
        assert places("message")[0] == {poison.pk}
        assert ColdMessage.objects.get().pk == fine.pk

    def test_removes_leftovers_of_a_crashed_job_that_has_ended(self, folder):
        old_message()
        first = to_parquet().job
        leftover = (
            folder
            / "message"
            / "month=2026-01"
            / f"job-{first.pk}-{first.created_at:%Y%m%dT%H%M%S}-chunk-0-00.parquet"
        )
        foreign = folder / "message" / "month=2026-01" / f"job-{first.pk}-20200101T000000-chunk-0-00.parquet"
        for path in (leftover, leftover.with_suffix(".parquet.tmp"), foreign):
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(b"half")
        known = set(ColdFile.objects.values_list("path", flat=True))

        to_parquet()

        assert files_in(folder) == known | {str(foreign.relative_to(folder))}

    def test_fails_with_the_reason_if_nothing_can_be_written(self, settings):
        settings.HUBCONSOLE_ARCHIVE_URI = "/proc/archive"
        message = old_message()

        progress = to_parquet()

        assert progress.job.state == JobState.FAILED
        assert "/proc/archive" in progress.job.error
        assert Message.objects.filter(pk=message.pk).exists()

    @pytest.mark.slow
    def test_archives_an_additional_configured_table(self, settings):
        settings.ARCHIVED_TABLES = ["message", "message_note.note_id"]
        with connection.cursor() as cursor:
            cursor.execute(
                "CREATE TABLE message_note (note_id bigint PRIMARY KEY, msg_id bigint REFERENCES message,"
                " price numeric, tags text[]);"
                "CREATE TABLE archive_message_note (LIKE message_note)"
            )
        try:
            message = old_message()
            with connection.cursor() as cursor:
                cursor.execute("INSERT INTO message_note VALUES (7, %s, 1.500, '{a,\"b,c\"}')", [message.pk])
            progress = to_parquet()
            assert progress.moved == {"message": 1, "message_note": 1}
            jobs.run("restore", {"correlation_id": message.correlation_id})
            with connection.cursor() as cursor:
                cursor.execute("SELECT note_id, price::text, tags::text FROM message_note")
                assert cursor.fetchall() == [(7, "1.500", '{a,"b,c"}')]
        finally:
            with connection.cursor() as cursor:
                cursor.execute("DROP TABLE message_note, archive_message_note")

    def test_previews_the_space_that_it_would_free(self):
        for _ in range(3):
            with_traffic(old_message())
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE message, external_call, request, response, funnel")

        report = jobs.run("archive", {}, to="parquet", dry_run=True).job.report

        assert report["would_move"]["message"] == 3
        assert report["would_free_bytes"]["message"] > 0
        assert not ColdPart.objects.exists()

    def test_skips_a_family_with_a_row_locked_by_the_hub(self):
        held, free = old_message(), old_message()
        child = old_message(parent_msg_id=held.pk)
        job = jobs.new_job("archive", {}, to="parquet")
        jobs.plan_only(job)
        with another_connection() as hub, hub.transaction():
            hub.execute("SELECT 1 FROM message WHERE msg_id = %s FOR UPDATE", (child.pk,))
            progress = jobs.work(job)

        assert progress.outcomes == [("done", 1), ("skipped:locked", 2)]
        assert ColdMessage.objects.get().pk == free.pk
        assert set(LedgerRow.objects.filter(outcome="skipped:locked").values_list("msg_id", flat=True)) == {
            held.pk,
            child.pk,
        }

    @pytest.mark.slow
    def test_loses_and_duplicates_nothing_when_its_worker_is_killed(
        self, settings, monkeypatch, start_worker, folder
    ):
        monkeypatch.setenv("HUBCONSOLE_ARCHIVE_URI", settings.HUBCONSOLE_ARCHIVE_URI)
        make_old_messages(6_000)
        oracle = Oracle()
        worker = start_worker()
        job = jobs.new_job("archive", {}, to="parquet")
        eventually(lambda: job_progress(job.pk).done, seconds=120)

        kill(worker)
        assert str(oracle.verdict()) == ""
        start_worker()
        eventually(lambda: swept_until_ended(job), seconds=180)

        progress = job_progress(job.pk)
        assert (progress.job.state, progress.job.attempt) == (JobState.DONE, 2)
        assert (progress.planned, progress.done) == (6_000, 6_000)
        assert str(oracle.verdict()) == ""
        assert files_in(folder) == set(ColdFile.objects.values_list("path", flat=True))


def swept_until_ended(job: Job) -> bool:
    watch.sweep_jobs()
    return Job.objects.filter(pk=job.pk, state__in=FINAL_STATES).exists()
