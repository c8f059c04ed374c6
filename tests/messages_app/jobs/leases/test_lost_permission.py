"""
Jobs whose owner loses the permission while they run.

Source: docs/contributing/spec/promises.md, S-28, S-30.
"""

import datetime as dt

import pytest
from django.contrib.auth.models import User

from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor
from messages_app.jobs.engine.watch import watch_jobs
from messages_app.jobs.leases import claim_job, end_if_not_allowed
from messages_app.jobs.models import Job
from messages_app.jobs.schedules.services import save_schedule
from messages_app.jobs.schedules.tasks import run_schedule
from messages_app.jobs.selectors import JobProgress, job_progress
from messages_app.jobs.services.control import approve_job, pause_job, resume_job
from messages_app.jobs.services.create import create_job
from messages_app.jobs.services.retry_undo import retry_failed, undo_job
from messages_app.messages.models import Message
from messages_app.shared.job_states import JobState, PauseReason
from tests.messages_app.jobs.stored_jobs import NO_RESTART
from tests.support.eventually import eventually
from tests.support.exports import file_of
from tests.support.factories import make_message, make_user
from tests.support.jobs import done_by, hub_ends, make_failed, plan_only, work

FAILED = {"state": "FAILED"}
BOB = {"actor": Actor(username="bob"), "reason": "for ada"}


def job_of(user: User, kind: str = "restart", *, dry_run: bool = False, **options: object) -> Job:
    """Create a job with all failed messages, as this user does on a page or by a token."""
    return create_job(
        kind=kind,
        filter=FAILED,
        options=options,
        dry_run=dry_run,
        reason="the target is back",
        actor=Actor(username=user.username, user_id=user.pk),
        user=user,
    )


def done_as(user: User) -> dict[str, object]:
    """Return the actor and the reason of an action of this user."""
    return {"actor": Actor(username=user.username, user_id=user.pk), "reason": "for ada"}


def disable(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)


def is_told(progress: JobProgress, *, why: str, attempt_began_in: str) -> None:
    """
    Check the end of a job that its creator may no longer create: the error of the job, and the audit log.
    """
    assert (progress.job.state, progress.job.error) == (JobState.FAILED, why)
    assert (progress.left, progress.job.lease_until) == (0, None)
    entry = AuditEntry.objects.get(job_id=progress.job.pk, action="run_job")
    assert (entry.actor, entry.outcome, entry.reason) == ("system", "refused", why)
    assert (entry.before_state, entry.after_state) == (attempt_began_in, "failed")
    assert entry.details == {"maker": progress.job.created_by}


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("spark_remote")
class TestEndIfNotAllowed:
    def test_ends_a_job_that_no_one_has_begun(self):
        make_failed(3)
        ada = make_user("operator")
        job = job_of(ada)
        ada.groups.clear()

        progress = work(job)
        is_told(progress, why=NO_RESTART, attempt_began_in="planning")
        assert progress.planned == 0
        assert not Message.objects.exclude(**FAILED).exists()

    def test_ends_a_preview(self):
        ada = make_user("operator")
        job = job_of(ada, dry_run=True)
        disable(ada)
        is_told(work(job), why="Its creator ada is disabled.", attempt_began_in="planning")

    def test_ends_a_job_that_another_attempt_had_planned(self):
        make_failed(3)
        ada = make_user("operator")
        job = job_of(ada)
        plan_only(job)
        ada.groups.clear()

        progress = work(job)
        is_told(progress, why=NO_RESTART, attempt_began_in="queued")
        assert progress.outcomes == [("failed:right_lost", 3)]
        assert not Message.objects.exclude(**FAILED).exists()

    def test_does_not_repeat_done_messages_when_it_is_resumed(self):
        make_failed(5)
        ada = make_user("operator")
        job = job_of(ada, canary=2)
        assert work(job).job.paused_for == PauseReason.CANARY
        disable(ada)
        resume_job(job_id=job.pk, **BOB)

        progress = work(job)
        is_told(progress, why="Its creator ada is disabled.", attempt_began_in="queued")
        assert progress.outcomes == [("done", 2), ("failed:right_lost", 3)]
        assert Message.objects.filter(**FAILED).count() == 3

    def test_ends_a_job_whose_test_batch_has_succeeded(self):
        make_failed(5)
        ada = make_user("operator")
        job = job_of(ada, canary=2)
        work(job)
        hub_ends("OK", done_by(job))
        ada.groups.clear()
        watch_jobs()
        assert work(job).outcomes == [("done", 2), ("failed:right_lost", 3)]

    def test_ends_a_job_that_a_second_person_approved(self, settings):
        settings.BULK_GUARD, settings.BULK_GUARD_FROM = "second_person", 3
        make_failed(4)
        ada = make_user("operator")
        job = job_of(ada)
        assert work(job).job.paused_for == PauseReason.SECOND_PERSON
        ada.groups.clear()
        approve_job(job_id=job.pk, **BOB)

        progress = work(job)
        is_told(progress, why=NO_RESTART, attempt_began_in="queued")
        assert progress.outcomes == [("failed:right_lost", 4)]
        assert not Message.objects.exclude(**FAILED).exists()

    def test_writes_no_payload_for_users_who_lost_the_permission(self):
        make_failed(2)
        ada = make_user("support", "view_payload")
        job = job_of(ada, "export", format="csv", payload=True)
        plan_only(job)
        ada.groups.remove(ada.groups.get(name="view_payload"))

        progress = work(job)
        assert progress.job.error.endswith("the permission messages_app.view_payload.")
        assert progress.outcomes == [("failed:right_lost", 2)]
        assert not file_of(progress.job).exists()

    def test_allows_a_superuser_and_users_who_regained_the_permission(self):
        ada, root = make_user("operator"), make_user(username="root", is_superuser=True)
        for user in (ada, root):
            make_failed(2)
            job = job_of(user)
            plan_only(job)
            roles = list(user.groups.all())
            user.groups.clear()
            user.groups.set(roles)
            assert work(job).done == 2

    def test_checks_no_user_for_an_existing_job_of_a_schedule(self):
        make_failed(2)
        ada = make_user("admin")
        what = {"kind": "restart", "filter": FAILED, "options": {}, "reason": "each night", "enabled": True}
        when = {"cron": "0 3 * * *", "zone": "UTC"}
        schedule = save_schedule(actor=Actor(username="ada"), user=ada, **what, **when)
        run_schedule(schedule_id=schedule.pk)
        disable(ada)
        assert work(Job.objects.get()).done == 2

    def test_belongs_to_the_user_who_requested_an_undo(self):
        for _ in range(2):
            make_message(state="POSTPONED")
        ada, bob = make_user("operator"), make_user("operator", username="bob")
        cancel = create_job(
            kind="cancel",
            filter={"state": "POSTPONED"},
            options={},
            dry_run=False,
            reason="r",
            actor=Actor(username="ada", user_id=ada.pk),
            user=ada,
        )
        assert work(cancel).done == 2
        disable(ada)
        lost = undo_job(job_id=cancel.pk, **done_as(bob))
        bob.groups.clear()
        assert work(lost).job.error.startswith("Its creator bob no longer has the permission")
        bob.groups.set(ada.groups.all())
        assert work(undo_job(job_id=cancel.pk, **done_as(bob))).done == 2

    def test_leaves_failed_messages_to_another_person(self):
        make_failed(3)
        ada, bob = make_user("operator"), make_user("operator", username="bob")
        job = job_of(ada)
        plan_only(job)
        disable(ada)
        work(job)
        assert work(retry_failed(job_id=job.pk, user=bob, **done_as(bob))).done == 3

    def test_does_not_change_a_job_that_is_paused_meanwhile(self):
        make_failed(3)
        ada = make_user("operator")
        job = job_of(ada)
        plan_only(job)
        disable(ada)
        held = claim_job(job.pk)
        seen = Job.objects.get(pk=job.pk)
        pause_job(job_id=job.pk, **BOB)

        assert end_if_not_allowed(held, seen)
        assert Job.objects.get(pk=job.pk).state == JobState.PAUSED
        assert not AuditEntry.objects.filter(action="run_job").exists()

    @pytest.mark.slow
    def test_is_checked_by_the_worker_that_takes_over(self, start_worker):
        make_failed(60)
        ada = make_user("operator")
        start_worker()
        job = job_of(ada, rate=8)
        eventually(lambda: job_progress(job.pk).done, seconds=120)
        pause_job(job_id=job.pk, **BOB)
        eventually(lambda: Job.objects.get(pk=job.pk).lease_until is None)
        ada.groups.clear()
        resume_job(job_id=job.pk, **BOB)

        eventually(lambda: Job.objects.filter(pk=job.pk, state=JobState.FAILED).exists(), seconds=60)
        progress = job_progress(job.pk)
        is_told(progress, why=NO_RESTART, attempt_began_in="queued")
        assert dict(progress.outcomes) == {"done": progress.done, "failed:right_lost": 60 - progress.done}
        assert Message.objects.filter(**FAILED).count() == 60 - progress.done > 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("spark_remote")
class TestLookAt:
    @pytest.mark.slow
    def test_stops_a_running_job_within_a_slice(self, start_worker):
        make_failed(60)
        ada = make_user("operator")
        start_worker()
        job = job_of(ada, rate=4)
        eventually(lambda: job_progress(job.pk).done, seconds=120)
        watch_jobs()
        assert Job.objects.get(pk=job.pk).state == JobState.RUNNING
        ada.groups.clear()
        watch_jobs()

        eventually(lambda: Job.objects.filter(pk=job.pk, state=JobState.STOPPED).exists(), seconds=30)
        progress = job_progress(job.pk)
        assert progress.job.error == NO_RESTART
        assert dict(progress.outcomes) == {"done": progress.done, "skipped:stopped": 60 - progress.done}
        entry = AuditEntry.objects.get(job_id=job.pk, action="stop_job")
        assert (entry.actor, entry.reason) == ("system", NO_RESTART)

    def test_stops_one_whose_worker_died(self):
        make_failed(3)
        ada = make_user("operator")
        job = job_of(ada)
        plan_only(job)
        Job.objects.filter(pk=job.pk).update(
            state=JobState.RUNNING, lease_until=dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
        )
        disable(ada)
        watch_jobs()
        assert job_progress(job.pk).outcomes == [("skipped:stopped", 3)]
