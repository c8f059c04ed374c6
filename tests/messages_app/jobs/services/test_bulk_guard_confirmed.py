"""
A job whose frozen set is more than a tenth larger than the confirmed number waits for a new confirmation.
"""

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor
from messages_app.jobs.engine import watch
from messages_app.jobs.engine.watch import watch_jobs
from messages_app.jobs.errors import InvalidJob
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import job_progress
from messages_app.jobs.services.control import approve_job, resume_job, stop_job
from messages_app.jobs.services.create import create_job
from messages_app.jobs.validation import is_confirmed
from messages_app.messages.models import ArchiveMessage, Message
from messages_app.shared.job_states import JobState, PauseReason
from tests.support.factories import make_message
from tests.support.jobs import ANA, WHY, done_by, make_failed, work
from tests.support.workers import make_old_messages

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]

FILTER = {"state": "FAILED"}


def made(confirmed: object, kind: str = "restart", filter: dict[str, object] = FILTER, **options) -> Job:
    return create_job(
        kind=kind, filter=filter, options=options, dry_run=False, user=None, confirmed=confirmed, **WHY
    )


def reloaded(job: Job) -> Job:
    return Job.objects.get(pk=job.pk)


def waiting(confirmed: int = 10, frozen: int = 12) -> Job:
    """Run a restart until it waits for a confirmation."""
    make_failed(frozen)
    job = work(made(confirmed)).job
    assert (job.state, job.paused_for) == (JobState.PAUSED, PauseReason.CONFIRMATION)
    return job


@pytest.mark.parametrize(
    ("confirmed", "to_do", "is_enough"),
    [(10, 11, True), (10, 12, False), (1000, 1100, True), (1000, 1101, False), (0, 0, True), (0, 1, False)],
)
def test_a_number_covers_a_tenth_more(confirmed, to_do, is_enough):
    assert is_confirmed(confirmed, to_do) == is_enough


class TestRestIfLarger:
    def test_waits_with_its_set_frozen_and_nothing_changed(self):
        job = waiting()

        progress = job_progress(job.pk)
        assert (progress.planned, progress.left, job.lease_until, job.finished_at) == (12, 12, None, None)
        assert job.report["confirmed"] == 10
        assert job.report["to_do"] == 12
        assert set(Message.objects.values_list("state", flat=True)) == {"FAILED"}
        entry = AuditEntry.objects.get(job_id=job.pk, action="ask_confirmation")
        assert (entry.actor, entry.after_state, entry.details["paused_for"]) == (
            "system",
            "paused",
            "confirmation",
        )
        assert AuditEntry.objects.get(job_id=job.pk, action="restart").details["confirmed"] == 10

    def test_counts_only_what_the_job_would_change(self):
        make_failed(10)
        for _ in range(5):
            make_message(state="OK")
        job = work(made(10, filter={"service_name": "billing"})).job
        assert (job.state, job_progress(job.pk).planned, job.report["to_do"]) == (JobState.DONE, 15, 10)

    def test_does_not_wait_if_the_set_is_at_most_a_tenth_larger(self):
        make_failed(11)
        assert work(made(10)).job.state == JobState.DONE

    def test_does_not_wait_if_no_number_was_confirmed(self):
        make_failed(3)
        assert work(made(None)).job.state == JobState.DONE

    def test_keeps_an_archive_job_from_moving_more_than_was_confirmed(self):
        make_old_messages(30)
        job = work(made(20, "archive", {}, older_than_months=1)).job
        assert (job.state, job.paused_for, job.report["to_do"]) == ("paused", "confirmation", 30)
        assert not ArchiveMessage.objects.exists()

        resume_job(job_id=job.pk, confirmed=30, **WHY)
        assert work(job).job.state == JobState.DONE
        assert ArchiveMessage.objects.count() == 30

    def test_is_left_unchanged_by_the_sweeper_and_the_watcher(self):
        job = waiting()
        watch.sweep_jobs()
        watch_jobs()
        assert work(job).job.paused_for == PauseReason.CONFIRMATION

    def test_leaves_the_question_to_a_second_person_if_one_must_approve(self, settings):
        settings.BULK_GUARD, settings.BULK_GUARD_FROM = "second_person", 3
        make_failed(5)
        job = work(made(2)).job
        assert (job.state, job.paused_for) == (JobState.PLANNED, PauseReason.SECOND_PERSON)
        approve_job(job_id=job.pk, actor=Actor(username="bob"), reason="the filter is right")
        assert work(job).job.state == JobState.DONE


class TestResume:
    def test_continues_with_the_frozen_set_once_its_number_is_confirmed(self):
        job = waiting()
        later = make_failed(2)
        resumed = resume_job(job_id=job.pk, confirmed=12, **WHY)
        assert (resumed.state, resumed.report["confirmed"]) == (JobState.QUEUED, 12)
        entry = AuditEntry.objects.get(job_id=job.pk, action="resume_job")
        assert (entry.actor, entry.details) == (ANA.username, {"confirmed": 12})

        assert work(job).job.state == JobState.DONE
        assert len(done_by(job)) == 12
        assert not set(done_by(job)) & set(later)

    @pytest.mark.parametrize("confirmed", [None, 0, 10])
    def test_is_refused_without_a_number_that_covers_the_set(self, confirmed):
        job = waiting()
        with pytest.raises(InvalidJob) as refused:
            resume_job(job_id=job.pk, confirmed=confirmed, **WHY)
        (error,) = refused.value.errors
        assert (error.field, error.code) == ("confirmed", "required")
        assert "has 12 messages, but 10 were confirmed" in error.message
        assert reloaded(job).paused_for == PauseReason.CONFIRMATION
        assert not AuditEntry.objects.filter(job_id=job.pk, action="resume_job").exists()

    @pytest.mark.parametrize("confirmed", [-1, 2**63, True, "12", 1.5])
    def test_refuses_an_invalid_number_of_messages(self, confirmed):
        with pytest.raises(InvalidJob) as refused:
            resume_job(job_id=1, confirmed=confirmed, **WHY)
        assert [error.field for error in refused.value.errors] == ["confirmed"]
        with pytest.raises(InvalidJob):
            made(confirmed)

    def test_may_be_stopped_instead(self):
        job = waiting()
        stop_job(job_id=job.pk, **WHY)
        assert work(job).job.state == JobState.STOPPED
        assert set(Message.objects.values_list("state", flat=True)) == {"FAILED"}
