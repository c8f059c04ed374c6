import pytest

from messages_app.jobs.labels import percent_of, shares_of
from messages_app.jobs.selectors import progress_of
from messages_app.shared.job_states import JobState
from tests.messages_app.jobs.stored_jobs import make_half_done_job, make_job

pytestmark = pytest.mark.django_db


class TestSharesOf:
    def test_are_consecutive(self):
        found = shares_of(progress_of(make_half_done_job()))
        assert [(share.name, share.count, share.start, share.width) for share in found] == [
            ("done", 2, 0, 25),
            ("skipped", 1, 25, 12.5),
            ("failed", 1, 37.5, 12.5),
        ]

    def test_are_empty_for_a_preview(self):
        job = make_job(dry_run=True, state=JobState.PLANNED, report={"planned": 9})
        assert shares_of(progress_of(job)) == []


class TestPercentOf:
    def test_counts_decided_messages(self):
        assert percent_of(progress_of(make_half_done_job())) == 50

    def test_is_nothing_before_the_plan(self):
        assert percent_of(progress_of(make_job())) is None
