"""A wrong address is reported before a wrong body, by every call that changes one object."""

import re

import pytest

from messages_app.access.calls import Action
from messages_app.access.roles import ROLES
from messages_app.messages.models import Message
from tests.messages_app.access.test_calls import ACTIONS
from tests.support.api_client import ApiClient, caller, problem
from tests.support.factories import make_message

OF_ONE = [(path, call) for path, call in ACTIONS if "<" in path]
of_one = pytest.mark.parametrize(
    ("path", "call"), OF_ONE, ids=[f"{call.method} {path}" for path, call in OF_ONE]
)
WRONG_BODIES = [b'{"no-such-member": 1}', b"{}", b"not JSON", b"[]"]


@pytest.fixture
def client(db) -> ApiClient:
    return caller(*ROLES)


@of_one
class TestWrongAddress:
    @pytest.mark.parametrize("key", ["918273645", "-.-"])
    def test_is_reported_before_a_wrong_body(self, client, path: str, call: Action, key):
        for body in WRONG_BODIES:
            answer = client.send(call.method, re.sub("<[^>]*>", key, path), body)
            assert (answer.status_code, problem(answer)["code"]) == (404, "not_found"), body

    def test_may_be_a_word_of_another_address(self, client, path: str, call: Action):
        words = ["api", "v1", "count", *(part for part in path.split("/") if part and "<" not in part)]
        answers = {word: client.send(call.method, re.sub("<[^>]*>", word, path), b"{}") for word in words}
        assert {word: answer.status_code for word, answer in answers.items()} == dict.fromkeys(words, 404)


@pytest.mark.django_db
class TestWrongBody:
    @pytest.mark.parametrize("body", WRONG_BODIES)
    @pytest.mark.parametrize("action", ["restart", "cancel"])
    def test_of_a_right_address_is_a_bad_request(self, body, action):
        message = make_message(state="FAILED")
        answer = caller("operator").send("POST", f"messages/{message.pk}/{action}/", body)
        assert answer.status_code == 400
        assert Message.objects.get().state == "FAILED"

    def test_is_reported_after_a_missing_permission(self):
        answer = caller("support").send("POST", "messages/918273645/restart/", b"{}")
        assert answer.status_code == 403

    def test_does_not_use_up_the_key_of_a_request(self):
        client = caller("operator")
        for status, body in ((404, b"{}"), (404, b'{"reason": "r"}'), (422, b'{"reason": "s"}')):
            answer = client.send("POST", "messages/918273645/restart/", body, HTTP_IDEMPOTENCY_KEY="k-1")
            assert answer.status_code == status
