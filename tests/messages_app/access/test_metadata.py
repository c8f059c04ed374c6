import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.api_client import ApiClient, caller, problem
from tests.support.factories import make_message
from tests.support.routes import addresses

pytestmark = pytest.mark.django_db

ADDRESSES = [
    address.removeprefix("api/v1/")
    for address in addresses()
    if address.startswith("api/v1/") and address not in {"api/v1/docs/", "api/v1/schema/"}
]


class TestOptions:
    def test_describe_every_address(self):
        admin = caller("admin", "view_payload", "edit_payload", "history_service")
        assert len(ADDRESSES) > 90
        for address in ADDRESSES:
            answer = admin.send("OPTIONS", address)
            assert answer.status_code == 200, (address, answer.content)
            told = answer.json()
            assert {"name", "description", "renders", "parses", "actions"} <= set(told), address
            assert "OPTIONS" in answer.headers["Allow"], address
            assert told["description"]

    def test_name_the_fields_of_a_body(self):
        told = caller("operator").send("OPTIONS", "messages/777/restart/").json()
        fields = told["actions"]["POST"]
        assert set(fields) == {"reason", "expected_state", "total", "also_resent"}
        assert (fields["reason"]["required"], fields["total"]["type"]) == (True, "boolean")
        assert told["parses"] == ["application/json"]
        assert told["description"].startswith("POST: ")

    def test_describe_a_call_as_a_whole(self):
        told = caller("operator").send("OPTIONS", "messages/777/cancel/").json()
        assert {name: told[name] for name in ("name", "renders", "parses")} == {
            "name": "Cancel",
            "renders": ["application/json"],
            "parses": ["application/json"],
        }

    def test_leave_out_what_the_caller_may_not_do(self):
        support, admin = caller("support"), caller("admin", username="bo")
        assert set(admin.send("OPTIONS", "tokens/").json()["actions"]) == {"POST"}
        told = support.send("OPTIONS", "tokens/").json() if support.send("OPTIONS", "tokens/") else {}
        assert told.get("actions", {}) == {}
        assert support.send("OPTIONS", "messages/777/restart/").json()["actions"] == {}

    def test_leave_out_what_the_token_may_not_do(self):
        confined = caller("admin", scopes=["messages:read"])
        assert confined.send("OPTIONS", "messages/777/restart/").json()["actions"] == {}

    def test_do_not_read_the_object(self):
        make_message()
        admin = caller("admin")
        admin.send("OPTIONS", "messages/5/")  # The first request also reads permissions.
        with CaptureQueriesContext(
            connection,
        ) as statements:
            assert admin.send("OPTIONS", "messages/777/").status_code == 200
        assert not [each for each in statements if '"message"' in each["sql"]]

    def test_have_no_entity_tag(self):
        assert "ETag" not in caller("admin").send("OPTIONS", "messages/777/").headers

    def test_ask_a_stranger_to_log_in(self):
        assert problem(ApiClient().send("OPTIONS", "messages/"))["status"] == 401
        assert Client().options("/api/v1/messages/").status_code == 401
