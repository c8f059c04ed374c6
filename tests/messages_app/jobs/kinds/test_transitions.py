"""Restart and cancel jobs from their creation to their ledger, on real Spark."""

import datetime as dt
import time

import pytest
from django.utils import timezone

from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor
from messages_app.jobs import runner
from messages_app.jobs.models import Job, LedgerRow
from messages_app.jobs.queries import JobProgress, job_progress
from messages_app.jobs.services import create_job
from messages_app.jobs.states import JobState
from messages_app.messages.models import ExternalCall, Message, MessageEvent
from messages_app.messages.states import MessageState
from tests.factories import make_external_call, make_message

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]


def new_job(kind: str, filter: dict[str, object], **options: object) -> Job:
    return create_job(
        kind=kind,
        filter=filter,
        options=options,
        dry_run=bool(options.pop("dry_run", False)),
        reason="the target is back",
        actor=Actor(username="ana"),
        user=None,
    )


def run(kind: str, filter: dict[str, object], **options: object) -> JobProgress:
    job = new_job(kind, filter, **options)
    runner.run_job(job_id=job.pk)
    return job_progress(job.pk)


def states() -> dict[int, str]:
    return dict(Message.objects.values_list("pk", "state"))


class TestRestart:
    def test_restarts_what_the_filter_finds_and_nothing_else(self):
        failed = [make_message(state="FAILED", service_name="billing").pk for _ in range(3)]
        other = make_message(state="FAILED", service_name="crm").pk

        progress = run("restart", {"state": "FAILED", "service_name": "billing"})

        assert (progress.job.state, progress.planned, progress.done) == (JobState.DONE, 3, 3)
        assert states() == {other: "FAILED"} | dict.fromkeys(failed, "PARTLY_FAILED")
        ledger = LedgerRow.objects.filter(job_id=progress.job.pk)
        assert set(ledger.values_list("old_state", "new_state", "outcome")) == {
            ("FAILED", "PARTLY_FAILED", "done")
        }

    def test_says_of_each_message_that_may_not_be_restarted_why(self):
        running = make_message(state="PROCESSING", service_name="billing").pk
        cancelled = make_message(state="CANCEL", service_name="billing").pk

        progress = run("restart", {"service_name": "billing"})

        assert dict(progress.outcomes) == {"done": 1, "skipped:state_conflict": 1}
        assert states() == {running: "PROCESSING", cancelled: "PARTLY_FAILED"}

    def test_leaves_a_message_that_came_or_moved_after_it_was_accepted(self):
        message = make_message(state="FAILED")
        job = new_job("restart", {"state": "FAILED,CANCEL"})
        later = make_message(state="FAILED")
        Message.objects.filter(pk=message.pk).update(state="CANCEL")
        runner.run_job(job_id=job.pk)

        assert states()[later.pk] == "FAILED"
        assert states()[message.pk] == "PARTLY_FAILED"  # frozen as it was when the plan read it

    def test_deletes_all_external_calls_of_a_total_one_and_keeps_them_in_the_audit(self):
        message = make_message(state="FAILED")
        call = make_external_call(message)

        progress = run("restart", {"state": "FAILED"}, total=True)

        assert not ExternalCall.objects.exists()
        entry = AuditEntry.objects.get(job_id=progress.job.pk, action="restart", details__chunk_no=0)
        assert entry.details["deleted_external_calls"][0]["call_id"] == call.pk

    def test_names_its_maker_in_the_history_of_states(self):
        message = make_message(state="FAILED")

        run("restart", {"state": "FAILED"})

        event = MessageEvent.objects.filter(msg_id=message.pk).latest("event_id")
        assert (event.to_state, event.actor) == (MessageState.PARTLY_FAILED, "ana")

    def test_obeys_its_rate(self):
        for _ in range(12):
            make_message(state="FAILED")
        job = new_job("restart", {"state": "FAILED"}, rate=4)
        began = time.monotonic()
        runner.run_job(job_id=job.pk)

        assert job_progress(job.pk).done == 12
        assert time.monotonic() - began > 2.4  # the first slice goes at once

    def test_leaves_a_message_to_the_job_that_has_it(self):
        message = make_message(state="FAILED")
        first = new_job("restart", {"state": "FAILED"}, rate=0.01)
        Job.objects.filter(pk=first.pk).update(paced_until=timezone.now() + dt.timedelta(hours=1))
        lease = runner.claim(first.pk)
        with runner.spark_session(runner.spark_address()) as spark:
            runner.plan(spark, lease, Job.objects.get(pk=first.pk))

        progress = run("cancel", {"state": "FAILED,POSTPONED"})

        assert dict(progress.outcomes) == {"skipped:state_conflict": 1}
        progress = run("restart", {"state": "FAILED"})
        assert dict(progress.outcomes) == {"skipped:in_job": 1}
        assert states() == {message.pk: "FAILED"}


class TestCancel:
    def test_cancels_what_may_be_cancelled(self):
        postponed = make_message(state="POSTPONED").pk
        done = make_message(state="OK").pk

        progress = run("cancel", {"state": "POSTPONED,OK"})

        assert dict(progress.outcomes) == {"done": 1, "skipped:state_conflict": 1}
        assert states() == {postponed: "CANCEL", done: "OK"}

    def test_says_before_what_it_would_do_and_does_nothing(self):
        for _ in range(3):
            make_message(state="POSTPONED", service_name="billing")
        make_message(state="OK", service_name="billing")

        progress = run("cancel", {"service_name": "billing"}, dry_run=True)

        report = progress.job.report
        assert progress.job.state == JobState.PLANNED
        assert report["by_state"] == {"POSTPONED": 3, "OK": 1}
        assert report["skipped"] == {"state_conflict": 1}
        assert len(report["samples"]) == 3
        assert set(states().values()) == {"POSTPONED", "OK"}
