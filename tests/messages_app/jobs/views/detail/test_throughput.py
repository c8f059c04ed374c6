from datetime import timedelta

import pytest

from messages_app.audit.services import Actor
from messages_app.core.clock import database_clock
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import progress_of
from messages_app.jobs.services.control import approve_job
from messages_app.jobs.views.detail.throughput import pace_of
from messages_app.shared.job_states import JobState, PauseReason
from tests.messages_app.jobs.stored_jobs import make_half_done_job
from tests.support.factories import NOON

pytestmark = pytest.mark.django_db


def at(seconds: float) -> object:
    return NOON + timedelta(seconds=seconds)


class TestPaceOf:
    def test_is_the_mean_at_first(self):
        pace = pace_of(progress_of(make_half_done_job(started_at=NOON)), now=at(8))
        assert (pace.rate, pace.is_now, pace.seconds_left) == (0.5, False, 8)

    def test_is_at_most_the_limit_of_the_job(self):
        job = make_half_done_job(started_at=NOON, rate=0.25)
        pace = pace_of(progress_of(job), now=at(8))
        assert (pace.rate, pace.seconds_left) == (0.25, 16)
        samples = f"{at(100).timestamp():.3f}:1"
        assert pace_of(progress_of(job), now=at(102), samples=samples).rate == 0.25

    def test_does_not_count_the_wait_for_a_second_person(self):
        before = database_clock()
        job = make_half_done_job(
            started_at=before - timedelta(hours=8),
            state=JobState.PLANNED,
            paused_for=PauseReason.SECOND_PERSON,
            paused_at=before - timedelta(hours=7),
        )
        approve_job(job_id=job.pk, actor=Actor(username="bob"), reason="r")
        after = database_clock()
        Job.objects.filter(pk=job.pk).update(finished_at=before + timedelta(seconds=8))
        rate = pace_of(progress_of(Job.objects.get(pk=job.pk)), now=after).rate
        assert 0.5 <= rate <= 4 / (8 - (after - before).total_seconds())

    def test_is_that_of_the_last_seconds_then(self):
        progress = progress_of(make_half_done_job(started_at=NOON))
        samples = f"{at(100).timestamp():.3f}:1"
        pace = pace_of(progress, now=at(102), samples=samples)
        assert (pace.rate, pace.is_now) == (1.5, True)
        assert pace.samples == f"{samples},{at(102).timestamp():.3f}:4"

    def test_ignores_old_samples(self):
        progress = progress_of(make_half_done_job(started_at=NOON))
        samples = ""
        for second in range(40):
            samples = pace_of(progress, now=at(second), samples=samples).samples
        assert len(samples.split(",")) == 10

    @pytest.mark.parametrize("samples", ["x", "1:2", "1.0:2,", "9" * 400, "1.0:2\n", "-1.0:2", "1.0:٣"])
    def test_ignores_an_invalid_sample(self, samples):
        progress = progress_of(make_half_done_job(started_at=NOON))
        assert not pace_of(progress, now=at(8), samples=samples).is_now

    def test_is_unknown_for_a_paused_job(self):
        progress = progress_of(make_half_done_job(started_at=NOON, state=JobState.PAUSED))
        assert pace_of(progress, now=at(8)).rate is None
