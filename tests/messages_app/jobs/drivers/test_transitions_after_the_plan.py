"""Changes by the hub between the plan of a bulk job and its first chunk are kept and reported."""

import datetime as dt
import time

import psycopg
import pytest
from django.utils import timezone

from messages_app.jobs.connections import database_dsn
from messages_app.jobs.models import Job, LedgerRow
from messages_app.jobs.services.retry_undo import undo_job
from messages_app.messages.models import ExternalCall, Message
from tests.support.factories import make_external_call, make_message
from tests.support.jobs import WHY, hub_ends, make_failed, new_job, plan_only, work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]


def states() -> dict[int, str]:
    return dict(Message.objects.values_list("pk", "state"))


def outcomes(job: Job) -> dict[int, str]:
    return dict(LedgerRow.objects.filter(job_id=job.pk).values_list("msg_id", "outcome"))


@pytest.mark.parametrize(
    ("kind", "before", "after"), [("restart", "FAILED", "PARTLY_FAILED"), ("cancel", "POSTPONED", "CANCEL")]
)
class TestStates:
    def test_leaves_messages_that_the_hub_took_up_after_the_plan(self, kind, before, after):
        still, running, done = (make_message(state=before).pk for _ in range(3))
        job = new_job(kind, {"state": before})
        plan_only(job)
        hub_ends("PROCESSING", [running])
        hub_ends("OK", [done])

        work(job)

        assert outcomes(job) == {still: "done", running: "skipped:moved_on", done: "skipped:moved_on"}
        assert states() == {still: after, running: "PROCESSING", done: "OK"}

    def test_skips_a_message_that_moved_to_another_allowed_state(self, kind, before, after):
        other = {"restart": "CANCEL", "cancel": "PARTLY_FAILED"}[kind]
        message = make_message(state=before).pk
        job = new_job(kind, {"state": before})
        plan_only(job)
        hub_ends(other, [message])

        work(job)

        assert outcomes(job) == {message: "skipped:moved_on"}
        assert states() == {message: other}

    def test_reports_a_message_that_the_hub_holds_as_locked_and_one_that_moved_as_moved(
        self, kind, before, after
    ):
        still, held, moved = (make_message(state=before).pk for _ in range(3))
        job = new_job(kind, {"state": before})
        plan_only(job)
        hub_ends("PROCESSING", [moved])
        with psycopg.connect(database_dsn()) as hub:
            hub.execute("SELECT 1 FROM message WHERE msg_id = %s FOR UPDATE", (held,))
            work(job)

        assert outcomes(job) == {still: "done", held: "skipped:locked", moved: "skipped:moved_on"}
        assert states() == {still: after, held: before, moved: "PROCESSING"}


class TestExternalCalls:
    def test_keeps_the_calls_of_messages_that_were_not_restarted(self):
        restarted, taken = (make_message(state="FAILED") for _ in range(2))
        for message in (restarted, taken):
            make_external_call(message)
        job = new_job("restart", {"state": "FAILED"}, total=True)
        plan_only(job)
        hub_ends("PROCESSING", [taken.pk])

        work(job)

        assert set(ExternalCall.objects.values_list("msg_id", flat=True)) == {taken.pk}

    def test_keeps_the_confirmations_of_messages_that_were_not_restarted(self):
        restarted, taken = (make_message(state="FAILED") for _ in range(2))
        for message in (restarted, taken):
            make_external_call(message, operation_name="confirmation")
        job = new_job("restart", {"state": "FAILED"})
        plan_only(job)
        hub_ends("PROCESSING", [taken.pk])

        work(job)

        assert set(ExternalCall.objects.values_list("msg_id", flat=True)) == {taken.pk}


class TestSlices:
    @pytest.mark.slow
    def test_an_undo_puts_back_what_each_slice_of_a_chunk_changed(self):
        messages = [make_message(state="POSTPONED").pk for _ in range(12)]
        cancel = new_job("cancel", {"state": "POSTPONED"}, rate=4)
        work(cancel)
        assert set(states().values()) == {"CANCEL"}

        undo = work(undo_job(job_id=cancel.pk, **WHY))

        assert undo.done == 12
        assert states() == dict.fromkeys(messages, "POSTPONED")


class TestPace:
    def test_does_not_catch_up_after_a_pause(self):
        make_failed(12)
        job = new_job("restart", {"state": "FAILED"}, rate=4)
        plan_only(job)
        Job.objects.filter(pk=job.pk).update(paced_until=timezone.now() - dt.timedelta(hours=1))
        began = time.monotonic()

        assert work(job).done == 12

        assert (
            time.monotonic() - began > 1.9
        )  # three slices of four: the first immediately, one a second after it
