import pytest

from messages_app.audit.models import AuditEntry
from messages_app.message_store.models import SourceDefinition
from messages_app.message_store.services.definitions import read_version
from tests.support.page_client import client_of, text_of
from tests.support.page_forms import send_form
from tests.support.stores import define

pytestmark = pytest.mark.django_db
LIST = "/message-store/definitions/"
VALUES = {
    "system": "erp",
    "entity": "invoice",
    "key_fields": "number, year",
    "references": '{"customer": "customer"}',
    "children": "",
    "json_schema": '{"type": "object"}',
    "reason": "a new system",
}


class TestDefinitionList:
    def test_names_the_references_of_each(self):
        define("crm", "order", references={"customer": "customer"})
        page = text_of(client_of("support").get(LIST))
        assert "customer by customer" in page
        assert "New definition" not in page


class TestNewDefinition:
    def test_makes_one(self):
        client = client_of("admin")
        empty = client.get(f"{LIST}new/")
        assert (empty.status_code, empty.context["form"].is_bound) == (200, False)
        answer = client.post(f"{LIST}new/", VALUES, follow=True)
        found = SourceDefinition.objects.get()
        assert answer.redirect_chain == [(f"{LIST}{found.pk}/", 302)]
        assert "Definition created." in text_of(answer)
        assert (found.system, found.entity) == ("erp", "invoice")
        assert (found.key_fields, found.references) == (["number", "year"], {"customer": "customer"})
        assert AuditEntry.objects.get().reason == "a new system"
        assert answer.context["form"].initial == {
            "key_fields": "number, year",
            "references": {"customer": "customer"},
            "children": None,
            "json_schema": {"type": "object"},
            "reader": None,
            "processor": None,
            "version": read_version(found),
        }

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"json_schema": "{"}, "valid JSON"),
            ({"references": "[1]"}, "Enter a JSON object"),
            ({"key_fields": "a, a"}, "each once"),
            ({"json_schema": '{"type": 7}'}, "is not a valid JSON Schema"),
            ({"processor": "nobody"}, "There is no processor with this name"),
            ({"system": "crm", "entity": "customer"}, "already have a definition"),
            ({"reason": ""}, "Enter a reason"),
        ],
    )
    def test_reports_errors(self, changes, words):
        define()
        answer = client_of("admin").post(f"{LIST}new/", VALUES | changes)
        assert answer.status_code == 400
        assert words in text_of(answer)
        assert SourceDefinition.objects.count() == 1

    def test_is_for_administrators(self):
        assert client_of("operator").get(f"{LIST}new/").status_code == 403
        assert client_of("operator", username="bob").post(f"{LIST}new/", VALUES).status_code == 403
        assert [*AuditEntry.objects.values_list("outcome", flat=True)] == ["refused"] * 2


class TestDefinitionPage:
    def test_is_read_by_all_and_changed_by_administrators(self):
        found = define()
        page = text_of(client_of("support").get(f"{LIST}{found.pk}/"))
        assert "maxLength" in page
        assert ">Save definition<" not in page
        client = client_of("admin", username="bob")
        answer = send_form(client, f"{LIST}{found.pk}/", VALUES | {"key_fields": "id"}, follow=True)
        assert answer.redirect_chain == [(f"{LIST}{found.pk}/", 302)]
        assert "Definition saved. It applies to new attempts." in text_of(answer)
        found.refresh_from_db()
        assert (found.system, found.references) == ("crm", {"customer": "customer"})

    def test_removes_one_with_a_reason(self):
        found = define()
        client = client_of("admin")
        assert client.post(f"{LIST}{found.pk}/remove/", {"reason": ""}).status_code == 400
        other = define(entity="order")
        answer = client.post(f"{LIST}{found.pk}/remove/", {"reason": "gone"}, follow=True)
        assert answer.redirect_chain == [(LIST, 302)]
        assert "Definition removed." in text_of(answer)
        assert SourceDefinition.objects.get() == other
        entry = AuditEntry.objects.get(action="remove_source")
        assert (entry.actor, entry.details["entity"], entry.reason) == ("ada", "customer", "gone")
        assert client.get(f"{LIST}{found.pk}/").status_code == 404

    @pytest.mark.parametrize(("path", "action"), [("", "define_source"), ("remove/", "remove_source")])
    def test_refuses_operators_with_an_audit_entry(self, path, action):
        found = define()
        assert client_of("operator").post(f"{LIST}{found.pk}/{path}", VALUES).status_code == 403
        entry = AuditEntry.objects.get(outcome="refused")
        subject = (entry.actor, entry.action, entry.subject_kind, entry.subject)
        assert subject == ("ada", action, "definition", str(found.pk))
        assert SourceDefinition.objects.get().key_fields == ["id"]
