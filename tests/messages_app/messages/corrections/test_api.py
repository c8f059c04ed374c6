"""POST messages/{msg_id}/resend/, and the links in the answers of messages."""

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.messages.models import Message, ResentMessage
from tests.messages_app.messages.test_api import NO_IDS
from tests.support.api_client import ApiClient, caller, problem
from tests.support.factories import PAYLOAD, make_archived_message, make_message

pytestmark = pytest.mark.django_db

CORRECTED = PAYLOAD.replace("Ada Lovelace", "Grace Hopper")
BODY = {"payload": CORRECTED, "reason": "wrong customer"}


@pytest.fixture
def editor() -> ApiClient:
    return caller("operator", "view_payload", "edit_payload")


@pytest.fixture
def failed() -> Message:
    return make_message(state="FAILED")


def fields_of(body: dict) -> dict[str, str]:
    return {error["field"]: error["code"] for error in body["errors"]}


class TestResend:
    def test_gives_the_new_message(self, editor, failed):
        response = editor.post(f"messages/{failed.msg_id}/resend/", BODY)
        assert response.status_code == 201
        body = response.json()
        sent = Message.objects.exclude(pk=failed.pk).get()
        assert (body["msg_id"], body["state"]) == (sent.msg_id, "POSTPONED")
        assert (body["resent_from"], body["resent_as"]) == (failed.msg_id, None)
        assert response.headers["Location"].endswith(f"/api/v1/messages/{sent.msg_id}/")
        assert sent.payload == CORRECTED
        failed.refresh_from_db()
        assert failed.state == "CANCEL"
        entry = AuditEntry.objects.get(action="resend", msg_id=failed.msg_id)
        assert (entry.actor, entry.token_name, entry.reason) == ("ada", "test", "wrong customer")

    def test_is_seen_from_both_messages(self, editor, failed):
        sent = editor.post(f"messages/{failed.msg_id}/resend/", BODY).json()
        original = editor.get(f"messages/{failed.msg_id}/").json()
        assert (original["resent_from"], original["resent_as"]) == (None, sent["msg_id"])
        assert editor.get(f"messages/{sent['msg_id']}/").json()["resent_from"] == failed.msg_id

    def test_leaves_the_original_on_request(self, editor, failed):
        response = editor.post(f"messages/{failed.msg_id}/resend/", BODY | {"cancel_original": False})
        assert response.status_code == 201
        failed.refresh_from_db()
        assert failed.state == "FAILED"

    def test_a_second_request_names_the_new_message(self, editor, failed):
        sent = editor.post(f"messages/{failed.msg_id}/resend/", BODY).json()
        body = problem(editor.post(f"messages/{failed.msg_id}/resend/", BODY))
        assert (body["status"], body["code"]) == (409, "already_resent")
        assert (body["current_state"], body["resent_as"]) == ("CANCEL", sent["msg_id"])
        assert Message.objects.count() == 2

    def test_a_repeat_with_the_same_key_gets_the_same_answer(self, editor, failed):
        first = editor.post(f"messages/{failed.msg_id}/resend/", BODY, Idempotency_Key="k-1")
        again = editor.post(f"messages/{failed.msg_id}/resend/", BODY, Idempotency_Key="k-1")
        assert (first.status_code, again.status_code) == (201, 201)
        assert again.json() == first.json()
        assert Message.objects.count() == 2

    @pytest.mark.parametrize("state", ["OK", "NEW", "PARTLY_FAILED", "CANCEL", "PROCESSING"])
    def test_rejects_other_states(self, editor, state):
        message = make_message(state=state)
        body = problem(editor.post(f"messages/{message.msg_id}/resend/", BODY))
        assert (body["status"], body["code"], body["current_state"]) == (409, "state_conflict", state)

    def test_rejects_a_state_that_is_not_the_expected_one(self, editor, failed):
        body = problem(editor.post(f"messages/{failed.msg_id}/resend/", BODY | {"expected_state": "NEW"}))
        assert (body["status"], body["code"]) == (412, "precondition_failed")

    def test_rejects_an_archived_message(self, editor):
        message = make_archived_message(state="FAILED")
        body = problem(editor.post(f"messages/{message.msg_id}/resend/", BODY))
        assert (body["status"], body["code"]) == (409, "archived")

    @pytest.mark.parametrize("text", [*NO_IDS, "777"])
    def test_finds_nothing_under_an_unknown_id(self, editor, text):
        make_message(msg_id=1, state="FAILED")
        assert problem(editor.post(f"messages/{text}/resend/", BODY))["status"] == 404

    @pytest.mark.parametrize(
        ("body", "fields"),
        [
            ({}, {"payload": "required", "reason": "required"}),
            ({"reason": "r"}, {"payload": "required"}),
            ({"payload": CORRECTED}, {"reason": "required"}),
            (BODY | {"reason": " "}, {"reason": "required"}),
            (BODY | {"reason": "x" * 1001}, {"reason": "too_long"}),
            (BODY | {"payload": None}, {"payload": "required"}),
            (BODY | {"payload": 7}, {"payload": "invalid_value"}),
            (BODY | {"payload": {"a": 1}}, {"payload": "invalid_value"}),
            (BODY | {"payload": ""}, {"payload": "required"}),
            (BODY | {"payload": "<order>"}, {"payload": "not_well_formed"}),
            (BODY | {"payload": "{}"}, {"payload": "other_type"}),
            (BODY | {"payload": PAYLOAD}, {"payload": "unchanged"}),
            (BODY | {"payload": "<a>•••</a>"}, {"payload": "masked"}),
            (BODY | {"cancel_original": "yes"}, {"cancel_original": "invalid_value"}),
            (BODY | {"cancel_original": None}, {"cancel_original": "required"}),
            (BODY | {"expected_state": "BROKEN"}, {"expected_state": "invalid_value"}),
            (BODY | {"cancel": True}, {"cancel": "unknown_field"}),
        ],
    )
    def test_names_the_field_of_bad_input(self, editor, failed, body, fields):
        answer = problem(editor.post(f"messages/{failed.msg_id}/resend/", body))
        assert answer["status"] == 400
        assert fields_of(answer) == fields
        failed.refresh_from_db()
        assert failed.state == "FAILED"
        assert not ResentMessage.objects.exists()

    def test_rejects_a_nul_character(self, editor, failed):
        response = editor.post(f"messages/{failed.msg_id}/resend/", BODY | {"payload": "<a>\0</a>"})
        assert problem(response)["status"] == 400

    def test_keeps_blanks_around_a_payload(self, editor, failed):
        sent = editor.post(f"messages/{failed.msg_id}/resend/", BODY | {"payload": f"\n {CORRECTED}\n"})
        assert Message.objects.get(pk=sent.json()["msg_id"]).payload == f"\n {CORRECTED}\n"


class TestRights:
    @pytest.mark.parametrize(
        "roles",
        [
            ("support",),
            ("admin",),
            ("admin", "view_payload"),
            ("operator", "edit_payload"),
            ("edit_payload",),
        ],
    )
    def test_both_rights_are_needed(self, failed, roles):
        body = problem(caller(*roles).post(f"messages/{failed.msg_id}/resend/", BODY))
        assert (body["status"], body["code"]) == (403, "permission_denied")
        assert Message.objects.count() == 1
        entry = AuditEntry.objects.get(action="resend")
        assert entry.outcome == "refused"

    def test_the_missing_right_is_named(self, failed):
        body = problem(caller("operator", "edit_payload").post(f"messages/{failed.msg_id}/resend/", BODY))
        assert "view_payload" in body["detail"]

    @pytest.mark.parametrize("scopes", [["payload:edit"], ["payload:read", "messages:act"]])
    def test_a_token_needs_both_scopes(self, failed, scopes):
        user = caller("operator", "view_payload", "edit_payload", scopes=[*scopes, "messages:read"])
        assert problem(user.post(f"messages/{failed.msg_id}/resend/", BODY))["status"] == 403
        assert Message.objects.count() == 1

    def test_a_token_with_both_scopes_may(self, failed):
        scopes = ["payload:edit", "payload:read"]
        user = caller("view_payload", "edit_payload", scopes=scopes)
        assert user.post(f"messages/{failed.msg_id}/resend/", BODY).status_code == 201

    def test_a_session_with_masked_values_needs_a_reason_first(self, failed, client):
        editor = caller("operator", "view_payload", "edit_payload").user
        client.force_login(editor)
        answer = client.post(
            f"/api/v1/messages/{failed.msg_id}/resend/", BODY, content_type="application/json"
        )
        body = problem(answer)
        assert (body["status"], body["code"]) == (403, "reveal_required")
        assert Message.objects.count() == 1


class TestSecondPerson:
    def test_is_needed_for_single_messages_if_the_setting_says_so(self, editor, failed, settings):
        settings.RESEND_GUARD = "second_person"
        body = problem(editor.post(f"messages/{failed.msg_id}/resend/", BODY))
        assert (body["status"], body["code"]) == (409, "approval_required")
        assert "Create a job of kind resend" in body["detail"]
        failed.refresh_from_db()
        assert failed.state == "FAILED"
        assert Message.objects.count() == 1


class TestRestartOfAnOriginal:
    @pytest.mark.parametrize("is_cancelled", [True, False])
    def test_needs_a_clear_word(self, editor, failed, is_cancelled):
        sent = editor.post(
            f"messages/{failed.msg_id}/resend/", BODY | {"cancel_original": is_cancelled}
        ).json()
        state = "CANCEL" if is_cancelled else "FAILED"
        refused = problem(editor.post(f"messages/{failed.msg_id}/restart/", {"reason": "r"}))
        assert (refused["status"], refused["code"], refused["current_state"], refused["resent_as"]) == (
            409,
            "already_resent",
            state,
            sent["msg_id"],
        )
        assert refused["detail"] == (
            f"Message {failed.msg_id} was corrected and resent as message {sent['msg_id']}. After a restart,"
            " the hub would process both: allow that with also_resent."
        )
        failed.refresh_from_db()
        assert failed.state == state
        answer = editor.post(f"messages/{failed.msg_id}/restart/", {"reason": "r", "also_resent": True})
        assert (answer.status_code, answer.json()["state"]) == (200, "PARTLY_FAILED")

    def test_is_refused_for_its_state_first(self, editor, failed):
        editor.post(f"messages/{failed.msg_id}/resend/", BODY)
        Message.objects.filter(pk=failed.pk).update(state="PROCESSING")
        refused = problem(editor.post(f"messages/{failed.msg_id}/restart/", {"reason": "r"}))
        assert refused["code"] == "state_conflict"

    def test_takes_no_other_value(self, editor, failed):
        body = {"reason": "r", "also_resent": "yes"}
        assert "also_resent" in fields_of(problem(editor.post(f"messages/{failed.msg_id}/restart/", body)))
