"""Jobs on real Spark get past hostile rows."""

import pytest

from messages_app.jobs.models import LedgerRow
from messages_app.jobs.selectors import JobProgress
from messages_app.messages.models import ArchiveMessage, Message
from messages_app.messages.parquet_archive.models import ColdMessage
from messages_app.shared.far_times import parse_time
from tests.hostile.rows import TIMES
from tests.hostile.test_acting import as_read, far_message
from tests.hostile.test_paging import own_schema
from tests.hostile.world import new_keys, store_hub_rows
from tests.support import jobs
from tests.support.cold import old_message
from tests.support.factories import make_message
from tests.support.parameters import quick_first


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("spark_remote")
class TestJobs:
    @pytest.fixture(autouse=True)
    def folder(self, settings, tmp_path):
        settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path / "archive")

    @pytest.mark.parametrize("target", quick_first(["parquet", "tables"]))
    def test_archive_the_rest_and_restore_it_unchanged(self, target):
        ordinary = {old_message(state="OK").pk for _ in range(3)}
        far = {far_message(as_read(time), state="OK").pk: as_read(time) for time in TIMES}
        store_hub_rows(new_keys(), schema=own_schema())
        before = rows_by_id()

        progress = jobs.run("archive", {}, to=target)

        assert progress.job.state == "done", progress.job.report
        outcomes = outcomes_of(progress)
        assert {outcomes[msg_id] for msg_id in ordinary} == {"done"}
        assert not Message.objects.filter(pk__in=ordinary).exists()
        rows = ArchiveMessage if target == "tables" else ColdMessage
        assert rows.objects.filter(pk__in=ordinary).count() == len(ordinary)
        # Those of the future are too young.
        of_the_past = {
            pk for pk, time in far.items() if parse_time(time) < parse_time("2026-01-01 00:00:00Z")
        }
        assert far.keys() & outcomes.keys() == of_the_past
        moved = {far[pk] for pk in of_the_past if outcomes[pk] == "done"}
        kept = {far[pk]: outcomes[pk] for pk in of_the_past if outcomes[pk] != "done"}
        if target == "tables":
            assert kept == {}
        else:
            assert moved == {"-infinity", "0001-01-01 00:00:00+00:00"}
            assert set(kept.values()) == {"failed:CannotKeep"}
        archived = [msg_id for msg_id, outcome in outcomes.items() if outcome == "done"]
        assert rows_by_id().keys().isdisjoint(archived)
        assert jobs.run("restore", {"state": ["OK", "FAILED", "CANCEL"]}).job.state == "done"
        restored = rows_by_id()
        assert [restored[msg_id] for msg_id in archived] == [before[msg_id] for msg_id in archived]

    def test_restart_all_of_them(self):
        make_message(state="FAILED")
        store_hub_rows(new_keys(), schema=own_schema())
        failed = Message.objects.filter(state="FAILED").count()

        progress = jobs.run("restart", {"state": "FAILED"})

        assert progress.job.state == "done", progress.job.report
        assert set(outcomes_of(progress).values()) == {"done"}
        assert len(outcomes_of(progress)) == failed > len(TIMES)
        assert not Message.objects.filter(state="FAILED").exists()


def rows_by_id() -> dict[int, dict[str, object]]:
    return {row["msg_id"]: row for row in Message.objects.values()}


def outcomes_of(progress: JobProgress) -> dict[int, str]:
    return dict(LedgerRow.objects.filter(job_id=progress.job.pk).values_list("msg_id", "outcome"))
