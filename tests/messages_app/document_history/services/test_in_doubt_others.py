"""A decision about one document leaves its neighbours as they are: other documents, triggers and lines."""

from datetime import datetime

import pytest

from messages_app.document_history.models import DocumentHistory, DocumentInDoubt, DocumentTrigger
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.errors import TriggerNotFound
from messages_app.document_history.services.in_doubt import resubmit_document, settle_document
from messages_app.document_history.services.triggers import delete_trigger, resume_trigger, suspend_trigger
from messages_app.document_history.states import Verdict
from tests.support.histories import ADA, make_trigger, store_both, store_entry

pytestmark = pytest.mark.django_db

Entries = dict[tuple[str, str, str], datetime]


@pytest.fixture
def line() -> DocumentInDoubt:
    """Give the open line of u-1 of t-1; its trigger and its UUID have completed and open neighbours."""
    for trigger_id in ("t-0", "t-1", "t-2"):
        make_trigger(trigger_id)
    store_both(trigger_id="t-0", uuid="u-1", age="5 minutes")
    store_both(trigger_id="t-1", uuid="u-0", age="4 minutes")
    store_entry("processing", trigger_id="t-1", uuid="u-1", age="3 minutes")
    store_entry("processing", trigger_id="t-1", uuid="u-2", age="2 minutes")
    store_entry("processing", trigger_id="t-2", uuid="u-1", age="1 minute")
    for trigger_id, uuid in (("t-2", "u-1"), ("t-1", "u-2"), ("t-1", "u-1")):
        assert check_document(trigger_id=trigger_id, uuid=uuid).verdict is Verdict.IN_DOUBT
    return DocumentInDoubt.objects.get(trigger_id="t-1", document_uuid="u-1")


def entries() -> Entries:
    rows = DocumentHistory.objects.values_list("trigger_id", "document_uuid", "status", "time")
    return {(trigger_id, uuid, status): time for trigger_id, uuid, status, time in rows}


def changes(before: Entries, after: Entries) -> set[tuple[str, str, str]]:
    return {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}


def states() -> dict[tuple[str, str], str]:
    lines = DocumentInDoubt.objects.values_list("trigger_id", "document_uuid", "state")
    return {(trigger_id, uuid): state for trigger_id, uuid, state in lines}


class TestResubmit:
    def test_starts_one_document_again(self, line):
        before = entries()
        resubmit_document(in_doubt_id=line.pk, actor=ADA, reason="again")
        assert changes(before, entries()) == {("t-1", "u-1", "processing")}
        assert states() == {("t-1", "u-1"): "resubmitted", ("t-1", "u-2"): "open", ("t-2", "u-1"): "open"}


class TestSettle:
    def test_completes_one_document_with_the_time_of_its_start(self, line):
        before = entries()
        settle_document(in_doubt_id=line.pk, actor=ADA, reason="done")
        after = entries()
        assert changes(before, after) == {("t-1", "u-1", "completed")}
        assert after["t-1", "u-1", "completed"] == before["t-1", "u-1", "processing"]
        assert states() == {("t-1", "u-1"): "settled", ("t-1", "u-2"): "open", ("t-2", "u-1"): "open"}

    def test_completes_a_document_without_entries_now(self, line):
        DocumentHistory.objects.filter(trigger_id="t-1", document_uuid="u-1").delete()
        started = max(entries().values())
        settle_document(in_doubt_id=line.pk, actor=ADA, reason="done")
        assert entries()["t-1", "u-1", "completed"] > started


class TestCheck:
    @pytest.mark.parametrize(
        ("trigger_id", "uuid", "verdict"),
        [("t-1", "u-0", Verdict.DUPLICATE), ("t-2", "u-0", Verdict.NEW), ("t-0", "u-2", Verdict.NEW)],
    )
    @pytest.mark.usefixtures("line")
    def test_reads_the_entries_of_its_own_document(self, trigger_id, uuid, verdict):
        before = entries()
        assert check_document(trigger_id=trigger_id, uuid=uuid).verdict is verdict
        started = {(trigger_id, uuid, "processing")} if verdict is Verdict.NEW else set()
        assert changes(before, entries()) == started


class TestSuspendTrigger:
    def test_suspends_one_trigger_once_with_its_first_reason(self):
        for trigger_id in ("t-1", "t-2"):
            make_trigger(trigger_id)
        suspend_trigger(trigger_id="t-1", because="down")
        suspended = DocumentTrigger.objects.get(pk="t-1")
        suspend_trigger(trigger_id="t-1", because="still down")
        again = DocumentTrigger.objects.get(pk="t-1")
        assert (again.suspended_at, again.suspended_because) == (suspended.suspended_at, "down")
        assert DocumentTrigger.objects.get(pk="t-2").suspended_at is None
        suspend_trigger(trigger_id="t-2", because="down too")
        resume_trigger(trigger_id="t-1", actor=ADA, reason="up")
        resumed, other = DocumentTrigger.objects.order_by("pk")
        assert (resumed.suspended_at, resumed.suspended_because) == (None, "")
        assert (other.suspended_at is None, other.suspended_because) == (False, "down too")

    def test_does_not_change_a_deleted_trigger(self):
        for trigger_id in ("t-1", "t-2"):
            make_trigger(trigger_id)
        suspend_trigger(trigger_id="t-2", because="down")
        for trigger_id in ("t-1", "t-2"):
            delete_trigger(trigger_id=trigger_id, actor=ADA, reason="unused")
        suspend_trigger(trigger_id="t-1", because="down")
        with pytest.raises(TriggerNotFound):
            resume_trigger(trigger_id="t-2", actor=ADA, reason="up")
        deleted, suspended = DocumentTrigger.objects.order_by("pk")
        assert (deleted.suspended_at, suspended.suspended_because) == (None, "down")
