"""The pages of API tokens."""

import re
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.test import Client

from messages_app.access.models import ApiToken
from messages_app.access.token_services import create_token
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import SYSTEM
from tests.support.factories import make_user
from tests.support.page_client import client_of, confirm_password, notices_of, show_values, text_of
from tests.support.page_tables import read_texts

pytestmark = pytest.mark.django_db

FORM = {
    "name": "nightly",
    "username": "grace",
    "days": "30",
    "reach": "some",
    "scopes": ["jobs:run"],
    "reason": "r",
}


@pytest.fixture
def admin() -> Client:
    """Return a client of the administrator grace, who has entered the password."""
    client = client_of("admin", username="grace")
    confirm_password(client)
    return client


@pytest.fixture
def ada() -> User:
    return make_user("support")


def at(hour: int) -> datetime:
    return datetime(2026, 11, 1, hour, tzinfo=UTC)


class TestTokenList:
    def test_shows_each_value_in_its_column(self, admin, ada):
        whole, _ = create_token(user=ada, name="whole", actor=SYSTEM)
        scoped, _ = create_token(
            user=ada,
            name="scoped",
            actor=SYSTEM,
            scopes=["jobs:run", "archive:run"],
            requests_per_minute=1200,
        )
        old, _ = create_token(user=ada, name="old", actor=SYSTEM)
        ApiToken.objects.filter(pk=whole.pk).update(expires_at="2031-03-04T15:06:07Z", last_used_at=at(3))
        ApiToken.objects.filter(pk=scoped.pk).update(expires_at=at(5))
        ApiToken.objects.filter(pk=old.pk).update(revoked_at=at(4))
        page = admin.get("/tokens/")
        assert read_texts(page, "Tokens", "Token", "Scopes", "Revoke") == [
            ("old revoked ada", "all permissions of the user", ""),
            ("scoped expired ada", "jobs:run, archive:run 1 200 requests per minute", "Revoke… scoped"),
            ("whole ada", "all permissions of the user", "Revoke… whole"),
        ]
        times = read_texts(page, "Tokens", "Created", "Last used", "Expires")
        assert [row[1] for row in times[:2]] == ["never", "never"]
        assert all(re.fullmatch(r"\d+ s ago", created) for created, _, _ in times)
        assert re.fullmatch(r"revoked .+ ago", times[0][2])
        assert [bool(re.fullmatch(r"in \d+ d", row[2])) for row in times[1:]] == [False, True]
        assert 'title="2031-03-04 15:06:07 UTC"' in text_of(page)

    def test_shows_unknown_scopes(self, admin, ada):
        create_token(user=ada, name="n", actor=SYSTEM)
        ApiToken.objects.update(scopes=["messages:erase", None])
        assert "messages:erase, None" in text_of(admin.get("/tokens/"))

    def test_shows_all_tokens_only_to_users_who_may_make_them(self, admin, ada):
        for user in (ada, User.objects.get(username="grace")):
            create_token(user=user, name=f"of-{user.username}", actor=SYSTEM)
        client = Client()
        client.force_login(ada)

        def names(client: Client, query: str = "") -> list[str]:
            return [token.name for token in client.get(f"/tokens/{query}").context["page"].rows]

        assert names(admin) == names(admin, "?show=all") == ["of-grace", "of-ada"]
        assert names(admin, "?show=own") == ["of-grace"]
        for query in ("", "?show=all", "?show=own"):
            assert names(client, query) == ["of-ada"]
        assert "New token" not in text_of(client.get("/tokens/"))
        assert client.get("/tokens/new/").status_code == 403

    def test_shows_no_key(self, admin, ada):
        token, key = create_token(user=ada, name="n", actor=SYSTEM)
        for address in ("/tokens/", f"/tokens/{token.pk}/revoke/"):
            page = text_of(admin.get(address))
            assert key not in page
            assert token.key_sha256 not in page

    def test_leads_to_further_tokens_of_the_same_list(self, admin, ada):
        for number in range(51):
            ApiToken.objects.create(user=ada, name=f"n{number}", key_sha256=str(number), expires_at=at(1))
        cursor = admin.get("/tokens/").context["page"].next_cursor
        assert [token.name for token in admin.get("/tokens/", {"cursor": cursor}).context["page"].rows] == [
            "n0"
        ]
        assert admin.get("/tokens/", {"cursor": cursor, "show": "own"}).status_code == 400


class TestNewToken:
    def test_is_shown_once_with_a_call_that_works(self, admin):
        page = admin.post("/tokens/new/", FORM)
        text = text_of(page)
        key = re.search(r'id="key">(hubc_[\w-]+)<', text)[1]
        assert f"curl -H &quot;Authorization: Bearer {key}&quot; http://testserver/api/v1/me/" in text or (
            f'curl -H "Authorization: Bearer {key}" http://testserver/api/v1/me/' in text
        )
        assert "no-store" in page.headers["Cache-Control"]
        answer = Client().get("/api/v1/me/", headers={"Authorization": f"Bearer {key}"}).json()
        assert (answer["user"], answer["token_name"], answer["scopes"]) == ("grace", "nightly", ["jobs:run"])
        token = ApiToken.objects.get()
        assert (token.expires_at - token.created_at).days == 30
        entry = AuditEntry.objects.get(action="create_token")
        assert (entry.actor, entry.reason, entry.details) == (
            "grace",
            "r",
            {"token": "nightly", "user": "grace", "days": 30, "scopes": ["jobs:run"]},
        )
        assert key not in text_of(admin.get("/tokens/"))

    def test_has_all_permissions_or_scopes_with_names(self, admin):
        named = {"named_scopes": " queue:consume:RENDITION  history:use:orders "}
        admin.post("/tokens/new/", FORM | named | {"requests_per_minute": "70"})
        admin.post("/tokens/new/", FORM | {"name": "whole", "reach": "whole"})
        rows = ApiToken.objects.order_by("pk").values_list("scopes", "requests_per_minute")
        assert list(rows) == [
            (["jobs:run", "history:use:orders", "queue:consume:RENDITION"], 70),
            (None, None),
        ]

    @pytest.mark.parametrize(
        ("changes", "field", "text"),
        [
            ({"name": ""}, "name", "Enter a name"),
            ({"name": "\u200b"}, "name", "Enter a name"),
            ({"name": "x" * 61}, "name", "at most 60 characters"),
            ({"name": "a\0"}, "name", "Null characters are not allowed"),
            ({"username": "nobody"}, "username", "There is no active user with this name"),
            ({"username": "off"}, "username", "There is no active user with this name"),
            ({"username": "root"}, "username", "You cannot create a token for a superuser"),
            ({"username": "reader"}, "username", "reader has the permission messages_app.view_payload"),
            ({"days": "31"}, "days", "Select a valid choice"),
            ({"reach": "all"}, "reach", "Select a valid choice"),
            ({"scopes": []}, "scopes", "Choose a scope, or all permissions of the user"),
            ({"scopes": ["messages:erase"]}, "scopes", "There is no scope messages:erase"),
            ({"named_scopes": "jobs:run:x"}, "named_scopes", "jobs:run does not take a name"),
            ({"named_scopes": "jobs:run"}, "named_scopes", "has no name"),
            ({"requests_per_minute": "0"}, "requests_per_minute", "greater than or equal to 1"),
            ({"reason": ""}, "reason", "Enter a reason"),
        ],
    )
    def test_is_refused_with_the_field(self, admin, changes, field, text):
        make_user(username="root", is_superuser=True)
        make_user(username="off", is_active=False)
        make_user("support", "view_payload", username="reader")
        page = admin.post("/tokens/new/", FORM | changes)
        assert page.status_code == 400
        assert text in page.context["form"].errors[field][0]
        assert not ApiToken.objects.exists()

    def test_counts_permissions_that_the_session_masks(self):
        client = client_of("admin", "view_payload", username="grace")
        confirm_password(client)
        make_user("support", "view_payload", username="reader")
        assert client.post("/tokens/new/", FORM | {"username": "reader"}).status_code == 200
        show_values(client)
        assert client.post("/tokens/new/", FORM | {"username": "reader", "name": "other"}).status_code == 200

    def test_is_not_created_a_second_time_by_the_same_form(self, admin):
        assert admin.post("/tokens/new/", FORM).status_code == 200
        again = admin.post("/tokens/new/", FORM)
        assert (again.status_code, "already has a valid token" in text_of(again)) == (400, True)
        ApiToken.objects.update(revoked_at=at(1))
        assert admin.post("/tokens/new/", FORM).status_code == 200

    @pytest.mark.parametrize("role", ["", "support", "operator"])
    def test_needs_the_permission(self, role):
        client = client_of(*filter(None, [role]), username="grace")
        confirm_password(client)
        assert client.post("/tokens/new/", FORM).status_code == 403
        assert not ApiToken.objects.exists()
        assert AuditEntry.objects.get().action == "open_page"


class TestRevoke:
    def test_ends_a_token_with_a_reason(self, admin, ada):
        token, key = create_token(user=ada, name="n", actor=SYSTEM)
        address = f"/tokens/{token.pk}/revoke/"
        assert admin.post(address, {"reason": ""}).status_code == 400
        answer = admin.post(address, {"reason": "it leaked"})
        assert (answer.url, notices_of(answer)) == ("/tokens/", ["Token n revoked."])
        assert Client().get("/api/v1/me/", headers={"Authorization": f"Bearer {key}"}).status_code == 401
        entry = AuditEntry.objects.get(action="revoke_token")
        assert (entry.actor, entry.reason, entry.details) == ("grace", "it leaked", {"token": "n"})

    def test_is_for_ones_own_tokens_and_for_administrators(self, admin, ada):
        own, _ = create_token(user=ada, name="own", actor=SYSTEM)
        other, _ = create_token(user=make_user(username="other"), name="other", actor=SYSTEM)
        client = Client()
        client.force_login(ada)
        confirm_password(client)
        for address in (f"/tokens/{other.pk}/revoke/", "/tokens/777777/revoke/"):
            assert client.get(address).status_code == 404
            assert client.post(address, {"reason": "r"}).status_code == 404
        assert client.post(f"/tokens/{own.pk}/revoke/", {"reason": "r"}).status_code == 302
        assert list(ApiToken.objects.filter(revoked_at=None)) == [other]
        assert admin.post(f"/tokens/{other.pk}/revoke/", {"reason": "r"}).status_code == 302
        assert not ApiToken.objects.filter(revoked_at=None).exists()
