from datetime import timedelta

import pytest

from messages_app.core.clock import database_clock
from messages_app.jobs.models import JobChunk
from messages_app.jobs.selectors import progress_of
from messages_app.jobs.services.control import approve_job, resume_job
from messages_app.jobs.views.detail.status_message import Situation, situation_of
from messages_app.shared.job_states import LIVE_STATES, JobState, PauseReason
from tests.messages_app.jobs.stored_jobs import make_half_done_job, make_job, make_restart
from tests.support.jobs import WHY
from tests.support.ledgers import store_ledger

pytestmark = pytest.mark.django_db


def situation(job) -> Situation:
    return situation_of(progress_of(job), now=database_clock())


class TestSituationOf:
    @pytest.mark.parametrize("state", JobState)
    def test_has_a_sentence_for_every_state(self, state):
        job = make_job(state=state, attempt=1, lease_until=database_clock() + timedelta(minutes=1))
        assert situation(job).sentence.endswith(".")
        assert not situation(job).is_stalled

    @pytest.mark.parametrize("reason", PauseReason)
    def test_explains_what_a_paused_job_waits_for_and_what_comes_next(self, reason):
        found = situation(make_restart(state=JobState.PAUSED, paused_for=reason, attempt=1))
        assert found.sentence != "Paused."
        assert found.next_step

    @pytest.mark.parametrize(
        ("kind", "sentence"),
        [
            ("archive", "The storage of the archive cannot be used at the moment."),
            ("export", "The storage of exports cannot be used at the moment."),
        ],
    )
    def test_names_the_storage_that_a_job_waits_for(self, kind, sentence):
        job = make_job(kind=kind, state=JobState.PAUSED, paused_for=PauseReason.STORAGE_AWAY, attempt=1)
        assert situation(job).sentence == sentence

    @pytest.mark.parametrize(
        ("state", "outcomes", "sentence", "next_step"),
        [
            (
                "stopped",
                {"done": 2, "skipped:stopped": 3},
                "Stopped early: 2 restarted, 3 skipped.",
                "Messages already processed are not undone.",
            ),
            (
                "failed",
                {"failed:not_reached": 5},
                "It could not be finished: 0 restarted, 5 failed. Nothing was changed.",
                "",
            ),
            ("stopped", {}, "Stopped early before messages were selected. Nothing was changed.", ""),
        ],
    )
    def test_has_the_numbers_of_a_job_that_ended_early(self, state, outcomes, sentence, next_step):
        job = make_restart(state=state, attempt=1)
        if outcomes:
            JobChunk.objects.create(
                job_id=job.pk, chunk_no=0, content="messages", planned=5, outcomes=outcomes
            )
        found = situation(job)
        assert (found.sentence, found.next_step) == (sentence, next_step)

    def test_invents_no_reason(self):
        assert situation(make_restart(state=JobState.PAUSED, paused_for="moon")).sentence == "Paused."

    @pytest.mark.parametrize("state", sorted(LIVE_STATES))
    def test_reports_that_no_worker_has_it(self, state):
        past = database_clock() - timedelta(minutes=5)
        found = situation(make_job(state=state, attempt=1, lease_until=past, heartbeat_at=past))
        assert found.is_stalled
        assert "no heartbeat for 5 min" in found.sentence

    def test_waits_for_a_worker_at_first(self):
        assert not situation(make_job(state=JobState.PLANNING)).is_stalled

    @pytest.mark.parametrize("attempt", [0, 2])
    def test_reports_that_no_worker_takes_it(self, attempt):
        past = database_clock() - timedelta(minutes=3)
        found = situation(make_job(state=JobState.PLANNING, attempt=attempt, created_at=past))
        assert found.is_stalled
        assert "No worker has picked it up for 3 min" in found.sentence
        assert "spark queue" in found.next_step

    def test_lets_a_resumed_job_wait_as_a_new_one_however_long_it_rested(self):
        past = database_clock() - timedelta(hours=5)
        rested = {"attempt": 1, "chunk_count": 1, "created_at": past, "heartbeat_at": past}
        job = make_restart(state=JobState.PAUSED, paused_for=PauseReason.OPERATOR, **rested)
        found = situation(resume_job(job_id=job.pk, **WHY))
        assert "Waiting for a worker" in found.sentence
        assert not found.is_stalled

    def test_lets_an_approved_job_wait_as_a_new_one(self):
        past = database_clock() - timedelta(hours=5)
        waiting = {"state": JobState.PLANNED, "paused_for": PauseReason.SECOND_PERSON}
        job = make_restart(**waiting, attempt=1, chunk_count=1, heartbeat_at=past)
        found = situation(approve_job(job_id=job.pk, **WHY))
        assert "Waiting for a worker" in found.sentence
        assert not found.is_stalled

    def test_does_not_let_a_job_without_a_worker_wait_for_one_when_it_is_stopped(self):
        past = database_clock() - timedelta(hours=5)
        found = situation(make_restart(state=JobState.STOPPING, attempt=1, heartbeat_at=past))
        assert "Stopping" in found.sentence
        assert not found.is_stalled

    def test_shows_how_many_jobs_are_ahead_of_it_and_which_are_running(self):
        lease = database_clock() + timedelta(seconds=9)
        running = [make_restart(state=JobState.RUNNING, attempt=1, lease_until=lease).pk for _ in range(2)]
        make_job(state=JobState.PAUSED, paused_for=PauseReason.OPERATOR)
        first = situation(make_restart(state=JobState.PLANNING))
        second = situation(make_restart(state=JobState.PLANNING))
        assert first.sentence == "Waiting for a worker: 2 jobs running."
        assert second.sentence == "Waiting for a worker: 2 jobs running, 1 job ahead of it in the queue."
        assert list(first.running) == list(second.running) == running

    def test_shows_how_long_a_job_has_waited(self):
        job = make_job(state=JobState.PLANNING, created_at=database_clock() - timedelta(seconds=12))
        found = situation(job)
        assert found.sentence == "Waiting for a worker."
        assert found.so_far == "12 s so far"
        assert found.next_step == ""

    @pytest.mark.parametrize(
        ("columns", "sentence", "next_step"),
        [
            (
                {"step": "starting_spark"},
                "Waiting for Spark to start.",
                "This can take more than a minute on a busy machine.",
            ),
            ({"step": "warming_up"}, "Selecting messages.", "Spark is still warming up after its start."),
            ({}, "Selecting messages.", ""),
            ({"dry_run": True}, "Counting messages. Nothing is changed.", ""),
        ],
    )
    def test_shows_the_step_of_a_plan_and_its_duration(self, columns, sentence, next_step):
        clock = database_clock()
        times = {"created_at": clock - timedelta(seconds=81), "lease_until": clock + timedelta(minutes=1)}
        found = situation(make_restart(state=JobState.PLANNING, attempt=1, **times, **columns))
        assert (found.sentence, found.next_step) == (sentence, next_step)
        assert found.so_far == "81 s so far"

    def test_reports_that_the_set_is_being_written_once_a_part_of_it_is(self):
        job = make_half_done_job(state=JobState.PLANNING, lease_until=database_clock() + timedelta(minutes=1))
        assert situation(job).sentence == "Preparing: recording each message and its state."

    def test_shows_no_duration_of_a_job_with_a_progress_bar(self):
        job = make_half_done_job(lease_until=database_clock() + timedelta(minutes=1))
        assert situation(job).so_far == ""

    def test_does_not_count_messages_that_wait_for_the_monitor_as_reprocessed(self):
        job = make_job(kind="reprocess", state=JobState.DONE)
        store_ledger(job, {1: "done", 2: "done"})
        assert situation(job).sentence == "All messages were queued for reprocessing."

    def test_distinguishes_a_complete_end_from_another(self):
        some = situation(make_half_done_job(state=JobState.DONE)).sentence
        assert some == "Done: 2 archived, 1 skipped, 1 failed."
        assert "No message" in situation(make_job(state=JobState.DONE)).sentence
