"""The two actions of messages_app/messages/api.py; what it reads is in test_api.py."""

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.messages.models import ExternalCall, Message
from messages_app.shared.message_states import MessageState
from tests.messages_app.messages.test_api import NO_IDS
from tests.support.api_client import ApiClient, caller, problem
from tests.support.factories import make_archived_message, make_external_call, make_message

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator() -> ApiClient:
    return caller("operator")


class TestCancelView:
    def test_cancels_and_returns_the_message(self, operator):
        message = make_message()
        response = operator.post(f"messages/{message.msg_id}/cancel/", {"reason": "sent twice"})
        assert response.status_code == 200
        body = response.json()
        assert (body["msg_id"], body["state"]) == (message.msg_id, "CANCEL")
        assert body["allowed_actions"] == ["restart"]
        entry = AuditEntry.objects.get(action="cancel")
        assert (entry.actor, entry.token_name, entry.address) == ("ada", "test", "127.0.0.1")
        assert (entry.reason, entry.before_state, entry.after_state) == ("sent twice", "NEW", "CANCEL")
        assert entry.request_id == response.headers["X-Request-ID"]

    @pytest.mark.parametrize("state", ["OK", "FAILED", "CANCEL", "PROCESSING"])
    def test_rejects_other_states_with_the_current_state(self, operator, state):
        message = make_message(state=state)
        body = problem(operator.post(f"messages/{message.msg_id}/cancel/", {"reason": "r"}))
        assert (body["status"], body["code"], body["current_state"]) == (409, "state_conflict", state)
        assert AuditEntry.objects.filter(outcome="refused", msg_id=message.msg_id).exists()

    def test_rejects_a_request_whose_expected_state_has_changed(self, operator):
        message = make_message(state="POSTPONED")
        body = problem(
            operator.post(
                f"messages/{message.msg_id}/cancel/", {"reason": "r", "expected_state": "PARTLY_FAILED"}
            )
        )
        assert (body["status"], body["code"]) == (412, "precondition_failed")
        assert body["current_state"] == "POSTPONED"

    def test_rejects_an_archived_message(self, operator):
        message = make_archived_message()
        body = problem(operator.post(f"messages/{message.msg_id}/cancel/", {"reason": "r"}))
        assert (body["status"], body["code"]) == (409, "archived")

    @pytest.mark.parametrize("text", [*NO_IDS, "777"])
    def test_finds_nothing_under_an_unknown_id(self, operator, text):
        make_message(msg_id=1)
        assert problem(operator.post(f"messages/{text}/cancel/", {"reason": "r"}))["status"] == 404

    @pytest.mark.parametrize(
        ("body", "field", "code"),
        [
            ({}, "reason", "required"),
            ({"reason": ""}, "reason", "required"),
            ({"reason": "  "}, "reason", "required"),
            ({"reason": None}, "reason", "required"),
            ({"reason": 7}, "reason", "invalid_value"),
            ({"reason": ["r"]}, "reason", "invalid_value"),
            ({"reason": "r" * 1001}, "reason", "too_long"),
            ({"reason": "r", "state": "OK"}, "state", "unknown_field"),
            ({"reason": "r", "total": True}, "total", "unknown_field"),
            ({"reason": "r", "expected_state": "NOPE"}, "expected_state", "invalid_value"),
            ({"reason": "r", "expected_state": None}, "expected_state", "required"),
        ],
    )
    def test_rejects_unknown_members_of_the_body(self, operator, body, field, code):
        message = make_message()
        answer = problem(operator.post(f"messages/{message.msg_id}/cancel/", body))
        assert answer["status"] == 400
        assert (answer["errors"][0]["field"], answer["errors"][0]["code"]) == (field, code)
        message.refresh_from_db()
        assert message.state == MessageState.NEW

    def test_names_every_field_at_fault(self, operator):
        message = make_message()
        body = problem(
            operator.post(f"messages/{message.msg_id}/cancel/", {"resaon": "r", "expected_state": 1})
        )
        assert {error["field"] for error in body["errors"]} == {"reason", "resaon", "expected_state"}
        assert "Did you mean 'reason'?" in body["detail"]

    @pytest.mark.parametrize(
        "reason", ["<script>alert(1)</script>", "x\r\nSet-Cookie: a=b", "r" * 1000, "🙂"]
    )
    def test_keeps_any_text_as_the_reason(self, operator, reason):
        message = make_message()
        assert operator.post(f"messages/{message.msg_id}/cancel/", {"reason": reason}).status_code == 200
        assert AuditEntry.objects.get(action="cancel").reason == reason

    def test_requires_the_permission_and_records_users_without_it(self):
        message = make_message()
        body = problem(caller("support").post(f"messages/{message.msg_id}/cancel/", {"reason": "r"}))
        assert (body["status"], body["code"]) == (403, "permission_denied")
        entry = AuditEntry.objects.get(action="cancel", outcome="refused")
        assert (entry.actor, entry.details["refusal"]) == ("ada", "permission_denied")
        message.refresh_from_db()
        assert message.state == MessageState.NEW

    def test_changes_no_column_that_the_body_names(self, operator):
        message = make_message()
        body = {field.name: 1 for field in Message._meta.concrete_fields} | {"reason": "r"}
        assert problem(operator.post(f"messages/{message.msg_id}/cancel/", body))["status"] == 400


class TestRestartView:
    def test_hands_the_message_back_to_the_hub(self, operator):
        message = make_message(state="FAILED", failed_count=3)
        make_external_call(message)
        body = operator.post(f"messages/{message.msg_id}/restart/", {"reason": "fixed there"}).json()
        assert (body["state"], body["failed_count"]) == ("PARTLY_FAILED", 3)
        assert ExternalCall.objects.filter(msg_id=message.msg_id).count() == 1

    def test_repeats_every_call_when_total(self, operator):
        message = make_message(state="FAILED")
        call = make_external_call(message)
        response = operator.post(f"messages/{message.msg_id}/restart/", {"reason": "r", "total": True})
        assert response.status_code == 200
        assert not ExternalCall.objects.exists()
        details = AuditEntry.objects.get(action="restart").details
        assert [kept["call_id"] for kept in details["deleted_external_calls"]] == [call.call_id]

    @pytest.mark.parametrize("total", ["yes", "true", 1, 0, None, []])
    def test_accepts_only_true_or_false(self, operator, total):
        message = make_message(state="FAILED")
        body = problem(operator.post(f"messages/{message.msg_id}/restart/", {"reason": "r", "total": total}))
        assert (body["status"], body["errors"][0]["field"]) == (400, "total")

    def test_rejects_a_running_message(self, operator):
        message = make_message(state="PROCESSING")
        body = problem(operator.post(f"messages/{message.msg_id}/restart/", {"reason": "r"}))
        assert (body["code"], body["current_state"]) == ("state_conflict", "PROCESSING")
