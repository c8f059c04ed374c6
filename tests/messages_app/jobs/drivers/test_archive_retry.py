"""
Archive and restore jobs that retry the failed messages of another job, on real Spark, checked by the oracle.
"""

from pathlib import Path

import pytest

from messages_app.jobs.models import LedgerRow
from messages_app.jobs.services.retry_undo import retry_failed
from messages_app.messages.models import ArchiveMessage, Message
from messages_app.messages.parquet_archive.models import ColdFile, ColdMessage
from tests.support import jobs
from tests.support.cold import old_message, to_parquet, with_traffic
from tests.support.oracle import Oracle

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]


@pytest.fixture(autouse=True)
def folder(settings, tmp_path) -> Path:
    settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path / "archive")
    return tmp_path / "archive"


class TestRetryOfArchive:
    @pytest.mark.parametrize(
        ("to", "refusing", "archived"),
        [
            ("tables", "archive_message", ArchiveMessage),
            pytest.param("parquet", "cold_message", ColdMessage, marks=pytest.mark.slow),
        ],
    )
    def test_moves_old_failed_messages_with_their_families(self, to, refusing, archived):
        head = with_traffic(old_message())
        family = {head.pk, old_message(parent_msg_id=head.pk).pk}
        restarted, fine = old_message().pk, old_message().pk
        with jobs.refusing_rows(refusing, "msg_id IN (%s, %s)", [max(family), restarted]):
            first = jobs.run("archive", {}, to=to)
        assert (first.done, first.failed) == (1, 3), first.job.error
        Message.objects.filter(pk=restarted).update(state="PARTLY_FAILED")
        later = old_message().pk
        oracle = Oracle()

        again = jobs.work(retry_failed(job_id=first.job.pk, **jobs.WHY))

        assert (again.planned, again.done, again.job.retry_of) == (2, 2, first.job.pk), again.job.error
        assert set(archived.objects.values_list("pk", flat=True)) == family | {fine}
        assert set(Message.objects.values_list("pk", flat=True)) == {restarted, later}
        assert str(oracle.verdict()) == ""


class TestRetryOfRestore:
    def test_restores_messages_from_a_file_that_exists_again(self, folder):
        message = with_traffic(old_message())
        to_parquet()
        oracle = Oracle()
        path = folder / ColdFile.objects.filter(table_name="message").get().path
        body = path.read_bytes()
        path.unlink()
        first = jobs.run("restore", {"state": "OK"})
        assert dict(first.outcomes) == {"failed:archive_file_unreadable": 1}
        path.write_bytes(body)

        again = jobs.work(retry_failed(job_id=first.job.pk, **jobs.WHY))

        assert dict(again.outcomes) == {"done": 1}, again.job.error
        assert LedgerRow.objects.get(job_id=again.job.pk).msg_id == message.pk
        assert Message.objects.filter(pk=message.pk).exists()
        assert str(oracle.verdict()) == ""
