from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from messages_app.audit.services import Actor
from messages_app.document_history import selectors
from messages_app.document_history.models import DocumentOutcome
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.sweep import sweep_entries
from messages_app.document_history.services.triggers import delete_trigger, suspend_trigger
from tests.support.histories import make_trigger, store_both, store_entry

pytestmark = pytest.mark.django_db


def store_outcomes(status: str, *minutes_ago: int) -> None:
    for minutes in minutes_ago:
        outcome = DocumentOutcome.objects.create(
            trigger_id="t-1", status=status, decided_by="history", rule="both_entries"
        )
        DocumentOutcome.objects.filter(pk=outcome.pk).update(at=Now() - timedelta(minutes=minutes))


class TestTriggerCounts:
    def test_show_stored_open_and_decided_documents(self):
        make_trigger()
        store_both(uuid="u-1", age="3 days")
        oldest = store_entry("processing", uuid="u-2", age="1 hour")
        store_entry("processing", uuid="u-3")
        check_document(trigger_id="t-1", uuid="u-1")
        check_document(trigger_id="t-1", uuid="u-2")
        assert selectors.trigger_counts(["t-1"])["t-1"] == selectors.TriggerCounts(
            trigger_id="t-1",
            stored=4,
            expired=2,
            undetermined=2,
            oldest_undetermined=oldest,
            started=2,
            duplicates=1,
            in_doubt=1,
            open_doubts=1,
        )

    def test_stop_at_the_fence(self, monkeypatch):
        monkeypatch.setattr(selectors, "COUNTED", 3)
        make_trigger()
        for number in range(6):
            store_entry("processing", uuid=f"u-{number}")
        assert selectors.trigger_counts(["t-1"])["t-1"].stored == 4


class TestOverview:
    def test_reports_all_triggers_together(self):
        make_trigger(), make_trigger("t-2")
        store_both(uuid="u-1")
        store_entry("processing", uuid="u-2", age="1 hour")
        oldest = store_entry("processing", uuid="u-3", trigger_id="t-2", age="3 hours")
        check_document(trigger_id="t-1", uuid="u-1")
        check_document(trigger_id="t-1", uuid="u-2")
        suspend_trigger(trigger_id="t-2", because="r")
        assert selectors.summarize_history() == selectors.Overview(
            open_doubts=1, suspended=1, duplicates=1, oldest_undetermined=oldest
        )

    def test_counts_duplicates_among_the_newest_outcomes_up_to_the_fence(self, monkeypatch):
        monkeypatch.setattr(selectors, "COUNTED", 2)
        make_trigger()
        for age in (5, 1):
            store_outcomes(
                "DUPLICATE" if age == 1 else "IN_DOUBT", *(age * 60 + minute for minute in range(2))
            )
        assert selectors.summarize_history().duplicates == 2
        store_outcomes("IN_DOUBT", 10, 11)
        assert selectors.summarize_history().duplicates == 1

    def test_omits_suspended_triggers_that_were_deleted(self):
        for trigger_id in ("t-1", "t-2", "t-3"):
            make_trigger(trigger_id)
            suspend_trigger(trigger_id=trigger_id, because="r")
        delete_trigger(trigger_id="t-2", actor=Actor(username="ada"), reason="no longer used")
        assert selectors.summarize_history().suspended == 2


class TestExpiring:
    def test_counts_what_a_time_to_live_would_expire(self):
        make_trigger()
        store_both(age="2 hours")
        assert selectors.count_expiring(trigger_id="t-1", ttl_seconds=3600) == 2
        assert selectors.count_expiring(trigger_id="t-1", ttl_seconds=3 * 3600) == 0


class TestInDoubtPage:
    def test_returns_the_open_ones_of_a_trigger(self):
        for trigger_id in ("t-1", "t-2"):
            make_trigger(trigger_id)
            store_entry("processing", trigger_id=trigger_id)
            check_document(trigger_id=trigger_id, uuid="u-1")
        page = selectors.in_doubt_page(values={"trigger_id": "t-2", "state": "open"})
        assert [row.trigger_id for row in page.rows] == ["t-2"]


class TestSweeper:
    def test_reports_the_last_run_the_next_one_and_what_it_ignores(self):
        every = IntervalSchedule.objects.create(every=600, period=IntervalSchedule.SECONDS)
        task = PeriodicTask.objects.create(
            name="sweep-document-history",
            task="messages_app.document_history.tasks.sweep_document_history",
            interval=every,
            last_run_at="2026-11-21T10:00:00Z",
        )
        make_trigger()
        store_both(age="3 days")
        store_both(trigger_id="t-9")
        run = sweep_entries()
        found = selectors.sweeper_state()
        task.refresh_from_db()
        assert found.last == run
        assert found.interval_seconds == 600
        assert (found.next_at - task.last_run_at).total_seconds() == 600
        assert found.orphaned == ["t-9"]

    def test_is_missing_before_the_first_run(self):
        found = selectors.sweeper_state()
        assert (found.last, found.next_at, found.orphaned) == (None, None, [])
