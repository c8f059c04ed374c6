"""The figures of triggers at the ends of their windows, among the rows of triggers next to them."""

from datetime import timedelta

import pytest

from messages_app.document_history import selectors
from messages_app.document_history.models import (
    DocumentHistory,
    DocumentInDoubt,
    DocumentOutcome,
    DocumentTrigger,
)
from tests.support.histories import make_trigger
from tests.support.transaction_time import transaction_time

pytestmark = pytest.mark.django_db

HOUR, BIT = timedelta(hours=1), timedelta(microseconds=1)


def store_entry(trigger_id: str, uuid: str, status: str, age: timedelta) -> None:
    DocumentHistory.objects.create(
        trigger_id=trigger_id, document_uuid=uuid, status=status, time=transaction_time() - age
    )


def store_outcome(trigger_id: str, status: str, age: timedelta) -> None:
    DocumentOutcome.objects.create(
        trigger_id=trigger_id, status=status, at=transaction_time() - age, decided_by="history", rule="r"
    )


@pytest.fixture
def triggers() -> None:
    for trigger_id in ("t-0", "t-1", "t-2"):
        make_trigger(trigger_id, history_ttl_seconds=36 * 3600)
    for trigger_id in ("t-0", "t-2"):
        store_entry(trigger_id, "u-1", "processing", 40 * HOUR)
        store_entry(trigger_id, "u-2", "processing", HOUR)
        store_outcome(trigger_id, "DUPLICATE", HOUR), store_outcome(trigger_id, "IN_DOUBT", HOUR)
        DocumentInDoubt.objects.create(trigger_id=trigger_id, document_uuid="u-1", rule="r")
    for uuid, age in (
        ("u-1", 36 * HOUR),
        ("u-2", 36 * HOUR - BIT),
        ("u-3", 24 * HOUR),
        ("u-4", 24 * HOUR + BIT),
    ):
        store_entry("t-1", uuid, "processing", age)
    store_entry("t-1", "u-1", "completed", 36 * HOUR), store_entry("t-1", "u-5", "completed", HOUR)
    for age in (24 * HOUR, 24 * HOUR + BIT, HOUR):
        store_outcome("t-1", "DUPLICATE", age)
    for age in (24 * HOUR, 24 * HOUR + BIT):
        store_outcome("t-1", "IN_DOUBT", age)
    store_outcome("t-1", "IN_DOUBT", HOUR), store_outcome("t-1", "FAILED", HOUR)
    for number, state in enumerate(("open", "open", "open", "resubmitted", "settled")):
        DocumentInDoubt.objects.create(trigger_id="t-1", document_uuid=f"u-{number}", rule="r", state=state)


@pytest.mark.usefixtures("triggers")
class TestTriggerCounts:
    def test_are_of_one_trigger_and_its_windows(self):
        (counts,) = selectors.trigger_counts(["t-1"]).values()
        assert counts == selectors.TriggerCounts(
            trigger_id="t-1",
            stored=6,
            expired=2,
            undetermined=3,
            oldest_undetermined=transaction_time() - 36 * HOUR + BIT,
            started=1,
            duplicates=2,
            in_doubt=2,
            open_doubts=3,
        )
        assert set(selectors.trigger_counts(["t-0", "t-2", "t-9"])) == {"t-0", "t-2"}


@pytest.mark.usefixtures("triggers")
class TestOverview:
    def test_is_of_all_triggers_and_of_the_last_day(self):
        overview = selectors.summarize_history()
        assert (overview.open_doubts, overview.duplicates, overview.suspended) == (5, 4, 0)
        assert overview.oldest_undetermined == transaction_time() - 40 * HOUR


@pytest.mark.usefixtures("triggers")
class TestWaitingForSweep:
    def test_are_the_triggers_with_expired_entries_by_name(self):
        DocumentTrigger.objects.filter(pk="t-0").update(name="z")
        make_trigger("t-3", name="a")
        waiting = [("trigger t-1", 2), ("trigger t-2", 1), ("z", 1)]
        assert selectors.waiting_for_sweep() == waiting


class TestSweeper:
    def test_names_triggers_of_entries_that_are_not_defined_in_order(self):
        make_trigger("t-5")
        for trigger_id in ("t-9", "t-5", "t-1", "t-7", "t-1"):
            store_entry(trigger_id, f"u-{DocumentHistory.objects.count()}", "processing", HOUR)
        assert selectors.sweeper_state().orphaned == ["t-1", "t-7", "t-9"]
