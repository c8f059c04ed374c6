"""Log-out here and at the provider, and the confirmation of a change by another log-in."""

from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client

from messages_app.access.models import UserSession
from messages_app.access.providers.models import ProviderAccount
from tests.messages_app.access.providers.groups import map_group
from tests.messages_app.access.providers.lying_provider import CALLBACK, LOG_OUT, LyingProvider, make_key
from tests.messages_app.access.providers.test_views import entries, is_logged_in
from tests.support.page_client import text_of

pytestmark = pytest.mark.django_db


class TestLogOut:
    def test_here_leads_to_that_of_the_provider(self, provider: LyingProvider):
        client = Client()
        provider.log_in(client)
        page = client.post("/logout/")
        assert page.status_code == 200
        seconds, _, address = page.headers["Refresh"].partition("; url=")
        assert (seconds, address.split("?")[0]) == ("0", f"{provider.issuer}/leave")
        query = parse_qs(urlsplit(address).query)
        assert query["client_id"] == ["console"]
        assert query["post_logout_redirect_uri"] == ["http://testserver/login/"]
        assert not is_logged_in(client)
        assert client.get(f"/login/?state={query['state'][0]}").status_code == 200

    def test_here_works_without_the_provider(self, provider: LyingProvider, settings):
        client = Client()
        provider.log_in(client)
        settings.OIDC_PROVIDERS = {"oidc": provider.declared(issuer="http://127.0.0.1:1")}
        page = client.post("/logout/")
        assert "You may still be logged in at Bank ID." in text_of(page)
        assert not is_logged_in(client)

    def test_there_ends_the_session(self, provider: LyingProvider):
        one, other, stranger = Client(), Client(), Client()
        provider.log_in(one, sid="a")
        provider.log_in(other, sid="b")
        provider.log_in(stranger, sub="s-2", sid="c")
        answer = Client().post(LOG_OUT, {"logout_token": provider.logout_token(sid="a")})
        assert (answer.status_code, answer.content) == (200, b"")
        assert [is_logged_in(client) for client in (one, other, stranger)] == [False, True, True]
        # Without a session, all of the user end.
        Client().post(LOG_OUT, {"logout_token": provider.logout_token()})
        assert [is_logged_in(client) for client in (one, other, stranger)] == [False, False, True]
        Client().post(LOG_OUT, {"logout_token": provider.logout_token(sub=None, sid="c")})
        assert not is_logged_in(stranger)
        assert [(actor, details["sessions"]) for actor, _, details in entries("log_out")] == [
            ("user", 1),
            ("user", 1),
            ("user-oidc", 1),
        ]

    def test_there_ends_no_session_that_began_later(self, provider: LyingProvider):
        client = Client()
        provider.log_in(client)
        token = provider.logout_token(iat=UserSession.objects.get().began_at.timestamp() - 90)
        assert Client().post(LOG_OUT, {"logout_token": token}).status_code == 200
        assert is_logged_in(client)

    @pytest.mark.parametrize(
        "lie",
        [
            {"iss": "https://evil.example"},
            {"aud": "another-client"},
            {"events": {}},
            {"events": None},
            {"nonce": "n"},
            {"iat": 1_000_000_000},
            {"iat": 9_000_000_000},
            {"iat": None},
            {"exp": 1_000_000_000},
            {"sub": None},
            {"sub": 7},
        ],
        ids=str,
    )
    def test_there_is_refused_with(self, provider: LyingProvider, lie):
        client = Client()
        provider.log_in(client)
        answer = Client().post(LOG_OUT, {"logout_token": provider.logout_token(**lie)})
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")
        assert is_logged_in(client)

    def test_there_is_refused_with_another_key_or_none(self, provider: LyingProvider):
        client = Client()
        provider.log_in(client)
        id_token = provider.id_token()
        provider.key = make_key("first")
        for token in (provider.logout_token(), id_token, "x", "", "x" * 20_000):
            assert Client().post(LOG_OUT, {"logout_token": token}).status_code == 400
        assert Client().get(LOG_OUT).status_code == 405
        assert is_logged_in(client)


class TestConfirmation:
    def test_is_another_log_in_at_the_provider(self, provider: LyingProvider):
        map_group(provider, "a", "admin")
        client = Client()
        provider.log_in(client, groups=["a"])
        form = {"username": "linus", "first_name": "", "last_name": "", "email": "", "reason": "new"}
        question = client.post("/users/new/", form)
        assert question.status_code == 403
        assert 'href="/login/with/oidc/?confirm=1"' in question.text
        assert 'name="confirm-password"' not in question.text
        asked = provider.begin(client, "?confirm=1")
        assert (asked["prompt"], asked["max_age"]) == ("login", "0")
        answer = provider.send_back(client, asked)
        assert "Close this tab, and continue where you came from." in text_of(answer)
        assert client.post("/users/new/", form).status_code == 200
        assert User.objects.filter(username="linus").exists()
        assert entries("confirm_password") == [("user", "done", {"provider": "oidc"})]

    @pytest.mark.parametrize(
        "lie", [{"auth_time": 1_000_000_000}, {"auth_time": None}, {"sub": "s-2"}], ids=str
    )
    def test_is_not_one_of_another_user_or_an_old_one(self, provider: LyingProvider, lie):
        map_group(provider, "a", "admin")
        client = Client()
        provider.log_in(Client(), sub="s-2", groups=["a"])
        provider.log_in(client, sub="s-1")
        asked = provider.begin(client, "?confirm=1")
        provider.claims |= lie
        assert provider.send_back(client, asked).status_code == 403
        assert client.post("/users/new/", {"username": "linus", "reason": "new"}).status_code == 403
        assert is_logged_in(client)
        assert ProviderAccount.objects.count() == 2

    def test_without_a_session_is_a_log_in(self, provider: LyingProvider):
        client = Client()
        asked = provider.begin(client, "?confirm=1")
        assert "prompt" not in asked
        assert provider.send_back(client, asked).headers["Location"] == "/login/no-role/"
        assert CALLBACK not in client.get("/login/no-role/").text
