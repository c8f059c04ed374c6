"""Reprocess jobs of the message store from their creation to their ledger, on real Spark."""

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.jobs.engine.watch import watch_jobs
from messages_app.jobs.models import LedgerRow
from messages_app.jobs.outcomes import current_status
from messages_app.message_store.models import MessageLine, MessageProcess, TargetRecord
from messages_app.message_store.services.worker_loop import work_for as work_store
from messages_app.shared.job_states import JobState
from tests.support.factories import make_message
from tests.support.jobs import new_job, plan_only, run, work
from tests.support.stores import define, define_orders, make_older, process, set_process, status_of, store

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]


def gave_up(customer: int) -> str:
    """Store an order that has given up waiting for its customer."""
    key = store([{"id": customer, "customer": customer}], entity="order")
    make_older(key, "60 days")
    assert process(key).status == 26
    return key


class TestReprocess:
    def test_reprocesses_the_messages_of_the_filter_and_gives_the_reason_for_others(self):
        define_orders()
        define()
        waited = [gave_up(number) for number in (1, 2)]
        other = store()
        process(store([{"id": 1}, {"id": 2}]))
        refreshing = store(refresh=True, entity="order", data=[])
        set_process(refreshing, status=10)

        progress = run("reprocess", {"source_entity": "order"})

        assert (progress.job.state, progress.planned, progress.done) == (JobState.DONE, 3, 2)
        assert dict(progress.outcomes) == {"done": 2, "skipped:refresh": 1}
        assert {status_of(key) for key in waited} == {0}
        assert (status_of(refreshing), status_of(other)) == (10, 0)
        work_store(seconds=5)
        assert {status_of(key) for key in waited} == {10}
        assert TargetRecord.objects.filter(entity="order").count() == 2
        assert current_status(progress.job).ok == 2

    def test_includes_named_refreshes(self):
        key = store(refresh=True)
        set_process(key, status=10)
        progress = run("reprocess", {"status": "10"}, refresh_entities=["customer"])
        assert progress.done == 1
        assert status_of(key) == 0

    def test_skips_a_message_that_arrived_or_moved_after_it_was_accepted(self):
        moved, gone = store(), store()
        set_process(moved, status=25)
        set_process(gone, status=25)
        job = new_job("reprocess", {"status": "25,26"})
        plan_only(job)
        later = store()
        set_process(later, status=25)
        set_process(moved, status=26)
        MessageProcess.objects.filter(pk=gone).delete()
        progress = work(job)
        assert dict(progress.outcomes) == {"skipped:moved_on": 1, "skipped:vanished": 1}
        assert (status_of(moved), status_of(later)) == (26, 25)

    def test_does_not_conflict_with_a_job_over_the_messages_of_the_hub(self):
        key = store()
        set_process(key, status=25)
        number = MessageLine.objects.get().pk
        message = make_message(msg_id=number, state="FAILED")
        plan_only(new_job("restart", {"state": "FAILED"}))
        assert run("reprocess", {"status": "25"}).done == 1
        assert LedgerRow.objects.filter(msg_id=message.pk).count() == 2

    def test_skips_messages_of_another_reprocess_job(self):
        set_process(store(), status=25)
        plan_only(new_job("reprocess", {"status": "25"}))
        assert dict(run("reprocess", {"status": "25"}).outcomes) == {"skipped:in_job": 1}

    def test_waits_for_its_test_batch_which_the_monitor_processes(self):
        define()
        for number in range(6):
            set_process(store([{"id": number}]), status=26)
        progress = run("reprocess", {"status": "26"}, canary=2)
        assert (progress.job.state, progress.job.paused_for, progress.done) == ("paused", "canary", 2)
        work_store(seconds=5)
        watch_jobs()
        assert work(progress.job).done == 6

    def test_records_who_did_it(self):
        set_process(store(), status=25)
        progress = run("reprocess", {"status": "25"})
        entries = AuditEntry.objects.filter(job_id=progress.job.pk, after_state="0")
        assert [entry.actor for entry in entries] == ["command line (ana)"]


class TestDryRun:
    def test_simulates_what_each_message_would_change_and_writes_nothing(self):
        define_orders()
        define()
        keys = [gave_up(number) for number in (1, 2)]
        process(store([{"id": 1}]))
        before = TargetRecord.objects.count()

        job = work(new_job("reprocess", {"status": "26"}, dry_run=True)).job

        assert (job.state, job.report["planned"]) == (JobState.PLANNED, 2)
        assert job.report["by_entity"] == {"order": 2}
        rehearsal = job.report["rehearsal"]
        assert rehearsal["by_status"] == {"10": 1, "26": 1}
        assert rehearsal["records"]["new"] == 1
        assert [each["identifier"] for each in rehearsal["messages"]] == keys
        assert TargetRecord.objects.count() == before
        assert {status_of(key) for key in keys} == {26}
