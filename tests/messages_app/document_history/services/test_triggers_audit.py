"""Each change of a trigger, and each sweep that a person starts, leaves one whole audit entry."""

import pytest

from messages_app.document_history.models import DocumentTrigger
from messages_app.document_history.services import resolvers
from messages_app.document_history.services.errors import DocumentConflict, TriggerNotFound
from messages_app.document_history.services.sweep import sweep_entries
from messages_app.document_history.services.triggers import (
    change_trigger,
    clear_statistics,
    create_trigger,
    delete_trigger,
    resume_trigger,
    suspend_trigger,
)
from tests.support.audit_entries import GRACE, audit_rows, by_grace, by_system
from tests.support.histories import make_trigger, store_both

pytestmark = pytest.mark.django_db

FIRST = {
    "name": "Invoices",
    "detect_duplicates": True,
    "use_history": True,
    "history_ttl_seconds": 60,
    "resolver": "",
    "on_retry_failure": "suspend_and_retry_later",
}
SECOND = {
    "name": "Bills",
    "detect_duplicates": False,
    "use_history": False,
    "history_ttl_seconds": 90,
    "resolver": "tests.audited",
    "on_retry_failure": "throw_exception",
}


@pytest.fixture
def _resolver():
    resolvers.register_resolver("tests.audited")(lambda asked: {"status": "NEW"})
    yield
    resolvers.unregister_resolver("tests.audited")


def of_trigger(key: str, action: str, reason: str, **properties: object) -> dict[str, object]:
    subject = {"subject_kind": "trigger", "subject": key}
    return by_grace(action, **subject, reason=reason, details={"properties": properties})


def stored(trigger_id: str) -> dict[str, object]:
    return DocumentTrigger.objects.values(*FIRST).get(pk=trigger_id)


@pytest.mark.usefixtures("_resolver")
class TestAuditOfATrigger:
    def test_has_its_properties_before_and_after(self):
        make_trigger("t-0")
        created = create_trigger(actor=GRACE, reason="new", trigger_id="t-1", **FIRST)
        assert (created.pk, stored("t-1")) == ("t-1", FIRST)
        changed = change_trigger(trigger_id="t-1", actor=GRACE, reason="renamed", **SECOND)
        assert (changed.pk, stored("t-1")) == ("t-1", SECOND)
        delete_trigger(trigger_id="t-1", actor=GRACE, reason="unused")
        assert audit_rows()[1:] == [
            of_trigger("t-1", "create_trigger", "new", trigger_id="t-1", **FIRST),
            of_trigger("t-1", "change_trigger", "renamed", before=FIRST, after=SECOND),
            of_trigger("t-1", "delete_trigger", "unused"),
        ]
        deleted = dict(DocumentTrigger.objects.values_list("trigger_id", "deleted_at"))
        assert (deleted["t-0"], deleted["t-1"] is None) == (None, False)

    def test_has_only_the_named_properties_of_a_change(self):
        create_trigger(actor=GRACE, trigger_id="t-1", **FIRST)
        change_trigger(trigger_id="t-1", actor=GRACE, reason="longer", history_ttl_seconds=90)
        before, after = {"history_ttl_seconds": 60}, {"history_ttl_seconds": 90}
        assert audit_rows("change_trigger") == [
            of_trigger("t-1", "change_trigger", "longer", before=before, after=after)
        ]
        assert stored("t-1") == FIRST | after

    def test_is_missing_for_a_trigger_that_is_deleted_or_unknown(self):
        make_trigger("t-1")
        delete_trigger(trigger_id="t-1", actor=GRACE)
        deleted_at = DocumentTrigger.objects.get().deleted_at
        for trigger_id in ("t-1", "t-2"):
            with pytest.raises(TriggerNotFound):
                change_trigger(trigger_id=trigger_id, actor=GRACE, name="n")
            with pytest.raises(TriggerNotFound):
                delete_trigger(trigger_id=trigger_id, actor=GRACE)
        assert len(audit_rows()) == 2
        assert DocumentTrigger.objects.get().deleted_at == deleted_at


class TestAuditOfClearedStatistics:
    def test_names_the_trigger_if_it_is_only_one(self):
        make_trigger("t-1"), make_trigger("t-2")
        clear_statistics(actor=GRACE, reason="new month", trigger_id="t-2")
        clear_statistics(actor=GRACE, reason="new year")
        assert audit_rows("clear_statistics") == [
            of_trigger("t-2", "clear_statistics", "new month"),
            by_grace("clear_statistics", reason="new year", details={"properties": {}}),
        ]


class TestAuditOfASuspension:
    def test_is_by_the_console_and_that_of_resuming_by_the_operator(self):
        make_trigger("t-1"), make_trigger("t-2")
        because = "down" * 300
        for _ in range(2):
            suspend_trigger(trigger_id="t-1", because=because)
        resume_trigger(trigger_id="t-1", actor=GRACE, reason="up again")
        with pytest.raises(DocumentConflict):
            resume_trigger(trigger_id="t-2", actor=GRACE, reason="why not")
        subject = {"subject_kind": "trigger", "subject": "t-1"}
        assert audit_rows("suspend_trigger", "resume_trigger") == [
            by_system(
                "suspend_trigger",
                **subject,
                before_state="active",
                after_state="suspended",
                reason=because[:1000],
            ),
            by_grace(
                "resume_trigger", **subject, before_state="suspended", after_state="active", reason="up again"
            ),
        ]


class TestAuditOfASweep:
    def test_is_written_only_for_a_run_of_a_person(self):
        make_trigger("t-1")
        store_both(age="3 days")
        by_scheduler = sweep_entries(reason="clock")
        by_person = sweep_entries(actor=GRACE, reason="the disk is full")
        assert (by_scheduler.actor, by_scheduler.removed, by_scheduler.removed_by_trigger) == (
            "system",
            2,
            {"t-1": 2},
        )
        assert (by_person.actor, by_person.removed, by_person.removed_by_trigger) == ("grace", 0, {})
        assert audit_rows("sweep_documents") == [
            by_grace("sweep_documents", reason="the disk is full", details={"sweep_id": by_person.pk})
        ]
