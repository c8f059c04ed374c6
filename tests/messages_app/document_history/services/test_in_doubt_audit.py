"""Each decision about a document in doubt, and its taking, leaves one whole audit entry."""

import pytest

from messages_app.document_history.models import DocumentHistory, DocumentInDoubt
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.errors import DocumentConflict, InDoubtNotFound
from messages_app.document_history.services.in_doubt import (
    NOBODY,
    resubmit_document,
    settle_document,
    take_one,
    take_resubmitted,
)
from tests.support.audit_entries import GRACE, audit_rows, by_grace
from tests.support.histories import ADA, entries_of, make_trigger, store_both, store_entry

pytestmark = pytest.mark.django_db


@pytest.fixture
def line() -> DocumentInDoubt:
    """Give the line of u-1 of t-1, after that of another document."""
    for trigger_id in ("t-0", "t-1"):
        make_trigger(trigger_id)
    for trigger_id, uuid in (("t-0", "u-0"), ("t-1", "u-1")):
        store_entry("processing", trigger_id=trigger_id, uuid=uuid)
        check_document(trigger_id=trigger_id, uuid=uuid, document={"of": uuid})
    return DocumentInDoubt.objects.get(trigger_id="t-1")


def entry(action: str, line: DocumentInDoubt, before: str, after: str, **columns: object) -> dict:
    subject = {"subject_kind": "in_doubt", "subject": str(line.pk)}
    return by_grace(action, **subject, before_state=before, after_state=after, **columns)


def audited() -> list[dict]:
    return audit_rows("resubmit_document", "settle_document", "take_document")


def stored(line: DocumentInDoubt) -> dict[str, object]:
    names = ("state", "resolved_by", "reason", "decided_start", "taken_by")
    return DocumentInDoubt.objects.values(*names).get(pk=line.pk)


class TestResubmit:
    @pytest.mark.parametrize("takes", [True, False])
    def test_audits_the_start_before_and_after(self, line, takes):
        old = entries_of()["processing"]
        resubmit_document(in_doubt_id=line.pk, actor=GRACE, reason="its node died", takes=takes)
        new = entries_of()["processing"]
        assert stored(line) == {
            "state": "resubmitted",
            "resolved_by": "grace",
            "reason": "its node died",
            "decided_start": new,
            "taken_by": "grace" if takes else "",
        }
        taken_at = DocumentInDoubt.objects.get(pk=line.pk).taken_at
        assert (taken_at is not None) == takes
        details = {"trigger_id": "t-1", "document": "u-1"}
        details |= {"start": new.isoformat(), "old_start": old.isoformat()}
        assert audited() == [
            entry("resubmit_document", line, "open", "resubmitted", reason="its node died", details=details)
        ]

    def test_audits_the_identifier_of_a_document_without_entries(self, line):
        sent = "x" * 97
        check_document(trigger_id="t-1", uuid=sent)
        line = DocumentInDoubt.objects.get(document_uuid="", trigger_id="t-1")
        resubmit_document(in_doubt_id=line.pk, actor=GRACE, reason="run it")
        details = {"trigger_id": "t-1", "document": sent, "start": None, "old_start": None}
        assert audited() == [
            entry("resubmit_document", line, "open", "resubmitted", reason="run it", details=details)
        ]

    def test_audits_nothing_if_it_is_refused(self, line):
        store_entry("completed")
        with pytest.raises(DocumentConflict, match="completed meanwhile"):
            resubmit_document(in_doubt_id=line.pk, actor=GRACE, reason="again")
        with pytest.raises(InDoubtNotFound):
            resubmit_document(in_doubt_id=line.pk + 1, actor=GRACE, reason="again")
        assert audited() == []
        assert stored(line)["state"] == "open"


class TestSettle:
    def test_audits_the_start(self, line):
        started = entries_of()["processing"]
        settled = settle_document(in_doubt_id=line.pk, actor=GRACE, reason="done manually")
        assert settled.pk == line.pk
        assert stored(line) == {
            "state": "settled",
            "resolved_by": "grace",
            "reason": "done manually",
            "decided_start": started,
            "taken_by": "",
        }
        details = {"trigger_id": "t-1", "document": "u-1", "start": started.isoformat(), "old_start": None}
        assert audited() == [
            entry("settle_document", line, "open", "settled", reason="done manually", details=details)
        ]

    def test_audits_no_start_for_a_document_that_is_completed(self, line):
        DocumentHistory.objects.filter(document_uuid="u-1").delete()
        store_both()
        settle_document(in_doubt_id=line.pk, actor=GRACE, reason="done")
        (row,) = audited()
        assert row["details"] == {"trigger_id": "t-1", "document": "u-1", "start": None, "old_start": None}
        assert stored(line)["decided_start"] is None


class TestTaking:
    @pytest.mark.parametrize("takes_one", [True, False])
    def test_audits_the_reason_of_the_decision_and_the_taker(self, line, takes_one):
        resubmit_document(in_doubt_id=line.pk, actor=ADA, reason="its node died", takes=False)
        decided = stored(line)["decided_start"]
        if takes_one:
            taken = take_one(in_doubt_id=line.pk, actor=GRACE)
        else:
            taken = take_resubmitted(trigger_id="t-1", actor=GRACE)
        assert taken.line.pk == line.pk
        now = stored(line)
        assert (now["taken_by"], now["resolved_by"]) == ("grace", "ada")
        assert now["decided_start"] == entries_of()["processing"] > decided
        assert audited()[1:] == [
            entry(
                "take_document",
                line,
                "resubmitted",
                "resubmitted",
                reason="its node died",
                details={"trigger_id": "t-1", "taken_by": "grace"},
            )
        ]

    @pytest.mark.parametrize("takes_one", [True, False])
    def test_audits_that_no_one_got_a_document_that_was_started_otherwise(self, line, takes_one):
        resubmit_document(in_doubt_id=line.pk, actor=ADA, reason="run it", takes=False)
        decided = stored(line)["decided_start"]
        DocumentHistory.objects.filter(document_uuid="u-1").delete()
        started = store_entry("processing")
        if takes_one:
            with pytest.raises(DocumentConflict, match="Already taken by no one"):
                take_one(in_doubt_id=line.pk, actor=GRACE)
        else:
            assert take_resubmitted(trigger_id="t-1", actor=GRACE) is None
        assert (stored(line)["taken_by"], stored(line)["decided_start"]) == (NOBODY, decided)
        assert entries_of() == {"processing": started}
        (row,) = audited()[1:]
        assert (row["actor"], row["reason"]) == ("grace", "run it")
        assert row["details"] == {"trigger_id": "t-1", "taken_by": NOBODY}
