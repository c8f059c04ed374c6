from datetime import timedelta

import pytest
from django.db.models import F
from django.test import Client

from messages_app.access.models import ApiToken, RequestWindow
from messages_app.access.token_services import revoke_token
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import SYSTEM
from messages_app.messages.models import Message
from tests.support.api_client import BASE, ApiClient, caller, problem
from tests.support.audit_entries import audit_rows
from tests.support.factories import PASSWORD, make_message, make_user
from tests.support.user_entries import by_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader() -> ApiClient:
    return caller("support")


def refused(response) -> str:
    """Return the code of a 401, after checking that the answer names the authentication scheme."""
    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="Hub Console", Token realm="Hub Console"'
    return problem(response)["code"]


class TestTokenAuthentication:
    def test_accepts_a_valid_token(self, reader):
        assert reader.get("messages/").status_code == 200

    @pytest.mark.parametrize("keyword", ["Token", "token ", "TOKEN", "Bearer", "bearer", "BEARER  "])
    def test_accepts_both_keywords_in_any_case(self, reader, keyword):
        assert reader.get("messages/", Authorization=f"{keyword} {reader.token}").status_code == 200

    @pytest.mark.parametrize("keyword", ["Token", "Bearer"])
    @pytest.mark.parametrize("path", ["/metrics", "/health/", "/api/v1/schema/", "/api/v1/me/"])
    def test_accepts_both_keywords_wherever_a_token_is_accepted(self, keyword, path):
        admin = caller("admin")
        plain = admin.client.get(path)
        shown = admin.client.get(path, headers={"Authorization": f"{keyword} {admin.token}"})
        assert shown.status_code in ({200, 503} if path == "/health/" else {200})
        assert shown.content != plain.content

    @pytest.mark.parametrize("keyword", ["Basic", "Bearer:", "Digest"])
    def test_refuses_a_valid_key_after_another_keyword(self, reader, keyword):
        answer = reader.get("messages/", Authorization=f"{keyword} {reader.token}")
        assert refused(answer) == "not_authenticated"

    def test_keeps_everyone_else_out(self):
        assert refused(ApiClient().get("messages/")) == "not_authenticated"

    @pytest.mark.parametrize(
        "header",
        [
            "Token",
            "Token ",
            "Token a b",
            "Bearer",
            "Bearer x",
            "Bearer a b",
            "BearerToken x",
            "Token hubc_nope",
            "Token \xff\xfe",
            "",
            "Basic YTpi",
            "hubc_x",
        ],
    )
    def test_refuses_an_invalid_token(self, reader, header):
        assert refused(reader.get("messages/", Authorization=header)) == "not_authenticated"

    def test_refuses_two_headers_in_one(self, reader):
        response = reader.get("messages/", Authorization=f"Token {reader.token}, Token {reader.token}")
        assert problem(response)["code"] == "ambiguous_parameter"

    def test_refuses_a_revoked_token_immediately(self, reader):
        revoke_token(token_id=ApiToken.objects.get().pk, actor=SYSTEM)
        assert refused(reader.get("messages/")) == "token_revoked"

    def test_refuses_an_expired_token(self, reader):
        ApiToken.objects.update(expires_at=F("created_at") - timedelta(seconds=1))
        assert refused(reader.get("messages/")) == "token_expired"

    def test_refuses_the_token_of_a_disabled_user(self, reader):
        reader.user.is_active = False
        reader.user.save()
        assert refused(reader.get("messages/")) == "not_authenticated"

    def test_records_once_a_minute_that_someone_still_uses_it(self, reader):
        revoke_token(token_id=ApiToken.objects.get().pk, actor=SYSTEM)
        answers = []
        for _ in range(3):
            answers.append(reader.get("messages/"))
        assert [refused(answer) for answer in answers] == ["token_revoked"] * 3
        assert audit_rows("use_token") == [
            by_user(
                reader.user,
                "use_token",
                of=answers[0],
                token_name="test",
                outcome="refused",
                details={"refusal": "token_revoked", "path": f"{BASE}messages/"},
            )
        ]
        RequestWindow.objects.update(began_at="2026-01-01T00:00:00Z")
        refused(reader.get("messages/"))
        assert AuditEntry.objects.filter(action="use_token").count() == 2

    def test_records_no_key_that_never_existed(self):
        refused(ApiClient().get("messages/", Authorization="Token hubc_nope"))
        assert not AuditEntry.objects.exists()

    def test_loses_a_right_immediately(self, reader):
        reader.user.groups.clear()
        assert problem(reader.get("messages/"))["code"] == "permission_denied"

    @pytest.mark.parametrize("path", ["messages/?token={}", "messages/?Authorization=Token+{}"])
    def test_reads_no_token_from_the_address(self, reader, path):
        assert refused(ApiClient().get(path.format(reader.token))) == "not_authenticated"

    def test_reads_no_token_from_a_cookie(self, reader):
        client = Client()
        client.cookies["token"] = reader.token
        client.cookies["Authorization"] = f"Token {reader.token}"
        assert refused(client.get(f"{BASE}messages/")) == "not_authenticated"

    def test_records_its_use_once_a_minute(self, reader, django_assert_max_num_queries):
        reader.get("messages/")
        first = ApiToken.objects.get().last_used_at
        assert first is not None
        reader.get("messages/")
        assert ApiToken.objects.get().last_used_at == first
        ApiToken.objects.update(last_used_at=first - timedelta(minutes=2))
        reader.get("messages/")
        assert ApiToken.objects.get().last_used_at >= first


class TestSessionAuthentication:
    @pytest.fixture
    def browser(self) -> Client:
        make_user("operator", username="grace")
        client = Client(enforce_csrf_checks=True)
        assert client.login(username="grace", password=PASSWORD)
        return client

    def cancel(self, browser: Client, **headers: str):
        message = make_message()
        response = browser.post(
            f"{BASE}messages/{message.msg_id}/cancel/",
            {"reason": "r"},
            content_type="application/json",
            headers={name.replace("_", "-"): value for name, value in headers.items()},
        )
        return response, Message.objects.get(pk=message.pk).state

    def test_lets_a_session_read(self, browser):
        assert browser.get(f"{BASE}messages/").status_code == 200

    def test_needs_the_csrf_token_for_a_change(self, browser):
        response, state = self.cancel(browser)
        assert (problem(response)["status"], problem(response)["code"]) == (403, "csrf_failed")
        assert state == "NEW"

    def test_accepts_a_change_with_the_csrf_token(self, browser):
        token = "a" * 32
        browser.cookies["csrftoken"] = token
        response, state = self.cancel(browser, X_CSRFToken=token)
        assert (response.status_code, state) == (200, "CANCEL")

    def test_refuses_another_origin(self, browser):
        token = "a" * 32
        browser.cookies["csrftoken"] = token
        response, state = self.cancel(browser, X_CSRFToken=token, Origin="https://evil.example")
        assert (problem(response)["code"], state) == ("csrf_failed", "NEW")
        assert not [name for name in response.headers if name.lower().startswith("access-control")]
