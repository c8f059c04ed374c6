import pytest

from messages_app.jobs.models import Job, JobChunk
from messages_app.jobs.views.detail.status_charts import canary_of, status_chart_of
from tests.support.factories import make_message, next_id
from tests.support.ledgers import store_ledger

pytestmark = pytest.mark.django_db


class TestCanaryOf:
    def test_has_the_numbers_of_the_report(self):
        found = canary_of(Job(report={"canary": {"size": 20, "ok": 10, "failed": 4, "open": 6}}))
        assert (found.size, found.ok, found.failed, found.open) == (20, 10, 4, 6)
        assert [(share.name, share.count, share.width) for share in found.shares] == [
            ("done", 10, 50),
            ("failed", 4, 20),
        ]

    @pytest.mark.parametrize(
        "report", [{}, {"canary": None}, {"canary": 3}, {"canary": {"size": 0, "ok": 1}}]
    )
    def test_is_missing_without_a_size(self, report):
        assert canary_of(Job(report=report)) is None

    def test_counts_nothing_before_the_first_message(self):
        found = canary_of(Job(report={"canary": {"size": 20}}))
        assert (found.ok, found.failed, found.open) == (0, 0, 0)
        assert [share.count for share in found.shares if share.count] == []


class TestStatusChartOf:
    def test_has_a_part_for_each_state_that_messages_have(self):
        counts = {"OK": 4, "FAILED": 3, "CANCEL": 2, "POSTPONED": 5, None: 6}
        ids = [
            next_id() if state is None else make_message(state=state).pk
            for state, count in counts.items()
            for _ in range(count)
        ]
        job = Job.objects.create(kind="restart", state="done")
        store_ledger(job, dict.fromkeys(ids, "done"))
        JobChunk.objects.filter(job_id=job.pk).update(attempt=1)
        chart = status_chart_of(job)
        assert [(part.colour, part.words, part.count, part.query) for part in chart.parts] == [
            ("OK", "processed", 4, "?now=ok"),
            ("FAILED", "failed again", 3, "?now=failed"),
            ("CANCEL", "cancelled", 2, "?now=cancelled"),
            ("PROCESSING", "in progress", 5, "?now=under_way"),
            ("gone", "deleted", 6, "?now=gone"),
        ]
        assert [(share.name, share.count, share.width) for share in chart.shares] == [
            ("OK", 4, 20),
            ("FAILED", 3, 15),
            ("CANCEL", 2, 10),
            ("PROCESSING", 5, 25),
            ("gone", 6, 30),
        ]

    def test_is_empty_for_a_job_that_has_done_nothing(self):
        chart = status_chart_of(Job.objects.create(kind="restart", state="done"))
        assert (chart.parts, chart.shares, chart.status.looked_at) == ([], [], 0)
