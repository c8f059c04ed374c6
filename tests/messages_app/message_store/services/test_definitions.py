import pytest

from messages_app.message_store import services
from messages_app.message_store.models import SourceDefinition
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
    definition = services.Definition(system="crm", entity=entity, **values)
    return services.define(definition=definition, actor=GRACE, reason=reason)


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
        services.remove_definition(definition_id=removed.pk, actor=GRACE, reason="unused")
        assert [one["entity"] for one in stored()] == ["invoice"]
        details = {"system": "crm", "entity": "order", "json_schema": FIRST["json_schema"]}
        assert audit_rows("remove_source") == [by_grace("remove_source", reason="unused", details=details)]

    def test_rejects_any_other_definition(self):
        removed, _ = define(FIRST, "")
        with pytest.raises(services.DefinitionMissing):
            services.remove_definition(definition_id=removed.pk + 1, actor=GRACE, reason="unused")
        assert len(stored()) == 1
        assert audit_rows("remove_source") == []
