"""Each entry of a refused call or page, and of a change in the admin, as a whole row."""

import pytest
from django.test import Client

from messages_app.access.models import ApiToken
from tests.support.api_client import BASE, caller
from tests.support.audit_entries import audit_rows
from tests.support.factories import make_message, make_user
from tests.support.user_entries import by_user

pytestmark = pytest.mark.django_db

WHY = {"reason": "r"}


@pytest.fixture(autouse=True)
def linus():
    """Store a first user, so that the one who acts is not the only row."""
    return make_user("support", username="linus")


class TestAction:
    def test_records_a_call_that_lacks_a_permission(self):
        client, message = caller("support"), make_message()
        answer = client.post(f"messages/{message.pk}/cancel/", WHY)
        assert answer.status_code == 403
        expected = by_user(
            client.user,
            "cancel",
            of=answer,
            token_name="test",
            outcome="refused",
            details={"refusal": "permission_denied", "path": f"{BASE}messages/{message.pk}/cancel/"},
        )
        assert audit_rows("cancel") == [expected]

    def test_records_a_call_whose_token_lacks_a_scope(self):
        client, message = caller("operator", scopes=["messages:read"]), make_message()
        answer = client.post(f"messages/{message.pk}/cancel/", WHY)
        assert answer.status_code == 403
        details = {
            "refusal": "permission_denied",
            "path": f"{BASE}messages/{message.pk}/cancel/",
            "scope": "messages:act",
        }
        expected = by_user(
            client.user, "cancel", of=answer, token_name="test", outcome="refused", details=details
        )
        assert audit_rows("cancel") == [expected]
        assert audit_rows("use_token") == []

    def test_records_a_call_on_an_object_that_has_changed(self):
        client, message = caller("operator"), make_message(state="FAILED")
        answer = client.post(f"messages/{message.pk}/restart/", WHY, If_Match='"another"')
        assert answer.status_code == 412
        details = {"refusal": "precondition_failed", "path": f"{BASE}messages/{message.pk}/restart/"}
        expected = by_user(
            client.user, "restart", of=answer, token_name="test", outcome="refused", details=details
        )
        assert audit_rows("restart") == [expected]

    def test_records_a_read_once_a_minute_only_if_the_token_lacks_the_scope(self):
        client = caller("support", scopes=["jobs:run"])
        answer, _ = client.get("messages/"), client.get("messages/")
        assert answer.status_code == 403
        details = {"refusal": "permission_denied", "path": f"{BASE}messages/", "scope": "messages:read"}
        expected = by_user(
            client.user, "use_token", of=answer, token_name="test", outcome="refused", details=details
        )
        assert audit_rows("use_token") == [expected]
        assert caller(username="bob").get("messages/").status_code == 403
        assert len(audit_rows("use_token")) == 1


class TestTokens:
    def test_are_created_and_revoked_with_a_reason(self):
        admin = caller("admin")
        new = {"name": "ci", "user": "linus", "days": 7, "scopes": ["messages:read"]}
        answer = admin.post("tokens/", new | {"reason": "for the new system"})
        details = {"token": "ci", "user": "linus", "days": 7, "scopes": ["messages:read"]}
        created = by_user(
            admin.user,
            "create_token",
            of=answer,
            token_name="test",
            reason="for the new system",
            details=details,
        )
        assert audit_rows("create_token")[1:] == [created]
        token = ApiToken.objects.get(name="ci")
        answer = admin.send("DELETE", f"tokens/{token.pk}/", b'{"reason": "it leaked"}')
        revoked = by_user(
            admin.user,
            "revoke_token",
            of=answer,
            token_name="test",
            reason="it leaked",
            details={"token": "ci"},
        )
        assert audit_rows("revoke_token") == [revoked]


class TestPages:
    def test_record_a_refused_page_and_action(self):
        ada = make_user()
        client = Client()
        client.force_login(ada)
        page, action = client.get("/jobs/"), client.post("/messages/5/cancel/", WHY)
        assert (page.status_code, action.status_code) == (403, 403)
        assert audit_rows() == [
            by_user(
                ada,
                "open_page",
                of=answer,
                outcome="refused",
                details={"refusal": "permission_denied", "path": path},
            )
            for answer, path in ((page, "/jobs/"), (action, "/messages/5/cancel/"))
        ]


class TestLog:
    """The log of the web processes has refused requests that the audit log does not have."""

    @pytest.mark.parametrize(
        ("address", "body", "line"),
        [
            ("messages/x/cancel/", WHY, f"Bad Request: {BASE}messages/x/cancel/"),
            ("jobs/", WHY | {"kind": "a-secret"}, f"Bad Request: {BASE}jobs/"),
        ],
    )
    def test_has_refused_input_without_its_values(self, caplog, address, body, line):
        assert caller("operator").post(f"{address}?q=a-secret", body).status_code in {400, 404}
        assert [record.getMessage() for record in caplog.records if record.name == "django.request"] == [line]
        assert "a-secret" not in caplog.text
