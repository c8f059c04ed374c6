"""After each bulk job, the counts of messages match the table."""

from collections.abc import Callable
from pathlib import Path

import pytest

from messages_app.messages.failures.models import NewFailure
from messages_app.messages.metrics.passes import fold_changes
from messages_app.messages.models import Message
from tests.messages_app.messages.metrics.counting import counted_by_day, counts_by_day, entries
from tests.support import jobs
from tests.support.cold import old_message

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]


@pytest.fixture(autouse=True)
def folder(settings, tmp_path) -> None:
    settings.HUBCONSOLE_ARCHIVE_URI = str(Path(tmp_path) / "archive")


@pytest.fixture
def messages() -> None:
    for number in range(12):
        old_message(state="FAILED" if number % 3 == 0 else "OK", failed_error_code="E103")
    fold_changes()
    NewFailure.objects.all().delete()


def check_after(work: Callable[[], object]) -> dict[str, int]:
    """Do the work, compare the counts with the table, and return how often each state has been entered."""
    work()
    fold_changes()
    assert counts_by_day() == counted_by_day()
    return entries()


@pytest.mark.usefixtures("messages")
class TestCounts:
    @pytest.mark.parametrize("target", ["tables", "parquet"])
    def test_hold_through_archive_and_restore(self, target):
        before = entries()
        assert check_after(lambda: jobs.run("archive", {}, to=target)) == before
        assert not Message.objects.exists()
        assert check_after(lambda: jobs.run("restore", {"service_name": "billing"})) == before
        assert Message.objects.count() == 12
        assert not NewFailure.objects.exists()

    def test_hold_through_restart_and_cancel(self):
        entered = check_after(lambda: jobs.run("restart", {"state": "FAILED"}))
        assert entered["PARTLY_FAILED"] == 4
        entered = check_after(lambda: jobs.run("cancel", {"state": "PARTLY_FAILED"}))
        assert entered["CANCEL"] == 4
