"""Restore jobs and the undoing of archive jobs, on real Spark, checked by the oracle."""

from pathlib import Path

import psycopg
import pytest
from django.db import connection

from messages_app.jobs.connections import database_dsn
from messages_app.jobs.models import LedgerRow
from messages_app.jobs.selectors import JobProgress
from messages_app.messages.models import ArchiveMessage, ExternalCall, Message, Request
from messages_app.messages.parquet_archive.models import ColdFile, ColdMessage, ColdPart
from messages_app.shared.job_states import JobState
from spark_tasks.plans import selection
from tests.support import factories, jobs
from tests.support.cold import OLD, forever, make_orphans, old_message, to_parquet, undo, with_traffic
from tests.support.oracle import Oracle, places
from tests.support.parameters import quick_first

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]


@pytest.fixture(autouse=True)
def folder(settings, tmp_path) -> Path:
    settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path / "archive")
    return tmp_path / "archive"


def restore(**filter: object) -> JobProgress:
    return jobs.run("restore", filter)


def live_ids() -> set[int]:
    return set(Message.objects.values_list("pk", flat=True))


def outcomes(progress: JobProgress) -> dict[int, str]:
    return dict(LedgerRow.objects.filter(job_id=progress.job.pk).values_list("msg_id", "outcome"))


def every_row() -> set[tuple]:
    """Return (table, row as text) of every row in the hub's live tables."""
    tables = ("message", "external_call", "request", "response", "funnel")
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(f"SELECT '{name}', t::text FROM {name} t" for name in tables))
        return set(cursor.fetchall())


class TestRestore:
    @pytest.mark.parametrize("target", quick_first(["tables", "parquet"]))
    def test_undoes_an_archive_job_and_archives_again_bit_for_bit(self, target):
        head = with_traffic(old_message(state="FAILED", failed_desc="why\nbecause"))
        ids = {head.pk, with_traffic(old_message(parent_msg_id=head.pk)).pk}
        forever(head)
        make_orphans()
        before, oracle = every_row(), Oracle()

        for _ in range(2):
            first = jobs.run("archive", {}, to=target)
            assert live_ids() == set(), first.job.error
            back = undo(first.job)
            assert (back.job.state, back.planned, back.done) == (JobState.DONE, 2, 2), back.job.error
            assert back.orphans == {
                "orphan_requests": {"planned": 1, "done": 1},
                "orphan_responses": {"planned": 1, "done": 1},
            }
            assert live_ids() == ids
            assert every_row() == before
            assert str(oracle.verdict()) == ""

        assert not ColdMessage.objects.exists()
        assert not ColdPart.objects.filter(emptied_at=None).exists()

    def test_a_second_undo_does_not_restore_orphans_that_the_hub_has_removed_since_the_first(self):
        _, second = (factories.make_request(None, req_timestamp=OLD) for _ in range(2))
        origin = to_parquet().job
        copy_of_second = {field.attname: getattr(second, field.attname) for field in second._meta.fields}
        Request.objects.create(**copy_of_second)

        undone = undo(origin)
        assert undone.orphans == {"orphan_requests": {"planned": 2, "done": 1, "skipped:moved_on": 1}}
        Request.objects.all().delete()
        again = undo(origin)

        assert again.orphans == {"orphan_requests": {"planned": 2, "done": 1, "skipped:moved_on": 1}}
        assert set(Request.objects.values_list("pk", flat=True)) == {second.pk}

    def test_restores_a_whole_family_for_one_member_from_tables_and_files(self):
        head = with_traffic(old_message())
        jobs.run("archive", {})
        child = with_traffic(old_message(parent_msg_id=head.pk))
        grandchild = old_message(parent_msg_id=child.pk)
        other = old_message()
        to_parquet()
        oracle = Oracle()

        progress = restore(correlation_id=grandchild.correlation_id)

        assert live_ids() == {head.pk, child.pk, grandchild.pk}
        assert (progress.planned, progress.done) == (3, 3)
        assert set(ColdMessage.objects.values_list("pk", flat=True)) == {other.pk}
        assert str(oracle.verdict()) == ""

    @pytest.mark.slow
    def test_plans_a_family_once_in_a_large_set_that_selects_members_in_tables_and_files(self, monkeypatch):
        # A set in this many parts is planned by many tasks, as a large one is.
        monkeypatch.setattr(selection, "_MAX_PARTS", 0)
        heads = [old_message() for _ in range(2)]
        jobs.run("archive", {})
        children = [with_traffic(old_message(parent_msg_id=head.pk)) for head in heads]
        to_parquet()
        oracle = Oracle()

        progress = restore(state="OK")

        assert live_ids() == {message.pk for message in (*heads, *children)}, progress.job.error
        assert (progress.planned, progress.done) == (4, 4)
        assert str(oracle.verdict()) == ""

    def test_skips_and_names_a_family_that_the_hub_has_again(self):
        head = old_message()
        taken = old_message(parent_msg_id=head.pk)
        other = old_message()
        to_parquet()
        factories.make_message(correlation_id=taken.correlation_id, source_system=taken.source_system)
        oracle = Oracle()

        progress = restore(state="OK")

        assert outcomes(progress) == {
            head.pk: "skipped:family_stays",
            taken.pk: "skipped:correlation_id_live",
            other.pk: "done",
        }
        assert str(oracle.verdict()) == ""

    @pytest.mark.parametrize("target", quick_first(["tables", "parquet"]))
    def test_skips_a_message_with_a_call_that_the_hub_made_again(self, target):
        message = old_message()
        call = factories.make_external_call(message)
        jobs.run("archive", {}, to=target)
        again = factories.make_message(state="OK")
        ExternalCall.objects.create(
            call_id=factories.next_id(),
            msg_id=again.pk,
            operation_name=call.operation_name,
            entity_id=call.entity_id,
            state="OK",
            msg_timestamp=call.msg_timestamp,
            creation_timestamp=call.creation_timestamp,
            last_update_timestamp=call.last_update_timestamp,
        )

        progress = restore(state="OK")

        assert outcomes(progress) == {message.pk: "skipped:external_call_live"}

    @pytest.mark.parametrize(
        ("target", "held"),
        quick_first([pytest.param("tables", ArchiveMessage), pytest.param("parquet", ColdMessage)]),
    )
    def test_leaves_a_whole_family_in_the_archive_if_one_member_is_locked_there(self, target, held):
        head, other = old_message(), with_traffic(old_message())
        child = with_traffic(old_message(parent_msg_id=head.pk))
        jobs.run("archive", {}, to=target)
        job = jobs.new_job("restore", {"state": "OK"})
        jobs.plan_only(job)
        before, oracle = set(held.objects.values_list("pk", flat=True)), Oracle()

        with psycopg.connect(database_dsn()) as session:
            session.execute(f"SELECT 1 FROM {held._meta.db_table} WHERE msg_id = %s FOR UPDATE", (child.pk,))
            progress = jobs.work(job)

        assert outcomes(progress) == {
            head.pk: "skipped:family_stays",
            child.pk: "skipped:locked",
            other.pk: "done",
        }
        assert live_ids() == {other.pk}
        assert before == {head.pk, child.pk, other.pk}
        assert str(oracle.verdict()) == ""

    @pytest.mark.slow
    def test_skips_messages_in_a_damaged_or_missing_file(self, folder):
        whole = old_message()
        to_parquet()
        damaged, missing = with_traffic(old_message()), None
        to_parquet()
        missing = old_message()
        to_parquet()
        paths = list(ColdFile.objects.order_by("file_id").values_list("table_name", "path"))
        request = next(path for table, path in paths if table == "request")
        body = bytearray((folder / request).read_bytes())
        body[200] ^= 1
        (folder / request).write_bytes(body)
        (folder / paths[-1][1]).unlink()

        progress = restore(state="OK")

        assert outcomes(progress) == {
            whole.pk: "done",
            damaged.pk: "failed:archive_file_unreadable",
            missing.pk: "failed:archive_file_unreadable",
        }
        assert live_ids() == {whole.pk}

    @pytest.mark.slow
    def test_skips_rows_with_a_column_that_the_hub_has_dropped(self):
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE message ADD COLUMN tenant text")
            cursor.execute("ALTER TABLE archive_message ADD COLUMN tenant text")
        try:
            message = old_message()
            to_parquet()
        finally:
            with connection.cursor() as cursor:
                cursor.execute("ALTER TABLE message DROP COLUMN tenant")
                cursor.execute("ALTER TABLE archive_message DROP COLUMN tenant")

        progress = restore(state="OK")

        assert outcomes(progress) == {message.pk: "failed:columns_differ"}

    @pytest.mark.slow
    def test_names_messages_that_are_no_longer_in_the_archive(self):
        gone, live = old_message(), old_message()
        origin = jobs.run("archive", {}).job
        ArchiveMessage.objects.filter(pk=gone.pk).delete()
        restore(correlation_id=live.correlation_id)

        progress = undo(origin)

        assert progress.planned == 2
        assert outcomes(progress) == {gone.pk: "skipped:vanished", live.pk: "skipped:msg_id_live"}

    def test_restores_a_cycle_of_parents_together(self):
        first, second = old_message(), old_message()
        for message, parent in ((first, second), (second, first)):
            Message.objects.filter(pk=message.pk).update(parent_msg_id=parent.pk)
            row = Message.objects.get(pk=message.pk)
            ArchiveMessage.objects.create(
                **{f.attname: getattr(row, f.attname) for f in row._meta.concrete_fields}
            )
        Message.objects.all().delete()

        progress = restore(correlation_id=second.correlation_id)

        assert (progress.planned, progress.done) == (2, 2)
        assert places("message") == ({first.pk, second.pk}, set())

    @pytest.mark.slow
    def test_previews_its_changes_and_does_nothing(self):
        ids = [old_message(state=state).pk for state in ("OK", "FAILED")]
        to_parquet()
        factories.make_message(correlation_id=f"corr-{ids[0]}", source_system="CRM", service_name="other")

        report = jobs.run("restore", {"service_name": "billing"}, dry_run=True).job.report

        assert report["by_state"] == {"OK": 1, "FAILED": 1}
        assert report["skipped"] == {"correlation_id_live": 1}
        assert report["samples"] == [ids[1]]
        assert ColdMessage.objects.count() == 2
