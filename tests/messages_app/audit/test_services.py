"""
If a part of an action is unavailable, it does not happen (docs/contributing/spec/promises.md, I-55, S-62).
"""

from collections.abc import Iterator

import pytest
from django.db import connection
from django.test import Client

from messages_app.access.models import ApiToken
from messages_app.access.token_services import create_token
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import SYSTEM
from messages_app.messages.models import Message
from tests.support.api_client import caller
from tests.support.factories import PASSWORD, make_message, make_user

pytestmark = pytest.mark.django_db(transaction=True)


def execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.fixture
def closed_audit() -> Iterator[None]:
    execute("ALTER TABLE audit_entry ADD CONSTRAINT closed CHECK (false) NOT VALID")
    yield
    execute("ALTER TABLE audit_entry DROP CONSTRAINT closed")


def log_in() -> tuple[int, bool]:
    """Return the status of a login with the correct password, and whether a user is logged in now."""
    client = Client(raise_request_exception=False)
    answer = client.post("/login/", {"username": "ada", "password": PASSWORD})
    return answer.status_code, client.get("/sessions/").status_code == 200


class TestRecord:
    @pytest.mark.parametrize(("action", "state"), [("cancel", "NEW"), ("restart", "FAILED")])
    def test_rolls_back_an_action_whose_entry_cannot_be_written(self, action, state, request):
        operator, message = caller("operator"), make_message(state=state)
        request.getfixturevalue("closed_audit")
        address = f"messages/{message.pk}/{action}/"
        assert operator.post(address, {"reason": "r"}, Idempotency_Key="k").status_code == 500
        assert Message.objects.get(pk=message.pk).state == state
        assert not AuditEntry.objects.filter(action=action).exists()

    def test_shows_no_payload_whose_reading_cannot_be_audited(self, request):
        reader, message = caller("support", "view_payload"), make_message(payload="<a>Ada</a>")
        request.getfixturevalue("closed_audit")
        answer = reader.get(f"messages/{message.pk}/payload/")
        assert answer.status_code == 500
        assert b"Ada" not in answer.content

    def test_allows_no_log_in_and_makes_no_token(self, request):
        user = make_user("support")
        request.getfixturevalue("closed_audit")
        assert log_in() == (500, False)
        with pytest.raises(Exception, match="closed"):
            create_token(user=user, name="ci", actor=SYSTEM)
        assert not ApiToken.objects.exists()


class TestStores:
    @pytest.mark.parametrize("table", ["login_failure", "request_window", "auth_user_groups"])
    def test_of_counts_and_rights_refuse_everyone_when_they_fail(self, table):
        operator, message = caller("operator"), make_message()
        execute(f"ALTER TABLE {table} RENAME TO elsewhere")
        try:
            if table == "login_failure":
                assert log_in() == (500, False)
            else:
                assert operator.post(f"messages/{message.pk}/cancel/", {"reason": "r"}).status_code == 500
                assert operator.get(f"messages/{message.pk}/").status_code == 500
        finally:
            execute(f"ALTER TABLE elsewhere RENAME TO {table}")
        assert Message.objects.get(pk=message.pk).state == "NEW"
