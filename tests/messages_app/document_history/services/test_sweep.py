import threading
from datetime import timedelta

import psycopg
import pytest
from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone

from messages_app.audit.models import AuditEntry
from messages_app.document_history.models import DocumentOutcome, DocumentSweep
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.sweep import sweep_entries
from messages_app.document_history.services.triggers import change_trigger, delete_trigger
from messages_app.document_history.states import Verdict
from tests.support.eventually import eventually
from tests.support.histories import ADA, entries_of, make_trigger, store_both, store_entry
from tests.support.workers import database_of_tests

pytestmark = pytest.mark.django_db


class TestSweep:
    def test_removes_both_entries_together_by_each_triggers_time_to_live(self):
        make_trigger()
        make_trigger("t-2", history_ttl_seconds=3600)
        for trigger_id in ("t-1", "t-2"):
            store_both(trigger_id=trigger_id, age="2 hours")
        store_both(uuid="u-2", age="2 days")
        run = sweep_entries()
        assert (run.removed, run.removed_by_trigger) == (4, {"t-1": 2, "t-2": 2})
        assert run.finished_at is not None
        assert entries_of("u-2") == entries_of(trigger_id="t-2") == {}
        assert set(entries_of()) == {"processing", "completed"}

    def test_uses_the_current_time_to_live(self):
        make_trigger()
        store_both(age="2 hours")
        change_trigger(trigger_id="t-1", actor=ADA, history_ttl_seconds=7200)
        assert sweep_entries().removed == 2

    def test_never_splits_a_pair_at_the_end_of_a_batch(self):
        make_trigger()
        for number in range(5):
            store_both(uuid=f"u-{number}", age="3 days")
        assert sweep_entries(batch=3).removed == 10

    def test_continues_for_deleted_triggers_but_leaves_unknown_ones_unchanged(self):
        make_trigger()
        store_both(age="3 days")
        store_both(trigger_id="t-9", age="3 days")
        delete_trigger(trigger_id="t-1", actor=ADA, reason="gone")
        assert sweep_entries().removed == 2
        assert entries_of(trigger_id="t-9")

    def test_stops_when_its_time_is_up(self):
        make_trigger()
        store_both(age="3 days")
        assert sweep_entries(seconds=0).removed == 0

    def test_forgets_outcomes_of_long_ago(self):
        for days in (1, 31):
            outcome = DocumentOutcome.objects.create(
                trigger_id="t-1", status="DUPLICATE", decided_by="history", rule="both_entries"
            )
            with connection.cursor() as cursor:
                cursor.execute(
                    "UPDATE document_outcome SET at = now() - make_interval(days => %s)"
                    " WHERE outcome_id = %s",
                    [days, outcome.pk],
                )
        sweep_entries()
        assert DocumentOutcome.objects.count() == 1

    def test_forgets_runs_of_long_ago(self):
        for days in (31, 29):
            DocumentSweep.objects.create(actor="system")
            DocumentSweep.objects.filter(finished_at=None).update(
                started_at=Now() - timedelta(days=days), finished_at=Now()
            )
        sweep_entries()
        oldest = DocumentSweep.objects.order_by("started_at").first()
        assert DocumentSweep.objects.count() == 2
        assert oldest.started_at > timezone.now() - timedelta(days=30)

    def test_is_in_the_audit_when_a_person_ran_it(self):
        sweep_entries()
        run = sweep_entries(actor=ADA, reason="disk")
        entry = AuditEntry.objects.get(action="sweep_documents")
        assert (entry.actor, entry.reason, entry.details) == ("ada", "disk", {"sweep_id": run.pk})
        assert DocumentSweep.objects.count() == 2

    def test_keeps_what_counts_until_it_is_removed(self):
        make_trigger()
        store_both(age="3 days")
        assert check_document(trigger_id="t-1", uuid="u-1").verdict is Verdict.DUPLICATE
        sweep_entries()
        assert check_document(trigger_id="t-1", uuid="u-1").verdict is Verdict.NEW


@pytest.mark.django_db(transaction=True)
class TestSweepBesideChecks:
    def test_lets_checks_pass_while_a_batch_is_in_progress(self):
        """A session holds a batch open; checks of all other documents are answered meanwhile."""
        make_trigger()
        store_both(uuid="old", age="3 days")
        with psycopg.connect(database_of_tests()["DATABASE_URL"]) as other:
            removed = other.execute("DELETE FROM document_history WHERE document_uuid = 'old'").rowcount
            assert removed == 2
            answered = check_document(trigger_id="t-1", uuid="u-1")
            assert answered.verdict is Verdict.NEW
            other.rollback()

    def test_leaves_an_entry_that_began_again_meanwhile(self):
        make_trigger()
        store_entry("processing", age="3 days")
        swept: list[DocumentSweep] = []
        with psycopg.connect(database_of_tests()["DATABASE_URL"]) as other:
            other.execute("UPDATE document_history SET time = now() WHERE document_uuid = 'u-1'")
            sweeping = threading.Thread(target=lambda: (swept.append(sweep_entries()), connection.close()))
            sweeping.start()
            wait_for_a_waiter()
            other.commit()
        sweeping.join()
        assert swept[0].removed == 0
        assert set(entries_of()) == {"processing"}


def wait_for_a_waiter() -> None:
    eventually(lambda: rows("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")[0][0] > 0)


def rows(sql: str) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall()
