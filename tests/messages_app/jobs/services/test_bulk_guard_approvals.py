"""Jobs of very many messages wait in `planned` until another person has approved them."""

import datetime as dt

import pytest
from django.db.models.functions import Now

from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor
from messages_app.jobs.engine import watch
from messages_app.jobs.engine.watch import watch_jobs
from messages_app.jobs.errors import JobConflict
from messages_app.jobs.models import Job
from messages_app.jobs.schedules.services import save_schedule
from messages_app.jobs.schedules.tasks import run_schedule
from messages_app.jobs.selectors import job_progress
from messages_app.jobs.services.control import approve_job, refuse_job, resume_job, stop_job
from messages_app.jobs.services.create import create_job
from messages_app.jobs.services.retry_undo import undo_job
from messages_app.messages.models import Message
from messages_app.shared.job_states import FINAL_STATES, JobState, PauseReason
from tests.messages_app.jobs.stored_jobs import make_restart
from tests.support.factories import make_message, make_user
from tests.support.jobs import ANA, WHY, done_by, hub_ends, make_failed, new_job, run, work
from tests.support.ledgers import store_ledger
from tests.support.parameters import quick_first
from tests.support.threads import in_threads

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]

BOB = Actor(username="bob")
LOOKED = {"actor": BOB, "reason": "the filter is right"}
FILTER = {"state": "FAILED"}


@pytest.fixture(autouse=True)
def guard(settings):
    settings.BULK_GUARD = "second_person"
    settings.BULK_GUARD_FROM = 3


def stored_waiting() -> Job:
    """Store a restart of four failed messages that waits for a second person."""
    job = make_restart(
        state=JobState.PLANNED,
        paused_for=PauseReason.SECOND_PERSON,
        paused_at=Now(),
        attempt=1,
        chunk_count=1,
        created_by=ANA.username,
    )
    store_ledger(job, dict.fromkeys(make_failed(4)))
    return job


def waiting(**options: object) -> Job:
    """Run a restart of four messages until it waits for a second person."""
    make_failed(4)
    job = run("restart", FILTER, **options).job
    assert (job.state, job.paused_for) == (JobState.PLANNED, PauseReason.SECOND_PERSON)
    return job


def reloaded(job: Job) -> Job:
    return Job.objects.get(pk=job.pk)


class TestRestIfNeeded:
    def test_waits_with_its_set_frozen_and_holds_no_worker(self):
        job = waiting()

        progress = job_progress(job.pk)
        assert (progress.planned, progress.left, job.lease_until, job.finished_at) == (4, 4, None, None)
        assert set(Message.objects.values_list("state", flat=True)) == {"FAILED"}
        entry = AuditEntry.objects.get(job_id=job.pk, action="ask_second_person")
        assert (entry.actor, entry.after_state) == ("system", "planned")

    def test_lets_fewer_messages_through(self):
        make_failed(2)
        assert run("restart", FILTER).job.state == JobState.DONE

    def test_counts_only_what_would_be_changed(self):
        make_failed(2)
        for _ in range(2):
            make_message(state="OK")
        assert run("restart", {"state": "FAILED,OK"}).done == 2

    @pytest.mark.parametrize("guard", ["none", "password"])
    def test_is_skipped_if_another_rule_applies(self, settings, guard):
        settings.BULK_GUARD = guard
        make_failed(4)
        assert run("restart", FILTER).job.state == JobState.DONE

    def test_uses_the_rule_that_applied_when_the_job_was_accepted(self, settings):
        make_failed(4)
        job = new_job("restart", FILTER)
        settings.BULK_GUARD = "none"
        assert work(job).job.state == JobState.PLANNED

    def test_leaves_previews_and_exports_unchanged(self):
        make_failed(4)
        assert run("restart", FILTER, dry_run=True).job.paused_for == ""
        assert run("export", FILTER).job.state == JobState.DONE

    def test_applies_the_same_rule_to_jobs_that_follow_from_a_job(self, settings):
        settings.BULK_GUARD = "none"
        for _ in range(3):
            make_message(state="POSTPONED")
        cancel = run("cancel", {"state": "POSTPONED"}).job
        settings.BULK_GUARD = "second_person"
        undo = undo_job(job_id=cancel.pk, **WHY)
        assert work(undo).job.state == JobState.PLANNED

    def test_is_left_unchanged_by_sweeper_worker_and_watcher(self):
        job = waiting()
        watch.sweep_jobs()
        watch_jobs()

        assert work(job).job.state == JobState.PLANNED

    def test_keeps_its_messages_from_other_jobs(self):
        waiting()
        assert dict(run("restart", FILTER).outcomes) == {"skipped:in_job": 4}


class TestApproveJob:
    def test_lets_it_continue_with_the_frozen_set(self):
        job = waiting()
        later = make_message(state="FAILED").pk
        approved = approve_job(job_id=job.pk, **LOOKED)

        assert (approved.state, approved.paused_for) == (JobState.QUEUED, "")
        progress = work(job)
        assert (progress.job.state, progress.planned, progress.done) == (JobState.DONE, 4, 4)
        assert later not in done_by(job)
        assert progress.job.report["approved_by"] == "bob"
        entry = AuditEntry.objects.get(job_id=job.pk, action="approve_job")
        assert (entry.actor, entry.reason, entry.after_state) == ("bob", "the filter is right", "queued")

    def test_is_refused_for_the_user_who_made_it(self):
        job = stored_waiting()
        with pytest.raises(JobConflict, match="is your own"):
            approve_job(job_id=job.pk, **WHY)
        assert reloaded(job).state == JobState.PLANNED
        assert not AuditEntry.objects.filter(action="approve_job").exists()

    def test_cannot_be_bypassed_by_resuming(self):
        job = stored_waiting()
        with pytest.raises(JobConflict, match="it is not paused"):
            resume_job(job_id=job.pk, **LOOKED)

    @pytest.mark.parametrize("state", [*FINAL_STATES, JobState.PLANNING, JobState.RUNNING, JobState.PAUSED])
    def test_is_only_for_jobs_that_wait(self, state):
        job = Job.objects.create(kind="restart", state=state, created_by="ana", reason="r")
        with pytest.raises(JobConflict, match=f"is {state}; it is not waiting for approval"):
            approve_job(job_id=job.pk, **LOOKED)

    def test_is_not_for_previews(self):
        make_failed(4)
        job = run("restart", FILTER, dry_run=True).job
        with pytest.raises(JobConflict, match="is not waiting for approval"):
            approve_job(job_id=job.pk, **LOOKED)

    def test_runs_the_test_batch_after_it(self):
        job = waiting(canary=1)
        approve_job(job_id=job.pk, **LOOKED)
        assert work(job).job.paused_for == PauseReason.CANARY
        hub_ends("OK", done_by(job))
        watch_jobs()
        assert work(job).done == 4

    def test_happens_once_if_two_users_do_it_at_the_same_time(self):
        job = stored_waiting()
        others = [Actor(username=name) for name in ("bob", "eve")]
        answers = in_threads(
            *(lambda who=who: approve_job(job_id=job.pk, actor=who, reason="r") for who in others)
        )

        assert sorted(type(each).__name__ for each in answers) == ["Job", "JobConflict"]
        entry = AuditEntry.objects.get(action="approve_job")
        assert reloaded(job).report["approved_by"] == entry.actor

    @pytest.mark.parametrize("turn", quick_first(range(5), quick=2))
    def test_never_wins_against_a_stop_that_came_first(self, turn):
        job = stored_waiting()
        approved, stopped = in_threads(
            lambda: approve_job(job_id=job.pk, **LOOKED), lambda: stop_job(job_id=job.pk, **WHY)
        )

        assert stopped.state == JobState.STOPPING
        states = AuditEntry.objects.filter(action__in=["approve_job", "stop_job"]).order_by("entry_id")
        names = list(states.values_list("action", flat=True))
        assert names == (["stop_job"] if isinstance(approved, JobConflict) else ["approve_job", "stop_job"])
        assert work(job).job.state == JobState.STOPPED
        assert set(Message.objects.values_list("state", flat=True)) == {"FAILED"}

    def test_or_a_refusal_wins_if_both_happen_at_the_same_time(self):
        job = stored_waiting()
        answers = in_threads(
            lambda: approve_job(job_id=job.pk, **LOOKED),
            lambda: refuse_job(job_id=job.pk, actor=Actor(username="eve"), reason="r"),
        )
        assert sorted(type(each).__name__ for each in answers) == ["Job", "JobConflict"]
        assert AuditEntry.objects.filter(action__in=["approve_job", "refuse_job"]).count() == 1


class TestRefuseJob:
    def test_ends_it_with_nothing_done_and_names_the_user(self):
        job = stored_waiting()
        assert refuse_job(job_id=job.pk, **LOOKED).state == JobState.STOPPING
        watch_jobs()

        progress = job_progress(job.pk)
        assert (progress.job.state, progress.job.error) == (
            JobState.STOPPED,
            "Refused by bob: the filter is right",
        )
        assert dict(progress.outcomes) == {"skipped:stopped": 4}
        assert AuditEntry.objects.get(action="refuse_job").actor == "bob"

    def test_is_refused_for_the_user_who_made_it_and_can_stop_it(self):
        job = stored_waiting()
        with pytest.raises(JobConflict, match="is your own"):
            refuse_job(job_id=job.pk, **WHY)
        stop_job(job_id=job.pk, **WHY)
        watch_jobs()
        assert reloaded(job).state == JobState.STOPPED

    def test_frees_its_messages(self):
        job = waiting()
        refuse_job(job_id=job.pk, **LOOKED)
        watch_jobs()
        assert run("restart", FILTER).left == 4


class TestGiveUp:
    def test_stops_jobs_without_a_decision_in_time(self, settings):
        settings.BULK_GUARD_HOURS = 2
        job = stored_waiting()
        Job.objects.filter(pk=job.pk).update(paused_at=dt.datetime(2000, 1, 1, tzinfo=dt.UTC))
        other = stored_waiting()
        watch_jobs()

        assert reloaded(job).state == JobState.STOPPED
        assert reloaded(job).error == "It was not approved within 2 hours."
        assert reloaded(other).state == JobState.PLANNED
        assert AuditEntry.objects.filter(job_id=job.pk, action="stop_job", actor="system").exists()


class TestRunSchedule:
    def test_makes_a_job_that_does_not_wait(self):
        make_failed(4)
        owner = make_user("admin", username="eve")
        schedule = save_schedule(
            kind="restart",
            filter=FILTER,
            options={},
            reason="each night",
            cron="0 3 * * *",
            zone="UTC",
            enabled=True,
            actor=Actor(username="eve"),
            user=owner,
        )
        run_schedule(schedule_id=schedule.pk)
        assert work(Job.objects.get()).job.state == JobState.DONE


class TestCreateJob:
    def test_waits_if_it_is_from_the_command_line(self):
        make_failed(3)
        job = create_job(
            kind="restart",
            filter=FILTER,
            options={},
            dry_run=False,
            reason="r",
            actor=Actor(username="command line (root)"),
            user=None,
        )
        assert work(job).job.state == JobState.PLANNED
        assert approve_job(job_id=job.pk, actor=ANA, reason="r").state == JobState.QUEUED
