import pytest
from django.test import Client

from messages_app.audit.models import AuditEntry
from messages_app.messages.models import ExternalCall, Message
from messages_app.shared.message_states import STATE_MEANINGS
from tests.support.factories import make_archived_message, make_external_call, make_message, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator() -> Client:
    client = Client()
    client.force_login(make_user("operator"))
    return client


def post(client: Client, message: Message, action: str, **fields: str):
    return client.post(f"/messages/{message.pk}/{action}/", {"reason": "the gateway is back"} | fields)


def state_of(message: Message) -> str:
    return Message.objects.get(pk=message.pk).state


class TestMessageAction:
    def test_shows_the_effects_first(self, operator):
        message = make_message(state="FAILED", failed_count=4)
        make_external_call(message)
        page = operator.get(f"/messages/{message.pk}/restart/?total=true").content.decode()
        assert "exactly one more attempt" in page
        assert 'data-outcome="sent again"' in page
        assert "1 of them already succeeded" in page
        assert state_of(message) == "FAILED"
        assert not AuditEntry.objects.exists()

    def test_says_whether_a_cancel_is_final(self, operator, settings):
        settings.HUB_RULES = "openhub"
        for state, words in (("PROCESSING", "only a request"), ("POSTPONED", "Cancelling is final")):
            message = make_message(state=state)
            assert words in operator.get(f"/messages/{message.pk}/cancel/").content.decode()

    def test_links_the_messages_that_it_names(self, operator):
        parent = make_message(state="FAILED")
        message = make_message(state="FAILED", parent_msg_id=parent.pk, parent_binding_type="HARD")
        page = operator.get(f"/messages/{message.pk}/restart/").content.decode()
        assert f'<a href="/messages/{parent.pk}/">{parent.pk}</a>' in page

    def test_cancels_with_a_reason(self, operator):
        message = make_message(state="POSTPONED")
        response = post(operator, message, "cancel", expected_state="POSTPONED")
        assert response.url == f"/messages/{message.pk}/"
        entry = AuditEntry.objects.get()
        assert (state_of(message), entry.actor, entry.reason) == ("CANCEL", "ada", "the gateway is back")
        assert entry.address == "127.0.0.1"

    def test_returns_to_the_list_that_the_message_was_opened_from(self, operator):
        message = make_message(state="FAILED")
        page = operator.get(f"/messages/{message.pk}/restart/?state=FAILED&total=true").content.decode()
        assert 'name="list_query" value="?state=FAILED"' in page
        response = post(operator, message, "restart", list_query="?state=FAILED&x=1")
        assert response.url == f"/messages/{message.pk}/?state=FAILED"

    def test_restarts_and_keeps_the_external_calls(self, operator):
        message = make_message(state="FAILED")
        make_external_call(message)
        post(operator, message, "restart", expected_state="FAILED", total="False")
        assert (state_of(message), ExternalCall.objects.count()) == ("PARTLY_FAILED", 1)

    def test_deletes_the_external_calls_in_a_restart_from_scratch(self, operator):
        message = make_message(state="FAILED")
        make_external_call(message)
        post(operator, message, "restart", expected_state="FAILED", total="True")
        assert (state_of(message), ExternalCall.objects.count()) == ("PARTLY_FAILED", 0)

    @pytest.mark.parametrize("reason", ["", "   ", "x" * 1001, "a\0b"])
    def test_requires_a_valid_reason(self, operator, reason):
        message = make_message(state="FAILED")
        response = post(operator, message, "restart", reason=reason)
        assert response.status_code == 400
        assert response.context["form"].errors["reason"]
        assert state_of(message) == "FAILED"

    def test_shows_the_current_state_when_the_hub_was_faster(self, operator):
        message = make_message(state="PARTLY_FAILED")
        Message.objects.filter(pk=message.pk).update(state="PROCESSING")
        response = post(operator, message, "cancel", expected_state="PARTLY_FAILED")
        page = response.content.decode()
        assert response.status_code == 409
        assert 'data-state="PROCESSING"' in page
        assert STATE_MEANINGS["PROCESSING"] in page
        assert state_of(message) == "PROCESSING"
        assert AuditEntry.objects.get().outcome == "refused"

    def test_rejects_a_second_restart(self, operator):
        message = make_message(state="FAILED")
        assert post(operator, message, "restart", expected_state="FAILED").status_code == 302
        assert post(operator, message, "restart", expected_state="FAILED").status_code == 409

    def test_does_not_show_a_form_for_an_action_that_is_not_allowed(self, operator):
        response = operator.get(f"/messages/{make_message(state='OK').pk}/cancel/")
        assert response.status_code == 409
        assert b"<textarea" not in response.content

    def test_leaves_the_archive_unchanged(self, operator):
        message = make_archived_message(state="FAILED")
        assert operator.get(f"/messages/{message.pk}/restart/").status_code == 409
        assert post(operator, message, "restart").status_code == 409

    def test_rejects_a_missing_message(self, operator):
        assert operator.get("/messages/1/cancel/").status_code == 404
        assert operator.post("/messages/1/cancel/", {"reason": "x"}).status_code == 404

    def test_is_forbidden_to_support_and_recorded(self, client):
        client.force_login(make_user("support"))
        message = make_message(state="FAILED")
        assert client.get(f"/messages/{message.pk}/restart/").status_code == 403
        assert post(client, message, "restart").status_code == 403
        entries = AuditEntry.objects.values_list("outcome", "action", "msg_id")
        assert list(entries) == [("refused", "restart", message.pk)] * 2
        assert state_of(message) == "FAILED"

    def test_requires_a_csrf_token(self):
        client = Client(enforce_csrf_checks=True)
        client.force_login(make_user("operator"))
        message = make_message(state="FAILED")
        assert post(client, message, "restart").status_code == 403
        assert state_of(message) == "FAILED"
