"""
Secrets are used in all ways, and must not appear in any stored data (docs/contributing/spec/promises.md,
S-51).
"""

import logging
from collections.abc import Iterator

import pytest
from django.db import connection
from django.test import Client

from messages_app.access.token_services import revoke_token
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import SYSTEM
from tests.support.api_client import ApiClient, caller
from tests.support.factories import PASSWORD, make_message
from tests.support.stores import define

pytestmark = pytest.mark.django_db

PAYLOAD, WRONG = "canary-in-a-payload", "canary-typed-as-a-password"
# Tables with contents of the hub itself.
OF_CONTENTS = {"message", "message_store"}


@pytest.fixture
def logged(caplog) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.DEBUG):
        yield caplog


def send_everything(user: ApiClient) -> None:
    """Use the secrets in logins, and in calls that succeed and that fail."""
    message = make_message(payload=f"<a>{PAYLOAD}</a>")
    browser = Client()
    for name, password in ((WRONG, "x"), ("ada", WRONG), (PASSWORD, "x"), ("ada", PASSWORD)):
        browser.post("/login/", {"username": name, "password": password})
    browser.post("/reveal/", {"reason": "to see the secret"})
    for path in ("payload/", "payload/download/", "payload/?view=raw"):
        assert browser.get(f"/messages/{message.pk}/{path}").status_code == 200
    assert PAYLOAD in user.get(f"messages/{message.pk}/payload/").content.decode()
    user.get(f"messages/?token={user.token}")
    user.get("messages/", Authorization=f"Token {user.token}x")
    define()
    records = [{"id": 1, "name": PAYLOAD}]
    stored = {"entity": "customer", "system": "crm", "data": records}
    assert user.post("message-store/", stored, Idempotency_Key="k").status_code == 201
    user.post("message-store/", stored | {"zzz": 1})
    user.post(f"messages/{message.pk}/cancel/", {"reason": "r"}, Idempotency_Key="j")
    revoke_token(token_id=user.user.api_tokens.get().pk, actor=SYSTEM)
    user.get("messages/")


def tables_with(text: str) -> set[str]:
    """Return the tables that have a row with `text` in it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        found = set()
        for (name,) in cursor.fetchall():
            cursor.execute(f'SELECT count(*) FROM "{name}" AS t WHERE t::text LIKE %s', [f"%{text}%"])
            found |= {name} if cursor.fetchone()[0] else set()
    return found


class TestSecrets:
    def test_are_stored_only_in_their_own_columns(self, logged):
        user = caller("admin", "view_payload")
        send_everything(user)
        actions = set(AuditEntry.objects.values_list("action", flat=True))
        assert {"log_in", "view_payload", "cancel", "use_token", "revoke_token"} <= actions
        for secret in (WRONG, PASSWORD, user.token, user.token.partition("_")[2]):
            assert tables_with(secret) == set()
            assert secret not in logged.text
        assert "message" in tables_with(PAYLOAD)
        assert tables_with(PAYLOAD) <= OF_CONTENTS
        assert PAYLOAD not in logged.text
