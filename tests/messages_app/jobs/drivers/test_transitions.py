"""Restart and cancel jobs from their creation to their ledger, on real Spark."""

import time

import psycopg
import pytest

from messages_app.audit.models import AuditEntry
from messages_app.jobs.connections import database_dsn
from messages_app.jobs.models import LedgerRow
from messages_app.jobs.services.retry_undo import retry_failed, undo_job
from messages_app.messages.models import ExternalCall, Message, MessageEvent, ResentMessage
from messages_app.shared.job_states import JobState
from messages_app.shared.message_states import MessageState
from tests.messages_app.incident_pages.outage import make_outage
from tests.support.factories import make_external_call, make_message
from tests.support.jobs import WHY, hub_ends, make_failed, new_job, plan_only, refusing_rows, run, work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]


def states() -> dict[int, str]:
    return dict(Message.objects.values_list("pk", "state"))


class TestRestart:
    def test_restarts_only_the_messages_of_the_filter(self):
        failed = [make_message(state="FAILED", service_name="billing").pk for _ in range(3)]
        other = make_message(state="FAILED", service_name="crm").pk

        progress = run("restart", {"state": "FAILED", "service_name": "billing"})

        assert (progress.job.state, progress.planned, progress.done) == (JobState.DONE, 3, 3)
        assert states() == {other: "FAILED"} | dict.fromkeys(failed, "PARTLY_FAILED")
        ledger = LedgerRow.objects.filter(job_id=progress.job.pk)
        assert set(ledger.values_list("old_state", "new_state", "outcome")) == {
            ("FAILED", "PARTLY_FAILED", "done")
        }

    def test_restarts_only_the_failing_messages_of_an_incident(self):
        incident = make_outage(count=4)
        of_incident = set(states())
        stranger = make_message(state="FAILED", service_name="billing").pk

        progress = run("restart", {"state": "FAILED", "incident": str(incident.pk)})

        assert (progress.job.state, progress.planned, progress.done) == (JobState.DONE, 8, 8)
        assert states() == {stranger: "FAILED"} | dict.fromkeys(of_incident, "PARTLY_FAILED")

    def test_gives_the_reason_for_each_message_that_may_not_be_restarted(self):
        running = make_message(state="PROCESSING", service_name="billing").pk
        cancelled = make_message(state="CANCEL", service_name="billing").pk

        progress = run("restart", {"service_name": "billing"})

        assert dict(progress.outcomes) == {"done": 1, "skipped:state_conflict": 1}
        assert states() == {running: "PROCESSING", cancelled: "PARTLY_FAILED"}

    def make_resent(self) -> list[int]:
        """Store a failed message, and two that were corrected and resent; return their ids."""
        ids = [make_message(state=state).pk for state in ("FAILED", "FAILED", "CANCEL")]
        for original in ids[1:]:
            ResentMessage.objects.create(original_id=original, msg_id=original + 1_000_000)
        return ids

    def test_skips_messages_that_were_corrected_and_resent(self):
        failed, kept, cancelled = self.make_resent()
        dry = run("restart", {"state": "FAILED,CANCEL"}, dry_run=True).job.report
        assert (dry["planned"], dry["skipped"]) == (3, {"already_resent": 2})

        progress = run("restart", {"state": "FAILED,CANCEL"})

        assert dict(progress.outcomes) == {"done": 1, "skipped:already_resent": 2}
        assert states() == {failed: "PARTLY_FAILED", kept: "FAILED", cancelled: "CANCEL"}

    def test_restarts_them_too_on_request(self):
        ids = self.make_resent()
        progress = run("restart", {"state": "FAILED,CANCEL"}, also_resent=True)
        assert dict(progress.outcomes) == {"done": 3}
        assert states() == dict.fromkeys(ids, "PARTLY_FAILED")

    def test_skips_a_message_that_arrived_or_moved_after_it_was_accepted(self):
        message = make_message(state="FAILED")
        job = new_job("restart", {"state": "FAILED,CANCEL"})
        later = make_message(state="FAILED")
        Message.objects.filter(pk=message.pk).update(state="CANCEL")
        work(job)

        assert states()[later.pk] == "FAILED"
        assert states()[message.pk] == "PARTLY_FAILED"  # frozen with the state at the time of the plan

    def test_deletes_all_external_calls_of_a_total_one_and_keeps_them_in_the_audit(self):
        message = make_message(state="FAILED")
        call = make_external_call(message)

        progress = run("restart", {"state": "FAILED"}, total=True)

        assert not ExternalCall.objects.exists()
        entry = AuditEntry.objects.get(job_id=progress.job.pk, action="restart", details__chunk_no=0)
        assert entry.details["deleted_external_calls"][0]["call_id"] == call.pk

    def test_records_its_maker_in_the_history_of_states(self):
        message = make_message(state="FAILED")

        run("restart", {"state": "FAILED"})

        event = MessageEvent.objects.filter(msg_id=message.pk).latest("event_id")
        assert (event.to_state, event.actor) == (MessageState.PARTLY_FAILED, "command line (ana)")

    def test_respects_its_rate(self):
        for _ in range(12):
            make_message(state="FAILED")
        job = new_job("restart", {"state": "FAILED"}, rate=4)
        began = time.monotonic()
        progress = work(job)

        assert progress.done == 12
        assert time.monotonic() - began > 2.4  # the first slice runs immediately

    def test_skips_a_message_that_another_job_has(self):
        message = make_message(state="FAILED")
        first = new_job("restart", {"state": "FAILED"})
        plan_only(first)

        progress = run("cancel", {"state": "FAILED,POSTPONED"})

        assert dict(progress.outcomes) == {"skipped:state_conflict": 1}
        progress = run("restart", {"state": "FAILED"})
        assert dict(progress.outcomes) == {"skipped:in_job": 1}
        assert states() == {message.pk: "FAILED"}


class TestCancel:
    def test_cancels_messages_that_may_be_cancelled(self):
        postponed = make_message(state="POSTPONED").pk
        done = make_message(state="OK").pk

        progress = run("cancel", {"state": "POSTPONED,OK"})

        assert dict(progress.outcomes) == {"done": 1, "skipped:state_conflict": 1}
        assert states() == {postponed: "CANCEL", done: "OK"}

    def test_previews_its_changes_and_does_nothing(self):
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


class TestUndo:
    def test_restores_the_state_of_each_message(self):
        postponed = make_message(state="POSTPONED").pk
        failing = make_message(state="PARTLY_FAILED").pk
        cancel = run("cancel", {"state": "POSTPONED,PARTLY_FAILED"})

        undo = work(undo_job(job_id=cancel.job.pk, **WHY))

        assert states() == {postponed: "POSTPONED", failing: "PARTLY_FAILED"}
        assert (undo.job.state, undo.planned, undo.done) == (JobState.DONE, 2, 2)
        ledger = LedgerRow.objects.filter(job_id=undo.job.pk).order_by("msg_id")
        assert list(ledger.values_list("old_state", "new_state", "outcome")) == [
            ("CANCEL", "POSTPONED", "done"),
            ("CANCEL", "PARTLY_FAILED", "done"),
        ]

    def test_names_messages_that_it_could_not_restore(self):
        restarted, touched, vanished, kept = (make_message(state="POSTPONED").pk for _ in range(4))
        done = make_message(state="OK").pk
        cancel = run("cancel", {"state": "POSTPONED,OK"})
        hub_ends("PARTLY_FAILED", [restarted])
        hub_ends("CANCEL", [touched])
        Message.objects.filter(pk=vanished).delete()

        undo = work(undo_job(job_id=cancel.job.pk, **WHY))

        assert undo.planned == cancel.done == 4
        assert dict(undo.outcomes) == {"done": 1, "skipped:moved_on": 2, "skipped:vanished": 1}
        assert states() == {
            restarted: "PARTLY_FAILED",
            touched: "CANCEL",
            kept: "POSTPONED",
            done: "OK",
        }
        refused = LedgerRow.objects.get(job_id=undo.job.pk, msg_id=vanished)
        assert (refused.outcome, refused.new_state) == ("skipped:vanished", None)

    @pytest.mark.slow
    def test_skips_a_row_that_the_hub_holds_and_can_be_repeated(self):
        held, free = (make_message(state="POSTPONED").pk for _ in range(2))
        cancel = run("cancel", {"state": "POSTPONED"})
        with psycopg.connect(database_dsn()) as hub:
            hub.execute("SELECT 1 FROM message WHERE msg_id = %s FOR UPDATE", (held,))
            first = work(undo_job(job_id=cancel.job.pk, **WHY))
        second = work(undo_job(job_id=cancel.job.pk, **WHY))

        assert dict(first.outcomes) == {"done": 1, "skipped:locked": 1}
        assert dict(second.outcomes) == {"done": 1, "skipped:moved_on": 1}
        assert states() == {held: "POSTPONED", free: "POSTPONED"}


class TestRetry:
    def test_repeats_only_failed_messages_in_their_current_state(self):
        ids = make_failed(4)
        with refusing_rows("message", "msg_id IN (%s, %s)", ids[:2]):
            first = run("restart", {"state": "FAILED"})
        hub_ends("CANCEL", ids[:1])

        again = work(retry_failed(job_id=first.job.pk, **WHY))

        assert dict(first.outcomes) == {"done": 2, "failed:no_change": 2}
        assert (again.planned, again.done, again.job.retry_of) == (2, 2, first.job.pk)
        ledger = LedgerRow.objects.filter(job_id=again.job.pk).order_by("msg_id")
        assert list(ledger.values_list("msg_id", "old_state")) == [(ids[0], "CANCEL"), (ids[1], "FAILED")]

    def test_names_messages_that_no_longer_exist(self):
        ids = make_failed(2)
        with refusing_rows("message", "msg_id = %s", ids[:1]):
            first = run("restart", {"state": "FAILED"})
        Message.objects.filter(pk=ids[0]).delete()

        again = work(retry_failed(job_id=first.job.pk, **WHY))

        assert dict(again.outcomes) == {"skipped:vanished": 1}
