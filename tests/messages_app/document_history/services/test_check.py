"""Facts beyond the hard cases: inputs of the resolver, stored data, suspension, transactions."""

from collections.abc import Callable, Iterator

import pytest
from django.db import transaction

from messages_app.audit.models import AuditEntry
from messages_app.document_history.models import (
    DocumentInDoubt,
    DocumentOpen,
    DocumentOutcome,
    DocumentTrigger,
)
from messages_app.document_history.services import resolvers
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.complete import complete_document, complete_patiently
from messages_app.document_history.services.errors import TriggerNotFound, TriggerSuspended
from messages_app.document_history.services.sweep import sweep_entries
from messages_app.document_history.services.triggers import change_trigger
from messages_app.document_history.states import Rule, Verdict
from tests.support.histories import ADA, entries_of, history_locked, make_trigger, store_both, store_entry

pytestmark = pytest.mark.django_db


@pytest.fixture
def resolver() -> Iterator[Callable]:
    """Give a function that has `tests.resolver` call what it is given."""
    calls = {}
    resolvers.register_resolver("tests.resolver")(lambda asked: calls["it"](asked))
    yield lambda call: calls.update(it=call)
    resolvers.unregister_resolver("tests.resolver")


def fail(error: Exception) -> Callable:
    def call(asked: object) -> object:
        raise error

    return call


class TestCheck:
    def test_rejects_missing_and_deleted_triggers(self):
        with pytest.raises(TriggerNotFound):
            check_document(trigger_id="t-1", uuid="u-1")
        make_trigger()
        DocumentTrigger.objects.update(deleted_at="2026-11-01T00:00:00Z")
        with pytest.raises(TriggerNotFound):
            check_document(trigger_id="t-1", uuid="u-1")

    def test_answers_new_with_a_token_that_completes(self):
        make_trigger()
        checked = check_document(trigger_id="t-1", uuid="u-1")
        assert (checked.verdict, checked.rule, checked.is_recorded) == (Verdict.NEW, Rule.NO_ENTRY, True)
        completed = complete_document(trigger_id="t-1", uuid="u-1", token=checked.token)
        assert completed.time == entries_of()["processing"]

    @pytest.mark.parametrize("off", ["detect_duplicates", "use_history"])
    def test_records_nothing_for_a_trigger_without_detection_or_history(self, off):
        make_trigger(**{off: False})
        checked = check_document(trigger_id="t-1", uuid="u-1", redelivery_count=0)
        assert (checked.verdict, checked.token, entries_of()) == (Verdict.NEW, None, {})

    def test_compares_byte_for_byte(self):
        make_trigger()
        for uuid in (
            "a",
            "A",
            " a",
            "a ",
            "\u00e9",
            "e\u0301",
            "<script>",
            "'; DROP TABLE document_history; --",
        ):
            assert check_document(trigger_id="t-1", uuid=uuid).verdict is Verdict.NEW
            assert set(entries_of(uuid)) == {"processing"}

    def test_records_each_outcome_except_new(self):
        make_trigger()
        store_both(uuid="u-2")
        check_document(trigger_id="t-1", uuid="u-1", redelivery_count=1)
        check_document(trigger_id="t-1", uuid="u-2", redelivery_count=3, document_name="invoice")
        check_document(trigger_id="t-1", uuid="", redelivery_count=0)
        kept = DocumentOutcome.objects.order_by("pk").values_list(
            "identifier", "document_name", "status", "redelivery_count", "decided_by", "rule"
        )
        assert list(kept) == [
            ("u-2", "invoice", "DUPLICATE", 3, "history", "both_entries"),
            ("", "", "IN_DOUBT", 0, "uuid", "no_uuid"),
        ]

    def test_keeps_one_open_line_for_a_document_in_doubt(self):
        make_trigger()
        store_entry("processing")
        check_document(trigger_id="t-1", uuid="u-1", document={"n": 1})
        check_document(trigger_id="t-1", uuid="u-1", redelivery_count=4)
        line = DocumentInDoubt.objects.get()
        assert (line.deliveries, line.redelivery_count, line.document) == (2, 4, {"n": 1})


@pytest.mark.django_db(transaction=True)
class TestCheckWithoutHistory:
    def test_decides_documents_without_history(self):
        make_trigger(use_history=False)
        make_trigger("t-2")
        with history_locked():
            assert check_document(trigger_id="t-1", uuid="u-1").verdict is Verdict.NEW
            assert check_document(trigger_id="t-2", uuid="u-1", is_guaranteed=False).verdict is Verdict.NEW
            assert check_document(trigger_id="t-2", uuid="x" * 97).rule is Rule.UUID_TOO_LONG

    def test_leaves_the_transaction_around_it_usable(self, settings):
        settings.SUSPEND_AND_RETRY_ON_ERROR = False
        make_trigger()
        with history_locked(), transaction.atomic():
            assert check_document(trigger_id="t-1", uuid="u-1").verdict is Verdict.IN_DOUBT
        assert DocumentInDoubt.objects.get().rule == "history_unavailable"

    def test_completes_once_it_can_be_reached_again(self):
        make_trigger()
        token = check_document(trigger_id="t-1", uuid="u-1").token
        with history_locked():
            assert not complete_patiently(trigger_id="t-1", uuid="u-1", token=token, tries=2, pause=0.01)
        assert complete_patiently(trigger_id="t-1", uuid="u-1", token=token)


class TestAskingTheResolver:
    def test_passes_the_specified_inputs(self, resolver):
        asked = {}
        resolver(lambda inputs: asked.update(inputs) or {"status": "IN_DOUBT"})
        make_trigger(name="Invoices", resolver="tests.resolver")
        store_entry("processing")
        check_document(
            trigger_id="t-1", uuid="u-1", redelivery_count=2, document={"n": 1}, document_name="invoice"
        )
        assert asked == {
            "documentTypeName": "invoice",
            "redeliveryCount": "2",
            "uuid": "u-1",
            "document": {"n": 1},
            "transport": "LOCAL",
            "triggerName": "Invoices",
        }

    def test_restarts_a_document_that_it_calls_new_and_audits_the_previous_start(self, resolver):
        resolver(lambda inputs: {"status": "NEW", "message": "rolled back"})
        make_trigger(resolver="tests.resolver")
        began = store_entry("processing")
        checked = check_document(trigger_id="t-1", uuid="u-1")
        assert (checked.verdict, checked.message, checked.is_recorded) == (Verdict.NEW, "rolled back", True)
        entry = AuditEntry.objects.get(action="start_again")
        assert (entry.actor, entry.reason) == ("resolver tests.resolver", "rolled back")
        assert entry.details["old_start"] == began.isoformat()
        complete_document(trigger_id="t-1", uuid="u-1", token=checked.token)
        times = entries_of()
        assert times["processing"] == times["completed"] > began

    def test_is_in_doubt_when_it_raises_or_is_not_there(self, resolver):
        resolver(fail(ValueError("no ledger")))
        make_trigger(resolver="tests.resolver")
        make_trigger("t-2", resolver="tests.nobody")
        for trigger_id in ("t-1", "t-2"):
            store_entry("processing", trigger_id=trigger_id)
            checked = check_document(trigger_id=trigger_id, uuid="u-1")
            assert (checked.verdict, checked.rule) == (Verdict.IN_DOUBT, Rule.RESOLVER_FAILED)
        assert "no ledger" in DocumentInDoubt.objects.get(trigger_id="t-1").message

    def test_suspends_the_trigger_during_a_transient_failure(self, resolver):
        resolver(fail(resolvers.TransientFailure("the ledger is down")))
        make_trigger(resolver="tests.resolver")
        store_entry("processing")
        for uuid in ("u-1", "u-2"):
            with pytest.raises(TriggerSuspended, match="the ledger is down"):
                check_document(trigger_id="t-1", uuid=uuid)
        assert entries_of("u-2") == {}
        assert not DocumentInDoubt.objects.exists()
        assert AuditEntry.objects.filter(action="suspend_trigger").count() == 1

    def test_is_in_doubt_with_the_switch_off_unless_the_trigger_waits(self, resolver, settings):
        settings.SUSPEND_AND_RETRY_ON_ERROR = False
        resolver(fail(resolvers.TransientFailure("down")))
        make_trigger(resolver="tests.resolver")
        make_trigger("t-2", resolver="tests.resolver", on_retry_failure="suspend_and_retry_later")
        store_entry("processing")
        store_entry("processing", trigger_id="t-2")
        assert check_document(trigger_id="t-1", uuid="u-1").rule is Rule.RESOLVER_FAILED
        with pytest.raises(TriggerSuspended):
            check_document(trigger_id="t-2", uuid="u-1")


class TestOpenDocuments:
    def test_follow_the_history_no_matter_who_writes_it(self):
        make_trigger()
        token = check_document(trigger_id="t-1", uuid="u-1").token
        store_entry("processing", uuid="u-2")
        store_both(uuid="u-3")
        assert set(DocumentOpen.objects.values_list("document_uuid", flat=True)) == {"u-1", "u-2"}
        complete_document(trigger_id="t-1", uuid="u-1", token=token)
        sweep_entries()
        assert set(DocumentOpen.objects.values_list("document_uuid", flat=True)) == {"u-2"}
        change_trigger(trigger_id="t-1", actor=ADA, history_ttl_seconds=1)
        sweep_entries()
        assert not DocumentOpen.objects.exists()
