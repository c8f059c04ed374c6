"""The measured speed of jobs, from which the duration of the next one is predicted."""

from datetime import UTC, datetime, timedelta

import pytest

from messages_app.jobs.models import Job, JobChunk
from messages_app.jobs.preview.pace import MIN_MEASURED, expected_duration, pace_of
from tests.support.ledgers import store_measured_job

pytestmark = pytest.mark.django_db


class TestPaceOf:
    def test_is_unknown_without_a_job(self):
        assert pace_of("archive", None).rate is None

    def test_is_unknown_after_few_messages_because_they_only_show_how_long_a_start_takes(self):
        store_measured_job((0, 14, 1))
        assert pace_of("restart", None).rate is None
        assert pace_of("restart", None).seconds_for(3657) is None
        store_measured_job((0, 2, MIN_MEASURED - 2))
        assert pace_of("restart", None).rate is None
        store_measured_job((0, 1, 1))
        assert pace_of("restart", None).rate == MIN_MEASURED / 17

    def test_leaves_out_the_start_and_the_plan(self):
        job = store_measured_job((0, 2, 1000))
        Job.objects.filter(pk=job.pk).update(
            started_at=datetime.now(UTC) - timedelta(hours=5), finished_at=datetime.now(UTC)
        )
        assert pace_of("restart", None).rate == 500

    def test_counts_the_time_of_chunks_at_the_same_time_once(self):
        store_measured_job((0, 4, 1000), (0, 4, 1000), (2, 6, 1000), (5, 8, 1000))
        assert pace_of("restart", None).rate == 500

    def test_leaves_out_the_time_between_chunks(self):
        store_measured_job((0, 2, 1000), (7200, 7202, 1000))
        assert pace_of("restart", None).rate == 500

    def test_is_of_the_last_five_jobs_of_the_kind(self):
        store_measured_job((0, 1000, 1000))
        for _ in range(5):
            store_measured_job((0, 1, 100))
        store_measured_job((0, 1000, 1000), kind="cancel")
        assert pace_of("restart", None).rate == 100

    @pytest.mark.parametrize(
        "columns",
        [
            {"state": "failed"},
            {"dry_run": True},
            {"rate": 5.0},
            {"options": {"canary": 5}},
        ],
    )
    def test_leaves_out_jobs_that_do_not_show_it(self, columns):
        store_measured_job((0, 1, 1000), **columns)
        assert pace_of("restart", None).rate is None

    def test_leaves_out_chunks_of_earlier_versions(self):
        job = store_measured_job((0, 1, 1000))
        JobChunk.objects.filter(job_id=job.pk).update(began_at=None)
        assert pace_of("restart", None).rate is None

    def test_is_the_requested_rate_unless_it_is_faster_than_the_measured_one(self):
        store_measured_job((0, 10, 1000))
        assert pace_of("restart", 50).seconds_for(200) == 4
        assert (pace_of("restart", 50).is_chosen, pace_of("restart", 500).is_chosen) == (True, False)
        assert pace_of("restart", 500).rate == 100


class TestExpectedDuration:
    def test_is_of_the_messages_that_are_not_skipped(self):
        store_measured_job((0, 2, 1000))
        summary = {"planned": 4000, "skipped": {"in_job": 600, "vanished": 400}}
        assert expected_duration(Job(kind="restart"), summary) == {
            "seconds": 6.0,
            "rate": 500,
            "rate_is_chosen": False,
        }
