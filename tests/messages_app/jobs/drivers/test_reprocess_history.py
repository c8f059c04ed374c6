"""Jobs that archive old attempts of the message store, on real Spark."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from messages_app.jobs.preview.quick import preview_job
from messages_app.message_store.models import ArchivedHistory, MessageHistory
from messages_app.shared.job_states import JobState
from tests.messages_app.jobs.requested import request_of
from tests.support.jobs import new_job, run, work
from tests.support.stores import define, process, set_process, store

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]


def attempts(count: int, *, days: int) -> str:
    """Store a message with attempts on consecutive days, the last one `days` ago."""
    define()
    key = store([{"id": 1}])
    for _ in range(count):
        process(key)
        set_process(key, status=0)
    for number, one in enumerate(MessageHistory.objects.filter(message_identifier=key).order_by("-pk")):
        rows = MessageHistory.objects.filter(pk=one.pk)
        rows.update(processed_timestamp=Now() - timedelta(days=days + number))
    return key


class TestArchiveHistory:
    def test_moves_old_attempts_and_leaves_the_newest_of_each_message(self):
        old, young = attempts(3, days=100), attempts(2, days=1)
        logs = set(MessageHistory.objects.filter(message_identifier=old).values_list("log_text", flat=True))

        progress = run("archive_history", {}, older_than_months=2)

        assert (progress.job.state, progress.planned, progress.done) == (JobState.DONE, 1, 1)
        assert dict(progress.moved) == {"message_history": 2}
        assert MessageHistory.objects.filter(message_identifier=old).count() == 1
        assert MessageHistory.objects.filter(message_identifier=young).count() == 2
        archived = ArchivedHistory.objects.filter(message_identifier=old)
        assert archived.count() == 2
        assert set(archived.values_list("log_text", flat=True)) <= logs
        assert run("archive_history", {}, older_than_months=2).planned == 0

    def test_is_narrowed_by_a_filter_and_previewed(self):
        attempts(3, days=100)
        options = {"older_than_months": 2}
        orders = request_of("archive_history", {"source_entity": "order"}, **options)
        assert preview_job(orders)["planned"] == 0
        assert preview_job(request_of("archive_history", **options))["to_do"] == 1
        job = work(new_job("archive_history", {}, dry_run=True, **options)).job
        assert (job.state, job.report["planned"]) == (JobState.PLANNED, 1)
        assert not ArchivedHistory.objects.exists()
