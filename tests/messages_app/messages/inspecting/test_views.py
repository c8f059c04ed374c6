import pytest
from django.http import HttpResponse
from django.test import Client

from messages_app.messages.models import Message
from messages_app.messages.states import MessageState
from tests.factories import make_archived_message, make_message, make_user

pytestmark = pytest.mark.django_db


def client_of(*roles: str) -> Client:
    client = Client()
    client.force_login(make_user(*roles))
    return client


@pytest.fixture
def support() -> Client:
    return client_of("support")


def text_of(response: HttpResponse) -> str:
    return response.content.decode()


def client_of_reader() -> Client:
    client = Client()
    client.force_login(make_user("support", "view_payload", username="reader"))
    return client


class TestMessagePage:
    @pytest.mark.parametrize(
        "msg_id", ["0", "999999999", str(2**63 - 1), str(2**63), "9" * 5000, "abc", "-1", "1.5"]
    )
    def test_is_not_there_for_an_id_that_nobody_has(self, support, msg_id):
        assert support.get(f"/messages/{msg_id}/").status_code == 404

    def test_says_what_the_state_means_and_that_the_error_is_the_last_one(self, support):
        message = make_message(state="OK", failed_error_code="E103", failed_desc="E103: refused\n\tat X")
        page = text_of(support.get(f"/messages/{message.pk}/"))
        assert "Processed." in page
        assert "Last error" in page

    def test_opens_with_a_state_that_is_not_known(self, support):
        page = text_of(support.get(f"/messages/{make_message(state='HELD').pk}/"))
        assert "HELD" in page
        assert "state-unknown" in page

    def test_says_that_a_message_is_archived_and_offers_nothing(self):
        message = make_archived_message(state="FAILED")
        response = client_of("admin").get(f"/messages/{message.pk}/")
        assert response.context["actions"] == []
        assert "This message is in the archive" in text_of(response)

    @pytest.mark.parametrize("state", MessageState)
    def test_offers_only_what_rules_and_role_allow(self, settings, state):
        message = make_message(state=state)
        operator, support = client_of("operator"), client_of_reader()
        for settings.HUB_RULES, restart_from, cancel_from in (
            ("cleverbus", {"FAILED", "CANCEL"}, {"NEW", "PARTLY_FAILED", "POSTPONED"}),
            ("openhub", {"OK", "FAILED", "CANCEL"}, set(MessageState) - {"OK", "FAILED", "CANCEL"}),
        ):
            page = text_of(operator.get(f"/messages/{message.pk}/"))
            assert (f"/messages/{message.pk}/restart/" in page) == (state in restart_from)
            assert (f"/messages/{message.pk}/cancel/" in page) == (state in cancel_from)
            assert support.get(f"/messages/{message.pk}/").context["actions"] == []

    def test_escapes_every_column(self, support):
        evil = "<img src=x onerror=alert(1)>"
        columns = ("correlation_id", "process_id", "object_id", "failed_desc", "custom_data", "funnel_value")
        message = make_message(**dict.fromkeys(columns, evil))
        assert "<img" not in text_of(support.get(f"/messages/{message.pk}/"))

    def test_is_read_only(self, support):
        message = make_message()
        assert support.post(f"/messages/{message.pk}/", {"state": "OK"}).status_code == 405
        assert Message.objects.get(pk=message.pk).state == message.state
