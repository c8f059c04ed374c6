import pytest

from messages_app.audit.models import AuditEntry
from messages_app.document_history.services.triggers import suspend_trigger
from tests.support.api_client import ApiClient, caller, problem
from tests.support.histories import make_trigger, store_both

pytestmark = pytest.mark.django_db

TRIGGERS = "document-history/triggers/"


@pytest.fixture
def admin() -> ApiClient:
    return caller("admin")


def patch(client: ApiClient, trigger_id: str, body: dict):
    return client.client.patch(
        f"/api/v1/{TRIGGERS}{trigger_id}/", body, content_type="application/json", headers=client.headers
    )


class TestTriggers:
    def test_are_stored_and_listed_with_the_fields_of_the_contract(self, admin):
        body = {
            "trigger_id": "t-1",
            "name": "Invoices",
            "detect_duplicates": True,
            "use_history": True,
            "history_ttl_seconds": 3600,
            "resolver": "",
        }
        stored = admin.post(TRIGGERS, body)
        assert stored.status_code == 201
        (listed,) = admin.get(TRIGGERS).json()["results"]
        assert listed == stored.json()
        assert {name: listed[name] for name in body} == body

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({}, "name"),
            ({"name": "n", "history_ttl_seconds": 0}, "history_ttl_seconds"),
            ({"name": "n", "history_ttl_seconds": "60"}, "history_ttl_seconds"),
            ({"name": "n", "use_history": 1}, "use_history"),
            ({"name": "n", "trigger_id": "a/b"}, "trigger_id"),
            ({"name": "n", "suspended_at": None}, "suspended_at"),
        ],
    )
    def test_are_refused_by_the_field_at_fault(self, admin, body, field):
        answer = problem(admin.post(TRIGGERS, body))
        assert (answer["status"], answer["errors"][0]["field"]) == (400, field)

    def test_never_reuse_an_id(self, admin):
        make_trigger()
        assert problem(admin.post(TRIGGERS, {"trigger_id": "t-1", "name": "n"}))["status"] == 409

    def test_are_changed_by_administrators_with_their_counts(self, admin):
        make_trigger()
        store_both(age="2 hours")
        assert admin.get(f"{TRIGGERS}t-1/expiring/?history_ttl_seconds=3600").json()["expiring"] == 2
        assert patch(admin, "t-1", {"history_ttl_seconds": 3600, "reason": "disk"}).status_code == 200
        found = admin.get(f"{TRIGGERS}t-1/").json()
        assert (found["history_ttl_seconds"], found["counts"]["expired"]) == (3600, 2)
        assert AuditEntry.objects.get(action="change_trigger").reason == "disk"
        operator = caller("operator", username="oscar")
        assert patch(operator, "t-1", {"name": "mine"}).status_code == 403

    @pytest.mark.parametrize("query", ["", "?history_ttl_seconds=0", "?history_ttl_seconds=x", "?ttl=5"])
    def test_report_what_would_expire_only_for_a_time_to_live(self, admin, query):
        make_trigger()
        assert problem(admin.get(f"{TRIGGERS}t-1/expiring/{query}"))["status"] == 400

    def test_are_resumed_and_deleted_with_a_reason(self, admin):
        make_trigger()
        suspend_trigger(trigger_id="t-1", because="down")
        assert admin.get(f"{TRIGGERS}t-1/").json()["suspended_because"] == "down"
        assert problem(admin.post(f"{TRIGGERS}t-1/resume/", {}))["errors"][0]["field"] == "reason"
        assert admin.post(f"{TRIGGERS}t-1/resume/", {"reason": "up"}).json()["suspended_at"] is None
        assert problem(admin.post(f"{TRIGGERS}t-1/resume/", {"reason": "up"}))["status"] == 409
        assert admin.post(f"{TRIGGERS}t-1/delete/", {"reason": "gone"}).status_code == 200
        for path in ("t-1/", "%00/", "t-9/"):
            assert problem(admin.get(f"{TRIGGERS}{path}"))["status"] == 404

    def test_are_not_deleted_by_method(self, admin):
        make_trigger()
        assert admin.send("DELETE", f"{TRIGGERS}t-1/").status_code == 405


class TestAnUnknownResolver:
    def test_is_refused_by_post_and_patch_with_the_registered_names(self):
        make_trigger()
        client = caller("admin")
        for answer in (
            client.post("document-history/triggers/", {"name": "n", "resolver": "nosuch"}),
            client.send("PATCH", "document-history/triggers/t-1/", b'{"resolver": "nosuch"}'),
        ):
            assert answer.status_code == 400
            (error,) = answer.json()["errors"]
            assert (error["field"], error["code"]) == ("resolver", "invalid_value")
            assert error["message"].startswith("There is no resolver named 'nosuch'. Registered resolvers: ")

    def test_of_an_old_trigger_is_reported(self):
        make_trigger(resolver="nosuch")
        make_trigger("t-2")
        client = caller("support")
        rows = client.get("document-history/triggers/").json()["results"]
        faults = {row["trigger_id"]: row["resolver_fault"] for row in rows}
        assert faults["t-2"] == ""
        assert faults["t-1"].startswith("There is no resolver named 'nosuch'.")
        one = client.get("document-history/triggers/t-1/").json()
        assert one["resolver_fault"] == faults["t-1"]
