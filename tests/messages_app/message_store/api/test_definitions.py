import pytest

from messages_app.audit.models import AuditEntry
from tests.support.api_client import caller, problem
from tests.support.stores import process, status_of, store

pytestmark = pytest.mark.django_db

PATH = "message-store/source-definitions/"
BODY = {
    "system": "crm",
    "entity": "customer",
    "json_schema": {"type": "object"},
    "key_fields": ["id"],
    "references": {},
}


class TestDefinitions:
    def test_are_stored_replaced_and_removed(self):
        admin = caller("admin")
        first = admin.post(PATH, BODY)
        assert first.status_code == 201
        identifier = store([{"id": 1}])
        assert process(identifier).status == 10
        again = admin.post(PATH, BODY | {"json_schema": {"required": ["name"]}, "reason": "names"})
        assert again.status_code == 200
        number = again.json()["definition_id"]
        assert number == first.json()["definition_id"]
        other = store([{"id": 2}])
        assert process(other).status == 25
        assert admin.get(f"{PATH}{number}/").json()["json_schema"] == {"required": ["name"]}
        assert len(admin.get(PATH).json()["results"]) == 1
        assert admin.post(f"{PATH}{number}/remove/", {"reason": "gone"}).status_code == 200
        assert process(store()).status == 23
        assert status_of(identifier) == 10
        actions = AuditEntry.objects.filter(action__endswith="_source").order_by("entry_id")
        assert [entry.action for entry in actions] == ["define_source", "define_source", "remove_source"]

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("json_schema", {"type": "objekt"}),
            ("json_schema", {"pattern": "("}),
            ("json_schema", []),
            ("key_fields", []),
            ("key_fields", ["id", "id"]),
            ("references", {"a": ""}),
            ("references", {"": "customer"}),
            ("reader", "unknown"),
            ("system", ""),
            ("colour", "red"),
        ],
    )
    def test_name_the_field_at_fault(self, field, value):
        answer = caller("admin").post(PATH, BODY | {field: value})
        assert answer.status_code == 400, answer.content
        assert problem(answer)["errors"][0]["field"].split(".")[0] == field

    def test_are_changed_only_by_administrators(self):
        assert caller("operator").post(PATH, BODY).status_code == 403

    @pytest.mark.parametrize("number", ["0", "x", "9" * 30])
    def test_answer_404_for_one_that_does_not_exist(self, number):
        admin = caller("admin")
        assert admin.get(f"{PATH}{number}/").status_code == 404
        assert admin.post(f"{PATH}{number}/remove/", {"reason": "x"}).status_code == 404

    def test_never_read_what_a_schema_refers_to_elsewhere(self, tmp_path):
        (tmp_path / "s.json").write_text("{}")
        for address in (f"file://{tmp_path}/s.json", "http://127.0.0.1:9/s.json"):
            caller("admin", username=address[:4]).post(PATH, BODY | {"json_schema": {"$ref": address}})
            assert process(store([{"id": 1}])).status == 25
