"""The Parquet archive, rewritten without a subject by real Spark."""

import shutil
from collections import Counter
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from messages_app.audit.models import AuditEntry
from messages_app.erasure.archive_files import sweep_files
from messages_app.erasure.keys import Key
from messages_app.jobs.models import Job
from messages_app.messages.models import Message
from messages_app.messages.parquet_archive.models import ColdFile, ColdMessage, ColdPart
from spark_tasks.parquet.files import check_digest
from spark_tasks.storage.addresses import Storage
from tests.messages_app.erasure.runs import as_process, dry_run, may_run, run
from tests.messages_app.erasure.test_messages import hold_by_job
from tests.support import jobs, parquet_rows
from tests.support.cold import to_parquet, undo
from tests.support.eventually import eventually
from tests.support.page_client import reader_of
from tests.support.subjects import KEY, OTHER, holding, make_message, with_traffic
from tests.support.workers import database_of_tests

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]

TRAFFIC = {"external_call": 1, "request": 1, "response": 2, "funnel": 1, "message": 1}


def folder() -> Path:
    return Path(settings.HUBCONSOLE_ARCHIVE_URI)


@pytest.fixture(autouse=True)
def empty_folder() -> None:
    """Remove the files that earlier tests have left in the archive."""
    shutil.rmtree(folder(), ignore_errors=True)


def files() -> set[str]:
    return {str(path.relative_to(folder())) for path in folder().rglob("*") if path.is_file()}


def rows_of_others() -> Counter[str]:
    """Return every row in a file of the manifest that does not belong to the subject."""
    rows = [
        f"{file.table_name} {row}" for file in ColdFile.objects.all() for row in parquet_rows._read(file.path)
    ]
    return Counter(row for row in rows if KEY not in row)


def both_in_one_part() -> tuple[Message, Message]:
    """Archive a message of the subject and one of another subject to Parquet. Return both."""
    mine, theirs = with_traffic(make_message()), with_traffic(make_message(OTHER), OTHER)
    to_parquet()
    assert ColdPart.objects.count() == 1
    return mine, theirs


def check_manifest() -> None:
    """Check that every file of the manifest exists and is complete, and that there are no other files."""
    assert files() == set(ColdFile.objects.values_list("path", flat=True))
    for file in ColdFile.objects.all():
        check_digest(Storage(settings.HUBCONSOLE_ARCHIVE_URI), file.path, file.sha256)


class TestEraseFromParts:
    def test_leaves_no_row_of_the_subject_in_any_file_and_every_row_of_others(self):
        _, theirs = both_in_one_part()
        before = rows_of_others()
        assert holding(KEY)["archive"] == 5

        found = run()

        assert holding(KEY) == {}
        assert found.rows == {f"cold_{table}": rows for table, rows in TRAFFIC.items()}
        assert rows_of_others() == before
        check_manifest()
        assert list(ColdMessage.objects.values_list("pk", flat=True)) == [theirs.pk]
        part = ColdPart.objects.get()
        assert (part.kept, part.restored, part.emptied_at) == (1, 0, None)
        entry = AuditEntry.objects.get(action="erase_subject")
        assert entry.details == {"subject": Key(KEY).digest, "rows": dict(found.rows)}

    @pytest.mark.slow
    def test_is_done_by_the_command_as_an_operator_starts_it(self):
        both_in_one_part()
        process = as_process(KEY, "--yes")
        out, err = process.communicate()
        assert (process.returncode, err) == (0, "")
        assert "cold_message               1  erased" in out
        assert holding(KEY) == {}
        check_manifest()

    def test_removes_only_files_of_the_subject(self):
        make_message()
        to_parquet()
        run()
        assert files() == set()
        assert not ColdFile.objects.exists()
        assert ColdPart.objects.get().emptied_at is not None

    def test_leaves_the_rest_of_a_part_to_be_restored(self):
        _, theirs = both_in_one_part()
        run()
        assert jobs.run("restore", {"correlation_id": theirs.correlation_id}).done == 1
        assert Message.objects.get().payload == theirs.payload
        assert ColdPart.objects.get().emptied_at is not None

    @pytest.mark.slow
    def test_leaves_the_rest_of_a_job_to_be_undone(self):
        _, theirs = both_in_one_part()
        run()
        progress = undo(Job.objects.get(kind="archive"))
        assert (progress.job.state, progress.done, progress.left) == ("done", 1, 0)
        assert list(Message.objects.values_list("pk", flat=True)) == [theirs.pk]

    def test_takes_a_live_message_out_of_the_file_that_it_was_restored_from(self):
        mine, _ = both_in_one_part()
        jobs.run("restore", {"correlation_id": mine.correlation_id})
        assert Message.objects.filter(pk=mine.pk).exists()
        run()
        assert holding(KEY) == {}
        part = ColdPart.objects.get()
        assert (part.kept, part.restored) == (1, 0)
        check_manifest()

    def test_removes_the_file_of_a_part_whose_messages_were_all_restored(self):
        mine = with_traffic(make_message())
        to_parquet()
        assert jobs.run("restore", {"correlation_id": mine.correlation_id}).done == 1
        assert ColdPart.objects.get().emptied_at is not None
        assert files()
        run()
        assert holding(KEY) == {}
        assert files() == set()

    @pytest.mark.slow
    def test_may_rewrite_a_part_again(self):
        both_in_one_part()
        with_traffic(make_message("C-1 third"), "C-1 third")
        run()
        run(OTHER)
        assert holding(OTHER) == {}
        check_manifest()

    def test_is_reported_before_by_a_dry_run(self):
        both_in_one_part()
        before, manifest = files(), list(ColdFile.objects.order_by("pk").values())
        would = dry_run()
        assert (files(), list(ColdFile.objects.order_by("pk").values())) == (before, manifest)
        assert ColdMessage.objects.count() == 2
        assert would.rows == run().rows

    def test_leaves_a_message_that_a_restore_has(self):
        mine, _ = both_in_one_part()
        job = hold_by_job(mine, kind="restore")
        assert f"job {job.pk} includes it" in run().left[0][2]
        assert ColdMessage.objects.count() == 2

    def test_leaves_a_part_whose_file_is_damaged_and_reports_it(self):
        both_in_one_part()
        path = folder() / ColdFile.objects.get(table_name="response").path
        path.write_bytes(path.read_bytes()[:-1] + b"x")
        found = run()
        assert "is damaged" in found.left[0][2]
        assert "from a backup" in found.left[0][2]
        assert ColdMessage.objects.count() == 2

    def test_leaves_pages_and_the_api_to_read_the_rest(self):
        _, theirs = both_in_one_part()
        run()
        answer = reader_of("admin").get(f"/api/v1/messages/{theirs.pk}/payload/")
        assert OTHER in answer.content.decode()


# The number of attempts after which Spark fails a job. No executor is replaced then.
TRIES = 4
# The session of an executor that has written its files and waits to report them. Returns true when it has
# ended.
_END_EXECUTOR = """
SELECT pg_terminate_backend(pid, 10000)
  FROM pg_stat_activity
 WHERE application_name = 'hubconsole-executor' AND datname = current_database() AND wait_event_type = 'Lock'
"""


def end_executor() -> bool:
    """Terminate the session of the executor if it waits now."""
    with connection.cursor() as cursor:
        cursor.execute(_END_EXECUTOR)
        return cursor.fetchall() == [(True,)]


class TestKill:
    def test_before_the_commit_leaves_the_old_files_and_the_next_run_ends_the_work(self):
        _, theirs = both_in_one_part()
        others = rows_of_others()
        old = files()
        with psycopg.connect(database_of_tests()["DATABASE_URL"], autocommit=True) as other:
            other.execute("BEGIN; LOCK TABLE audit_entry IN SHARE ROW EXCLUSIVE MODE")
            process = as_process(KEY, "--yes")
            # On a busy machine the process takes a minute to start and to rewrite.
            eventually(
                lambda: len([name for name in files() - old if name.endswith(".parquet")]) == 5, seconds=120
            )
            process.kill()
            process.communicate()
            for _ in range(TRIES):
                eventually(end_executor)
            assert set(ColdFile.objects.values_list("path", flat=True)) == old
            assert rows_of_others() == others
            other.execute("ROLLBACK")

        eventually(may_run)
        assert run().rows["cold_message"] == 1
        assert holding(KEY) == {}
        assert rows_of_others() == others
        check_manifest()
        assert ColdMessage.objects.get().pk == theirs.pk


class TestSweepFiles:
    def test_removes_only_files_of_runs_that_died_before_their_commit(self):
        both_in_one_part()
        known = files()
        orphan = next(iter(known)).replace(".parquet", "-erased-0a1b2c3d.parquet")
        foreign = "message/month=2026-05/job-99-20260101T000000-chunk-1-aa-erased-bb.parquet"
        for name in (orphan, f"{orphan}.tmp", foreign):
            path = folder() / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"x")
        sweep_files()
        assert files() == {*known, foreign}

    def test_keeps_possible_only_copies_after_a_restore_of_only_the_database(self):
        both_in_one_part()
        manifest = list(ColdFile.objects.values("pk", "path"))
        run()
        new = files()
        for file in manifest:
            ColdFile.objects.filter(pk=file["pk"]).update(path=file["path"])
        sweep_files()
        assert files() == new

    def test_removes_old_files_that_died_after_their_commit(self):
        both_in_one_part()
        old = {name: (folder() / name).read_bytes() for name in files()}
        run()
        for name, content in old.items():
            (folder() / name).write_bytes(content)
        assert holding(KEY)
        run()
        assert holding(KEY) == {}
        check_manifest()
