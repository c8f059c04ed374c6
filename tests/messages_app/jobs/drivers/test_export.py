"""Export jobs from their creation to their file, on real Spark."""

import csv
import datetime as dt
import hashlib
import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from django.db import connection

from messages_app.audit.services import Actor
from messages_app.jobs.connections import spark_address
from messages_app.jobs.drivers.driver import CannotRun
from messages_app.jobs.engine import runner
from messages_app.jobs.engine.runner import DRIVERS
from messages_app.jobs.engine.spark_spans import SparkStep
from messages_app.jobs.leases import claim_job
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import JobProgress, job_progress
from messages_app.jobs.services.create import create_job
from messages_app.messages.models import ArchiveMessage, Message
from messages_app.shared.job_states import JobState
from spark_tasks.session import spark_session
from tests.support.cold import into_parquet
from tests.support.exports import file_of, folder_of, folder_of_exports, parts_folder_of
from tests.support.factories import make_archived_message, make_message, make_messages
from tests.support.jobs import ANA

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]

# Difficult contents for a file: quotes, line ends, separators, characters of four bytes, and a formula.
HARD = 'a "quoted", line\r\nand\nanother\r\t🐘 ü ٣ \u2028 end'
AT = dt.datetime(2026, 10, 25, 0, 30, 0, 123456, tzinfo=dt.UTC)


@pytest.fixture(autouse=True)
def no_exports():
    yield
    shutil.rmtree(folder_of_exports(), ignore_errors=True)


def new_job(filter: dict[str, object], *, dry_run: bool = False, **options: object) -> Job:
    return create_job(
        kind="export",
        filter=filter,
        options=options,
        dry_run=dry_run,
        reason="for the auditors",
        actor=ANA,
        user=None,
    )


def run(filter: dict[str, object], **options: object) -> JobProgress:
    job = new_job(filter, **options)
    runner.run_job(job_id=job.pk)
    return job_progress(job.pk)


def csv_rows(job: Job) -> list[dict[str, str]]:
    with file_of(job).open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def json_rows(job: Job) -> list[dict[str, object]]:
    return [json.loads(line) for line in file_of(job).read_bytes().decode().split("\n")[:-1]]


def parquet_rows(job: Job) -> list[dict[str, object]]:
    return pq.read_table(file_of(job)).to_pylist()


class TestExport:
    def test_writes_the_messages_of_the_filter_and_changes_nothing(self):
        service = "100 %s %%"  # Neither is a parameter of a statement.
        chosen = [make_message(state="FAILED", service_name=service).pk for _ in range(3)]
        make_message(state="FAILED", service_name="crm")
        before = list(Message.objects.order_by("pk").values())

        progress = run({"state": "FAILED", "service_name": service})

        assert (progress.job.state, progress.planned, progress.done) == (JobState.DONE, 3, 3)
        assert [int(row["msg_id"]) for row in csv_rows(progress.job)] == chosen
        assert list(Message.objects.order_by("pk").values()) == before

    def test_reports_what_a_reader_of_the_file_can_check(self):
        make_message(state="FAILED")
        job = run({"state": "FAILED"}).job
        (told,) = job.report["files"]
        body = file_of(job).read_bytes()
        assert told["name"] == f"messages-job-{job.pk}.csv"
        assert (told["rows"], told["bytes"]) == (1, len(body))
        assert told["sha256"] == hashlib.sha256(body).hexdigest()
        assert told["download"] == f"/api/v1/jobs/{job.pk}/download/"
        kept = dt.datetime.fromisoformat(job.report["expires_at"]) - job.finished_at
        assert dt.timedelta(days=0.99) < kept < dt.timedelta(days=1.01)
        assert not parts_folder_of(job.pk).exists()

    @pytest.mark.parametrize(("format", "read"), [("jsonl", json_rows), ("parquet", parquet_rows)])
    def test_keeps_every_value_in_json_lines_and_parquet(self, format, read):
        message = make_message(
            state="FAILED", object_id="", process_id=None, failed_desc=HARD, payload=HARD, msg_timestamp=AT
        )
        job = run({"state": "FAILED"}, format=format, payload=True).job
        (row,) = read(job)
        expected = {name: getattr(message, name) for name in row if name != "archived"}
        if format == "jsonl":
            expected |= {
                name: value.isoformat() for name, value in expected.items() if isinstance(value, dt.datetime)
            }
        assert row == expected | {"archived": False}
        assert (row["object_id"], row["process_id"]) == ("", None)

    def test_writes_csv_that_is_read_back_unchanged(self):
        message = make_message(state="FAILED", failed_desc=HARD, payload=HARD, msg_timestamp=AT)
        job = run({"state": "FAILED"}, payload=True).job
        (row,) = csv_rows(job)
        assert (row["failed_desc"], row["payload"]) == (HARD, HARD)
        assert row["msg_timestamp"] == "2026-10-25T00:30:00.123456+00:00"
        assert (row["msg_id"], row["guaranteed_order"], row["process_id"]) == (str(message.pk), "False", "")

    @pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
    def test_writes_no_formula(self, text):
        make_message(state="FAILED", object_id=text)
        assert csv_rows(run({"state": "FAILED"}).job)[0]["object_id"] == f"'{text}"

    @pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
    def test_leaves_payload_and_envelope_out_unless_asked_for(self, format):
        make_message(state="FAILED", payload="unseen-payload", envelope="unseen-envelope", failed_desc="seen")
        body = file_of(run({"state": "FAILED"}, format=format).job).read_bytes()
        assert b"unseen" not in body
        assert b"failed_desc" in body

    @pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
    def test_writes_a_file_without_rows_if_nothing_matches(self, format):
        job = run({"state": "FAILED"}, format=format).job
        assert (job.state, job.report["files"][0]["rows"]) == (JobState.DONE, 0)
        assert file_of(job).is_file()

    def test_reads_live_and_archived_messages(self):
        live, archived = make_message(state="OK"), make_archived_message(state="OK")
        assert [row["msg_id"] for row in json_rows(run({"state": "OK"}, format="jsonl").job)] == [live.pk]
        only = run({"state": "OK", "archived": "true"}, format="jsonl").job
        assert [(row["msg_id"], row["archived"]) for row in json_rows(only)] == [(archived.pk, True)]
        both = run({"state": "OK", "archived": "any"}, format="jsonl").job
        assert {row["msg_id"] for row in json_rows(both)} == {live.pk, archived.pk}

    def test_joins_many_parts_in_the_order_of_ids(self):
        make_messages(25_000)
        job = run({"state": "OK"}).job
        ids = [int(row["msg_id"]) for row in csv_rows(job)]
        assert len(ids) == 25_000
        assert ids == sorted(ids)
        assert job.report["moved"] == {"file": 25_000}

    @pytest.mark.slow
    def test_reports_how_many_it_leaves_in_parquet(self, settings, tmp_path):
        settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path / "archive")
        make_message(state="OK")
        into_parquet(make_message(state="OK"), make_message(state="OK"))
        for dry_run in (True, False):
            job = new_job({"state": "OK", "archived": "any"}, dry_run=dry_run)
            runner.run_job(job_id=job.pk)
            job.refresh_from_db()
            assert (job.report["kept"], job_progress(job.pk).planned) == ({"in_parquet": 2}, 1), job.error
        assert "kept" not in run({"state": "OK"}).job.report

    def test_names_a_message_that_no_longer_exists_and_finds_one_that_was_archived_meanwhile(self):
        gone, moved, there = (make_message(state="FAILED").pk for _ in range(3))
        job = planned({"state": "FAILED"})
        Message.objects.filter(pk=gone).delete()
        row = Message.objects.filter(pk=moved).values().get()
        Message.objects.filter(pk=moved).delete()
        ArchiveMessage.objects.create(**row)

        runner.run_job(job_id=job.pk)

        progress = job_progress(job.pk)
        assert dict(progress.outcomes) == {"done": 2, "skipped:vanished": 1}
        found = [(int(row["msg_id"]), row["archived"]) for row in csv_rows(progress.job)]
        assert found == [(moved, "True"), (there, "False")]

    @pytest.mark.slow
    def test_writes_payloads_of_many_megabytes(self):
        large = "🐘" * (5 * 1024 * 1024)
        for _ in range(3):
            make_message(state="FAILED", payload=large)
        job = run({"state": "FAILED"}, format="jsonl", payload=True).job
        assert [row["payload"] == large for row in json_rows(job)] == [True] * 3

    def test_claims_no_message_of_another_job(self):
        make_message(state="FAILED")
        other = create_job(
            kind="restart",
            filter={"state": "FAILED"},
            options={},
            dry_run=False,
            reason="x",
            actor=Actor(username="bob"),
            user=None,
        )
        plan_only(other)
        assert run({"state": "FAILED"}).done == 1


def plan_only(job: Job) -> None:
    """Plan the chunks of a job without a worker, so that none is done."""
    lease = claim_job(job.pk)
    with spark_session(spark_address()) as spark:
        runner.plan_job(spark, lease, Job.objects.get(pk=job.pk))
    Job.objects.filter(pk=job.pk).update(lease_until=dt.datetime(2000, 1, 1, tzinfo=dt.UTC))


def planned(filter: dict[str, object]) -> Job:
    job = new_job(filter)
    plan_only(job)
    return job


class TestFailingExport:
    def test_is_reported_when_its_folder_cannot_be_made(self):
        make_message(state="FAILED")
        job = new_job({"state": "FAILED"})
        folder_of_exports().mkdir(parents=True)
        folder_of(job.pk).write_text("in the way")

        runner.run_job(job_id=job.pk)

        job.refresh_from_db()
        assert job.state == JobState.FAILED
        assert job.error == f"The export cannot be written to {parts_folder_of(job.pk)}: File exists."

    @pytest.mark.parametrize("harm", [Path.unlink, lambda part: part.write_bytes(b"other")])
    def test_offers_no_file_when_a_part_is_gone_or_altered(self, harm):
        make_message(state="FAILED")
        job = done_but_for_the_end()
        (part,) = parts_folder_of(job.pk).glob("*.csv")
        harm(part)
        with pytest.raises(CannotRun, match=part.name):
            DRIVERS["export"].finish(job)
        assert not file_of(job).exists()

    def test_uses_no_part_that_the_ledger_does_not_name(self):
        message = make_message(state="FAILED")
        job = done_but_for_the_end()
        (parts_folder_of(job.pk) / "1-9-left.csv").write_text("of a crash\r\n")
        assert DRIVERS["export"].finish(job)["files"][0]["rows"] == 1
        assert [row["msg_id"] for row in csv_rows(job)] == [str(message.pk)]

    def test_ends_with_the_same_file_when_its_end_is_tried_again(self):
        make_message(state="FAILED")
        job = done_but_for_the_end()
        first = DRIVERS["export"].finish(job)["files"]
        assert DRIVERS["export"].finish(job)["files"] == first


def done_but_for_the_end() -> Job:
    """Return an export with all parts written, but without a file."""
    job = new_job({"state": "FAILED"})
    runner.run_job(job_id=job.pk)
    job = job_progress(job.pk).job
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM job_chunk WHERE job_id = %s", [job.pk])
        assert cursor.fetchone()[0] == 1
    shutil.rmtree(folder_of(job.pk))
    with connection.cursor() as cursor:
        cursor.execute("UPDATE job_chunk SET committed_at = NULL, moved = '{}', outcomes = '{}'")
        cursor.execute("UPDATE job SET state = 'running', lease_until = now() WHERE job_id = %s", [job.pk])
    lease = claim_job(job.pk)
    with spark_session(spark_address()) as spark:
        action = DRIVERS["export"].make_action(job)
        runner.run_chunks(
            spark, key=runner._key_of_job(lease, job, SparkStep()), action=action, chunk_nos=[0], rate=None
        )
    return job


class TestPreview:
    def test_counts_and_writes_nothing(self):
        for _ in range(2):
            make_message(state="FAILED")
        job = new_job({"state": "FAILED"}, dry_run=True)
        runner.run_job(job_id=job.pk)
        job.refresh_from_db()
        assert (job.state, job.report["planned"], job.report["skipped"]) == (JobState.PLANNED, 2, {})
        assert not folder_of_exports().exists()
