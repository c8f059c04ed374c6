"""Archive, restore and erase do the same with archive tables of several months and with plain ones."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from messages_app.jobs.archive_months import services
from messages_app.messages.models import ArchiveMessage
from tests.messages_app.erasure import test_messages as erasing
from tests.messages_app.jobs.archive_months.test_services import JANUARY_2020, place_of, plain  # noqa: F401 (a fixture)
from tests.messages_app.jobs.drivers import test_archive_restore as restoring
from tests.spark_tasks.actions import test_archive_rows as archiving
from tests.support import jobs
from tests.support.archive_months import ADA, by_month, end_past_at
from tests.support.cold import old_message, undo, with_traffic
from tests.support.eventually import eventually
from tests.support.oracle import Oracle, places
from tests.support.workers import make_old_messages

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]

folder = restoring.folder


@pytest.fixture
def months(transactional_db):
    """Archive tables by month, with rows of two months and of none."""
    with by_month() as past:
        end_past_at(past, JANUARY_2020)
        yield past


def test_a_job_archives_to_this_month_makes_the_next_ones_and_is_undone(months):
    message = with_traffic(old_message())
    with_traffic(old_message(parent_msg_id=message.pk))
    before, oracle = restoring.every_row(), Oracle()

    first = jobs.run("archive", {})

    assert first.done == 2, first.job.error
    assert place_of(message.pk) != "archive_message_other"
    assert ArchiveMessage.objects.count() == 2
    assert undo(first.job).done == 2
    assert restoring.every_row() == before
    assert str(oracle.verdict()) == ""
    assert places("message")[1] == set()


@pytest.mark.slow
@pytest.mark.usefixtures("plain")
def test_a_job_that_runs_while_the_tables_change_moves_every_message():
    make_old_messages(8_000)
    oracle = Oracle()

    def archive() -> int:
        try:
            return jobs.run("archive", {}).done
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        worker = pool.submit(archive)
        eventually(ArchiveMessage.objects.exists, every=0.01)
        services.partition_archive(actor=ADA)
        assert worker.result(60) == 8_000
        assert str(oracle.verdict()) == ""


@pytest.mark.slow
@pytest.mark.usefixtures("plain")
class TestArchiveJobOfPlainTables(archiving.TestArchiveJob):
    pass


@pytest.mark.slow
@pytest.mark.usefixtures("plain")
class TestRestoreOfPlainTables(restoring.TestRestore):
    pass


@pytest.mark.slow
@pytest.mark.usefixtures("plain")
class TestEraseOfPlainTables(erasing.TestEraseMessages):
    pass
