import pytest

from messages_app.message_store.errors import AttemptFailed, DefinitionMissing, InvalidInput
from messages_app.message_store.models import SourceDefinition
from messages_app.message_store.services.definitions import (
    Definition,
    child_definition,
    definition_of,
    remove_definition,
    store_definition,
)
from tests.support.audit_entries import GRACE, audit_rows, by_grace

pytestmark = pytest.mark.django_db

FIRST = {
    "key_fields": ["id", "line"],
    "json_schema": {"type": "object"},
    "references": {"customer": "person"},
    "children": {"lines": "line"},
    "reader": "",
    "processor": "",
}
SECOND = FIRST | {"key_fields": ["number"], "json_schema": {"title": "second"}, "children": {"parts": "part"}}
NAMES = ("system", "entity", *FIRST)


def define(values: dict, reason: str, entity: str = "order") -> tuple[SourceDefinition, bool]:
    definition = Definition(system="crm", entity=entity, **values)
    return store_definition(definition=definition, actor=GRACE, reason=reason)


def stored() -> list[dict]:
    return list(SourceDefinition.objects.order_by("pk").values(*NAMES))


class TestDefine:
    def test_stores_and_replaces_one_definition_and_audits_both_texts(self):
        define(FIRST, "other", entity="invoice")
        first, is_new = define(FIRST, "new")
        assert is_new
        second, is_new = define(SECOND, "repaired")
        assert (second.pk, is_new) == (first.pk, False)
        key = {"system": "crm", "entity": "order"}
        assert stored() == [key | {"entity": "invoice"} | FIRST, key | SECOND]
        of_definition = {"subject_kind": "definition", "subject": str(first.pk)}
        assert audit_rows()[1:] == [
            by_grace(
                "define_source",
                **of_definition,
                reason="new",
                details=key | {"before": None, "after": FIRST},
            ),
            by_grace(
                "define_source",
                **of_definition,
                reason="repaired",
                details=key | {"before": FIRST, "after": SECOND},
            ),
        ]


class TestRemoveDefinition:
    def test_removes_one_definition_and_audits_its_schema(self):
        define(SECOND, "", entity="invoice")
        removed, _ = define(FIRST, "")
        remove_definition(definition_id=removed.pk, actor=GRACE, reason="unused")
        assert [one["entity"] for one in stored()] == ["invoice"]
        details = {"system": "crm", "entity": "order", "json_schema": FIRST["json_schema"]}
        assert audit_rows("remove_source") == [by_grace("remove_source", reason="unused", details=details)]

    def test_rejects_any_other_definition(self):
        removed, _ = define(FIRST, "")
        with pytest.raises(DefinitionMissing):
            remove_definition(definition_id=removed.pk + 1, actor=GRACE, reason="unused")
        assert len(stored()) == 1
        assert audit_rows("remove_source") == []


class TestCheckOfADefinition:
    @pytest.mark.parametrize(
        ("change", "field", "part"),
        [
            ({"system": ""}, "system", "1 to 255 characters"),
            ({"system": "x" * 256}, "system", "1 to 255 characters"),
            ({"entity": ""}, "entity", "1 to 255 characters"),
            ({"key_fields": []}, "key_fields", "1 to 16 fields"),
            ({"key_fields": [f"f{number}" for number in range(17)]}, "key_fields", "1 to 16 fields"),
            ({"key_fields": ["id", "id"]}, "key_fields", "each once"),
            ({"key_fields": ["id", ""]}, "key_fields", "1 to 255 characters"),
            ({"json_schema": {"type": "nothing"}}, "json_schema", r"not a valid JSON Schema: \$\.type: "),
            ({"json_schema": {"pattern": "(?=a)"}}, "json_schema", "^json_schema: the pattern"),
            ({"references": {"": "customer"}}, "references", "1 to 255 characters"),
            ({"references": {"customer": ""}}, "references", "1 to 255 characters"),
            ({"children": {"lines": ""}}, "children", "1 to 255 characters"),
            ({"children": {"": "line"}}, "children", "1 to 255 characters"),
            ({"reader": "tests.nothing"}, "reader", "no reader with this name"),
            ({"processor": "tests.nothing"}, "processor", "no processor with this name"),
        ],
        ids=str,
    )
    def test_names_the_field(self, change, field, part):
        definition = Definition(**{"system": "crm", "entity": "order"} | FIRST | change)
        with pytest.raises(InvalidInput, match=part) as refused:
            store_definition(definition=definition, actor=GRACE)
        assert (refused.value.field, refused.value.code) == (field, "invalid_value")
        assert (stored(), audit_rows()) == ([], [])

    def test_accepts_the_longest_names_and_the_most_keys(self):
        values = {"system": "x" * 255, "entity": "y" * 255}
        values |= FIRST | {"key_fields": [f"f{number}" for number in range(16)]}
        assert store_definition(definition=Definition(**values), actor=GRACE)[1]


class TestDefinitionOf:
    @pytest.fixture(autouse=True)
    def _definitions(self) -> None:
        for system, entity in (
            ("crm", "customer"),
            ("erp", "customer"),
            ("erp", "order"),
            ("*", "line"),
            ("crm", "line"),
        ):
            store_definition(
                definition=Definition(system=system, entity=entity, key_fields=["id"]), actor=GRACE
            )

    @pytest.mark.parametrize(
        ("system", "entity", "of_system"),
        [
            ("crm", "customer", "crm"),
            ("erp", "customer", "erp"),
            (None, "order", "erp"),
            ("", "order", "erp"),
            (None, "line", "*"),
            ("crm", "line", "crm"),
        ],
    )
    def test_is_that_of_the_system_or_the_only_one(self, system, entity, of_system):
        definition = definition_of(system, entity)
        assert (definition.system, definition.entity) == (of_system, entity)

    @pytest.mark.parametrize(
        ("system", "entity", "status", "error"),
        [
            ("crm", None, 22, "The message has no entity."),
            ("crm", "", 22, "The message has no entity."),
            ("hr", "order", 23, "There is no source definition for the system 'hr'."),
            ("crm", "order", 24, "The system 'crm' has no entity 'order'."),
            (None, "customer", 24, "The system '*' has no entity 'customer'."),
        ],
    )
    def test_fails_with_the_status_of_what_is_missing(self, system, entity, status, error):
        with pytest.raises(AttemptFailed) as failed:
            definition_of(system, entity)
        assert (failed.value.status, failed.value.errors) == (status, [error])

    def test_of_a_message_without_a_system_needs_a_definition_of_any(self):
        SourceDefinition.objects.filter(system="*").delete()
        with pytest.raises(AttemptFailed) as failed:
            definition_of(None, "customer")
        assert failed.value.status == 23

    def test_of_children_is_that_of_the_parents_system(self):
        parent = definition_of("erp", "order")
        assert child_definition(parent, "customer").system == "erp"
        with pytest.raises(AttemptFailed) as failed:
            child_definition(parent, "line")
        text = "The system 'erp' has no entity 'line', of which 'order' has children."
        assert (failed.value.status, failed.value.errors) == (24, [text])
