import pytest

from messages_app.audit.models import AuditEntry
from messages_app.document_history.models import DocumentTrigger
from messages_app.document_history.selectors.outcomes import outcome_page
from messages_app.document_history.services import resolvers
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.errors import DocumentConflict, InvalidTrigger, TriggerNotFound
from messages_app.document_history.services.resolvers import register_resolver, unregister_resolver
from messages_app.document_history.services.triggers import (
    change_trigger,
    clear_statistics,
    create_trigger,
    delete_trigger,
    is_trigger_id,
)
from tests.support.histories import ADA, make_trigger, store_both

pytestmark = pytest.mark.django_db


class TestCreateTrigger:
    def test_sets_an_id_and_the_defaults(self):
        trigger = create_trigger(actor=ADA, name="Invoices")
        assert len(trigger.trigger_id) == 36
        assert (trigger.detect_duplicates, trigger.use_history) == (True, True)
        assert trigger.history_ttl_seconds == 172_800
        assert AuditEntry.objects.get(action="create_trigger").subject == trigger.pk

    @pytest.mark.parametrize(
        ("properties", "field", "code"),
        [
            ({"name": " "}, "name", "required"),
            ({"name": "x" * 201}, "name", "too_long"),
            ({"trigger_id": "a b"}, "trigger_id", "invalid_value"),
            ({"trigger_id": "../x"}, "trigger_id", "invalid_value"),
            ({"trigger_id": "x" * 101}, "trigger_id", "too_long"),
            ({"history_ttl_seconds": 0}, "history_ttl_seconds", "out_of_range"),
            ({"history_ttl_seconds": 10**12}, "history_ttl_seconds", "out_of_range"),
            ({"on_retry_failure": "maybe"}, "on_retry_failure", "invalid_value"),
        ],
    )
    def test_refuses_invalid_properties(self, properties, field, code):
        with pytest.raises(InvalidTrigger) as refused:
            create_trigger(actor=ADA, **{"name": "n"} | properties)
        assert (refused.value.field, refused.value.code) == (field, code)
        assert not DocumentTrigger.objects.exists()

    def test_refuses_an_id_that_was_used_before(self):
        make_trigger()
        delete_trigger(trigger_id="t-1", actor=ADA)
        with pytest.raises(DocumentConflict):
            make_trigger()


class TestChangeTrigger:
    def test_keeps_unnamed_properties_and_audits_the_named_ones(self):
        make_trigger(history_ttl_seconds=60)
        changed = change_trigger(trigger_id="t-1", actor=ADA, reason="longer", history_ttl_seconds=90)
        assert (changed.history_ttl_seconds, changed.name) == (90, "trigger t-1")
        entry = AuditEntry.objects.get(action="change_trigger")
        assert entry.details["properties"]["before"] == {"history_ttl_seconds": 60}

    def test_rejects_any_other_trigger(self):
        with pytest.raises(TriggerNotFound):
            change_trigger(trigger_id="t-1", actor=ADA, name="n")


class TestClearStatistics:
    def test_hides_outcomes_of_one_trigger_or_all(self):
        for trigger_id in ("t-1", "t-2"):
            make_trigger(trigger_id)
            store_both(trigger_id=trigger_id)
            check_document(trigger_id=trigger_id, uuid="u-1")
        clear_statistics(actor=ADA, trigger_id="t-1")
        assert [row.trigger_id for row in outcome_page(values={}).rows] == ["t-2"]
        check_document(trigger_id="t-1", uuid="u-1")
        assert [row.trigger_id for row in outcome_page(values={}).rows] == ["t-1", "t-2"]
        clear_statistics(actor=ADA)
        assert outcome_page(values={}).rows == []

    def test_rejects_any_other_trigger(self):
        with pytest.raises(TriggerNotFound):
            clear_statistics(actor=ADA, trigger_id="t-1")


class TestIsTriggerId:
    @pytest.mark.parametrize("text", ["orders", "3f0c-1", "a:b", "a,b", "x" * 100])
    def test_accepts_valid_properties(self, text):
        assert is_trigger_id(text)

    @pytest.mark.parametrize("text", ["", " ", "a b", "../x", "a\nb", "\0", "x" * 101])
    def test_accepts_nothing_else(self, text):
        assert not is_trigger_id(text)


@pytest.fixture
def ledger():
    register_resolver("tests.ledger")(_ask_ledger)
    yield "tests.ledger"
    unregister_resolver("tests.ledger")


def _ask_ledger(asked):
    return {"status": "NEW"}


class TestTheResolverOfATrigger:
    def test_must_be_registered_when_the_trigger_is_created(self, ledger):
        with pytest.raises(InvalidTrigger) as refused:
            create_trigger(actor=ADA, name="n", resolver="tests.lodger")
        assert (refused.value.field, refused.value.code) == ("resolver", "invalid_value")
        assert str(refused.value).startswith(
            "There is no resolver named 'tests.lodger'. Registered resolvers: "
        )
        assert "'tests.ledger'" in str(refused.value)
        assert not DocumentTrigger.objects.exists()
        assert create_trigger(actor=ADA, name="n", resolver=ledger).resolver == ledger

    def test_must_be_registered_when_the_trigger_is_changed(self, ledger):
        make_trigger(resolver=ledger)
        with pytest.raises(InvalidTrigger):
            change_trigger(trigger_id="t-1", actor=ADA, resolver="tests.lodger")
        assert DocumentTrigger.objects.get().resolver == ledger
        assert change_trigger(trigger_id="t-1", actor=ADA, resolver="").resolver == ""

    def test_may_be_missing_while_another_property_is_changed(self):
        make_trigger(resolver="tests.gone")
        changed = change_trigger(trigger_id="t-1", actor=ADA, name="another name", resolver="tests.gone")
        assert (changed.name, changed.resolver) == ("another name", "tests.gone")

    def test_is_refused_with_the_error_of_a_module_that_cannot_be_imported(self, settings):
        settings.DOCUMENT_RESOLVERS = ["no_such_module_of_tests"]
        resolvers._import_modules.cache_clear()
        try:
            with pytest.raises(InvalidTrigger) as refused:
                create_trigger(actor=ADA, name="n", resolver="tests.ledger")
        finally:
            resolvers._import_modules.cache_clear()
        assert "No module named 'no_such_module_of_tests'" in str(refused.value)
