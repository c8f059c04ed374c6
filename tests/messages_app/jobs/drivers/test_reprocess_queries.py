"""The messages of the store in a job's set; on Spark: test_reprocess.py, test_reprocess_history.py."""

import pytest
from django.db import connection
from django.utils import timezone

from messages_app.jobs.drivers.reprocess import lines_of, store_queries
from messages_app.jobs.models import Job
from messages_app.jobs.services.retry_undo import retry_failed
from messages_app.message_store.models import MessageLine
from tests.support.jobs import WHY
from tests.support.ledgers import store_ledger
from tests.support.stores import set_process, store

pytestmark = pytest.mark.django_db


def failed_job(kind: str, outcomes: dict[int, str]) -> Job:
    """Store a job that ended with these outcomes, for all messages that are not muted."""
    columns = {"kind": kind, "filter": {"muted": "false"}, "options": {"older_than_months": 6}}
    job = Job.objects.create(**columns, state="failed", reason="test", finished_at=timezone.now())
    store_ledger(job, outcomes)
    return job


def frozen(job: Job) -> dict[int, str]:
    """Return the messages that the job's queries find: the status by number."""
    found = {}
    with connection.cursor() as cursor:
        for sql, params in store_queries(lines_of(job), job.last_msg_id):
            cursor.execute(sql, params)
            found |= {row[0]: row[1] for row in cursor}
    return found


class TestLinesOf:
    @pytest.mark.parametrize("kind", ["reprocess", "archive_history"])
    def test_exports_the_failed_messages_of_a_retry_in_their_current_state(self, kind):
        for key in [store() for _ in range(5)]:
            set_process(key, status=25)
        failed, moved, muted, done, _ = numbers = list(
            MessageLine.objects.order_by("pk").values_list("pk", flat=True)
        )
        reason = "failed:too_slow"
        origin = failed_job(kind, {failed: reason, moved: reason, muted: reason, done: "done"})
        MessageLine.objects.filter(pk=muted).update(muted_at=timezone.now())
        set_process(MessageLine.objects.get(pk=moved).message_identifier, status=26)

        again = retry_failed(job_id=origin.pk, **WHY)

        assert (again.kind, again.retry_of, again.options) == (kind, origin.pk, origin.options)
        assert frozen(again) == {failed: "25", moved: "26"}
        assert set(frozen(Job(filter=origin.filter, last_msg_id=numbers[-1]))) == set(numbers) - {muted}
