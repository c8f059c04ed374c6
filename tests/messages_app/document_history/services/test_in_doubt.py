import pytest

from messages_app.audit.models import AuditEntry
from messages_app.document_history.models import DocumentInDoubt
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.complete import complete_document
from messages_app.document_history.services.errors import DocumentConflict, InDoubtNotFound
from messages_app.document_history.services.in_doubt import resubmit_document, settle_document
from messages_app.document_history.services.sweep import sweep_entries
from messages_app.document_history.states import Verdict
from tests.support.histories import ADA, entries_of, make_older, make_trigger, store_entry

pytestmark = pytest.mark.django_db


@pytest.fixture
def line() -> DocumentInDoubt:
    """Give the line of a document whose processing has begun."""
    make_trigger()
    check_document(trigger_id="t-1", uuid="u-1")
    check_document(trigger_id="t-1", uuid="u-1")
    return DocumentInDoubt.objects.get()


class TestResubmit:
    def test_begins_again_and_audits_who_and_why(self, line):
        began = entries_of()["processing"]
        resubmitted = resubmit_document(in_doubt_id=line.pk, actor=ADA, reason="its node died")
        assert entries_of()["processing"] > began
        assert (resubmitted.line.state, resubmitted.line.resolved_by) == ("resubmitted", "ada")
        entry = AuditEntry.objects.get(action="resubmit_document")
        assert (entry.actor, entry.reason, entry.after_state) == ("ada", "its node died", "resubmitted")
        assert entry.details["old_start"] == began.isoformat()

    def test_begins_if_its_entries_are_gone(self, line):
        make_older("3 days")
        assert sweep_entries().removed == 1
        resubmitted = resubmit_document(in_doubt_id=line.pk, actor=ADA, reason="again")
        complete_document(trigger_id="t-1", uuid="u-1", token=resubmitted.token)
        assert check_document(trigger_id="t-1", uuid="u-1").verdict is Verdict.DUPLICATE

    def test_is_refused_for_a_document_completed_meanwhile(self):
        make_trigger()
        token = check_document(trigger_id="t-1", uuid="u-1").token
        check_document(trigger_id="t-1", uuid="u-1")
        complete_document(trigger_id="t-1", uuid="u-1", token=token)
        line = DocumentInDoubt.objects.get()
        with pytest.raises(DocumentConflict) as refused:
            resubmit_document(in_doubt_id=line.pk, actor=ADA, reason="again")
        assert refused.value.current_state == "completed"
        line.refresh_from_db()
        assert line.state == "open"
        assert not AuditEntry.objects.filter(action="resubmit_document").exists()

    def test_returns_no_token_if_there_is_nothing_to_complete(self):
        make_trigger()
        check_document(trigger_id="t-1", uuid="x" * 97)
        line = DocumentInDoubt.objects.get()
        assert resubmit_document(in_doubt_id=line.pk, actor=ADA, reason="run it").token is None

    def test_is_done_once(self, line):
        resubmit_document(in_doubt_id=line.pk, actor=ADA, reason="again")
        for act in (resubmit_document, settle_document):
            with pytest.raises(DocumentConflict, match="Already resubmitted by ada"):
                act(in_doubt_id=line.pk, actor=ADA, reason="and again")

    def test_leads_to_a_new_line_when_it_dies_too(self, line):
        resubmit_document(in_doubt_id=line.pk, actor=ADA, reason="again")
        check_document(trigger_id="t-1", uuid="u-1")
        assert DocumentInDoubt.objects.filter(state="open").count() == 1

    def test_rejects_any_other_id(self):
        with pytest.raises(InDoubtNotFound):
            resubmit_document(in_doubt_id=5, actor=ADA, reason="again")


class TestSettle:
    def test_writes_the_completed_entry_with_the_time_of_the_other(self, line):
        settle_document(in_doubt_id=line.pk, actor=ADA, reason="done manually")
        times = entries_of()
        assert times["processing"] == times["completed"]
        assert AuditEntry.objects.get(action="settle_document").reason == "done manually"

    def test_writes_only_its_entry_if_the_other_was_swept(self, line):
        make_older("3 days")
        sweep_entries()
        settle_document(in_doubt_id=line.pk, actor=ADA, reason="done")
        assert set(entries_of()) == {"completed"}
        assert check_document(trigger_id="t-1", uuid="u-1").verdict is Verdict.DUPLICATE

    def test_settles_what_is_completed(self, line):
        store_entry("completed")
        assert settle_document(in_doubt_id=line.pk, actor=ADA, reason="done").state == "settled"
