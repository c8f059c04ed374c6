"""The sweeper at the ends of its windows, among the rows of triggers next to them; and repaired lists."""

from datetime import timedelta

import pytest

from messages_app.document_history import selectors
from messages_app.document_history.models import (
    DocumentContent,
    DocumentHistory,
    DocumentOpen,
    DocumentOutcome,
    DocumentSweep,
)
from messages_app.document_history.services.sweep import mend_open, rebuild_open_documents, sweep_entries
from tests.support.histories import make_trigger
from tests.support.transaction_time import transaction_time

pytestmark = pytest.mark.django_db

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
BIT = timedelta(microseconds=1)
# The age of a document's entries, and whether t-1 with two hours to live removes them.
AGES = {
    "u-1": (2 * HOUR, True),
    "u-2": (2 * HOUR - BIT, False),
    "u-3": (2 * HOUR + BIT, True),
    "u-4": (9 * HOUR, True),
    "u-5": (HOUR, False),
}
TRIGGERS = ("t-0", "t-1", "t-2", "t-9")


def store_entry(trigger_id: str, uuid: str, status: str, age: timedelta) -> None:
    DocumentHistory.objects.create(
        trigger_id=trigger_id, document_uuid=uuid, status=status, time=transaction_time() - age
    )


@pytest.fixture
def triggers() -> None:
    """Store entries and contents of AGES for three triggers, and for an unknown one."""
    for trigger_id, hours in (("t-0", 48), ("t-1", 2), ("t-2", 8)):
        make_trigger(trigger_id, history_ttl_seconds=hours * 3600)
    for trigger_id in TRIGGERS:
        for uuid, (age, _) in AGES.items():
            for status in ("processing", "completed"):
                store_entry(trigger_id, uuid, status, age)
            DocumentContent.objects.create(
                trigger_id=trigger_id, document_uuid=uuid, sha256="1" * 64, time=transaction_time() - age
            )


def documents(model: type) -> dict[str, list[str]]:
    """Return the documents that are left by trigger; those of the history once for each entry."""
    found: dict[str, list[str]] = {trigger_id: [] for trigger_id in TRIGGERS}
    for trigger_id, uuid in model.objects.values_list("trigger_id", "document_uuid"):
        found[trigger_id].append(uuid)
    return {trigger_id: sorted(uuids) for trigger_id, uuids in found.items()}


@pytest.mark.usefixtures("triggers")
class TestSweep:
    @pytest.mark.parametrize("batch", [1, 2, 1000])
    def test_removes_what_has_reached_its_triggers_time_to_live(self, batch):
        run = sweep_entries(batch=batch)
        assert (run.removed, run.removed_by_trigger) == (8, {"t-1": 6, "t-2": 2})
        assert documents(DocumentHistory) == {
            "t-0": sorted([*AGES, *AGES]),
            "t-1": ["u-2", "u-2", "u-5", "u-5"],
            "t-2": sorted(2 * ["u-1", "u-2", "u-3", "u-5"]),
            "t-9": sorted([*AGES, *AGES]),
        }
        assert documents(DocumentContent) == {
            "t-0": sorted(AGES),
            "t-1": ["u-2", "u-5"],
            "t-2": ["u-1", "u-2", "u-3", "u-5"],
            "t-9": sorted(AGES),
        }

    def test_removes_the_old_entry_of_a_document_whose_other_one_is_younger(self):
        DocumentHistory.objects.all().delete()
        store_entry("t-1", "u-1", "completed", 3 * HOUR), store_entry("t-1", "u-1", "processing", HOUR)
        assert sweep_entries().removed == 1
        assert DocumentHistory.objects.get().status == "processing"

    def test_is_counted_before_by_its_time_to_live(self):
        for hours, count in ((9, 2), (8, 2), (2, 6), (1, 10), (10, 0)):
            assert selectors.count_expiring(trigger_id="t-1", ttl_seconds=hours * 3600) == count

    def test_forgets_outcomes_and_runs_of_thirty_days(self):
        for days in (30 * DAY + MINUTE, 30 * DAY - MINUTE, 31 * DAY):
            DocumentOutcome.objects.create(
                trigger_id="t-1", status="DUPLICATE", at=transaction_time() - days, decided_by="h", rule="r"
            )
            DocumentSweep.objects.create(actor=str(days), started_at=transaction_time() - days)
        run = sweep_entries(batch=1)
        assert DocumentOutcome.objects.get().at == transaction_time() - 30 * DAY + MINUTE
        kept = DocumentSweep.objects.exclude(pk=run.pk).values_list("actor", flat=True)
        assert set(kept) == {str(30 * DAY - MINUTE)}


class TestMendOpen:
    def open_documents(self) -> dict[tuple[str, str], object]:
        rows = DocumentOpen.objects.values_list("trigger_id", "document_uuid", "time")
        return {(trigger_id, uuid): time for trigger_id, uuid, time in rows}

    @pytest.fixture(autouse=True)
    def _entries(self) -> None:
        for trigger_id, uuid, status, hours in (
            ("t-1", "u-1", "processing", 1),
            ("t-1", "u-2", "processing", 2),
            ("t-1", "u-3", "processing", 3),
            ("t-1", "u-3", "completed", 3),
            ("t-2", "u-1", "completed", 4),
            ("t-2", "u-2", "processing", 5),
            ("t-2", "u-3", "processing", 6),
        ):
            store_entry(trigger_id, uuid, status, hours * HOUR)

    def test_finds_nothing_in_a_list_that_is_right(self):
        before = self.open_documents()
        assert set(before) == {("t-1", "u-1"), ("t-1", "u-2"), ("t-2", "u-2"), ("t-2", "u-3")}
        assert rebuild_open_documents() == "0 open documents were missing or wrong."
        assert self.open_documents() == before

    def test_adds_what_is_missing_and_corrects_times(self):
        before = self.open_documents()
        DocumentOpen.objects.filter(document_uuid="u-2").delete()
        DocumentOpen.objects.filter(trigger_id="t-2", document_uuid="u-3").update(time=transaction_time())
        assert rebuild_open_documents() == "3 open documents were missing or wrong."
        assert self.open_documents() == before

    def test_removes_what_has_ended_or_is_not_in_the_history(self):
        before = self.open_documents()
        for number, (trigger_id, uuid) in enumerate(
            (("t-1", "u-3"), ("t-2", "u-1"), ("t-9", "u-1"), ("t-2", "u-9"))
        ):
            DocumentOpen.objects.create(
                trigger_id=trigger_id, document_uuid=uuid, time=transaction_time(), line_no=9_000 + number
            )
        assert mend_open() == 4
        assert self.open_documents() == before
