"""The password again before users, roles and tokens are changed."""

import re
from html import unescape

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from messages_app.access.models import ApiToken, LoginFailure, UserSession
from messages_app.access.throttling import FREE_TRIES
from messages_app.access.token_services import create_token
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import SYSTEM
from messages_app.core.clock import database_clock
from tests.messages_app.access.second_factor.factors import enrol
from tests.support.api_client import BASE, caller, problem
from tests.support.factories import PASSWORD, make_user
from tests.support.page_client import client_of, confirm_password, show_values, text_of

pytestmark = pytest.mark.django_db

ASKED = "Confirm your password"
HIDDEN = re.compile(r'<input type="hidden" name="([^":]+)" value="([^"]*)">')
NEW = {
    "username": "linus",
    "first_name": 'A "quoted" <name>',
    "grants": ["support", "operator"],
    "reason": "r",
}
WHY = {"reason": "r"}


@pytest.fixture
def root() -> Client:
    client = Client()
    client.force_login(make_user(is_superuser=True, username="root"))
    return client


@pytest.fixture
def grace() -> User:
    return make_user("support", username="grace")


def kept_in(page: str) -> dict[str, list[str]]:
    """Return the fields that a page sends again."""
    fields: dict[str, list[str]] = {}
    for name, value in HIDDEN.findall(page.replace("csrfmiddlewaretoken", "csrf:token")):
        fields.setdefault(unescape(name), []).append(unescape(value))
    return fields


def confirm(client: Client, address: str, page: str, password: str = PASSWORD):
    return client.post(address, kept_in(page) | {"confirm-password": password})


def is_active(user: User) -> bool:
    return User.objects.get(pk=user.pk).is_active


class TestPages:
    def test_ask_for_the_password_and_then_do_what_was_submitted(self, root):
        asked = root.post("/users/new/", NEW)
        assert (asked.status_code, ASKED in text_of(asked)) == (403, True)
        assert not User.objects.filter(username="linus").exists()
        page = asked.content.decode()
        assert kept_in(page)["grants"] == ["support", "operator"]

        assert confirm(root, "/users/new/", page).status_code == 200
        linus = User.objects.get(username="linus")
        assert linus.first_name == 'A "quoted" <name>'
        assert {group.name for group in linus.groups.all()} == {"support", "operator"}
        actions = AuditEntry.objects.order_by("pk").values_list("action", flat=True)
        assert list(actions) == ["confirm_password", "create_user"]

    def test_give_the_session_another_key_so_that_a_stolen_one_gets_no_rights(self, root, grace):
        address = f"/users/{grace.pk}/deactivate/"
        thief = Client()
        thief.cookies[settings.SESSION_COOKIE_NAME] = root.cookies[settings.SESSION_COOKIE_NAME].value
        asked = root.post(address, WHY)
        assert thief.post(address, WHY).status_code == 403
        assert confirm(root, address, asked.content.decode()).status_code == 302
        assert root.get("/users/").status_code == 200
        assert thief.get("/users/").url.startswith("/login/")

    def test_keep_values_shown(self, root, grace):
        show_values(root)
        address = f"/users/{grace.pk}/deactivate/"
        confirm(root, address, root.post(address, WHY).content.decode())
        assert UserSession.objects.get(user__username="root").revealed_until is not None

    def test_are_left_alone_for_ten_minutes(self, root):
        for seconds, status in ((595, 302), (605, 403)):
            session = root.session
            session["password_confirmed_at"] = database_clock().timestamp() - seconds
            session.save()
            user = make_user(username=f"linus-{seconds}")
            assert root.post(f"/users/{user.pk}/deactivate/", WHY).status_code == status, seconds
            assert is_active(user) is (status == 403)

    @pytest.mark.parametrize("value", [None, "", "x", 1, 4e9, True])
    def test_ask_again_if_the_session_has_no_valid_time(self, root, grace, value):
        session = root.session
        session["password_confirmed_at"] = value
        session.save()
        assert root.post(f"/users/{grace.pk}/deactivate/", WHY).status_code == 403
        assert is_active(grace)

    def test_ask_before_each_change_of_users_and_tokens(self, root, grace):
        token, _ = create_token(user=grace, name="reader", actor=SYSTEM)
        entries = AuditEntry.objects.count()
        forms = {
            "/users/new/": NEW,
            f"/users/{grace.pk}/": NEW,
            f"/users/{grace.pk}/deactivate/": WHY,
            f"/users/{grace.pk}/reset-password/": WHY,
            f"/users/{grace.pk}/reset-second-factor/": WHY,
            f"/users/{grace.pk}/end-sessions/": WHY,
            f"/users/{grace.pk}/reactivate/": WHY,
            "/tokens/new/": {"name": "n", "username": "root", "days": "30", "reach": "whole", "reason": "r"},
            f"/tokens/{token.pk}/revoke/": WHY,
        }
        for address, form in forms.items():
            asked = root.post(address, form)
            assert (asked.status_code, ASKED in text_of(asked)) == (403, True), address
            assert (root.get(address).status_code, ASKED in text_of(root.get(address))) == (200, False), (
                address
            )
        assert AuditEntry.objects.count() == entries
        asked = root.post(f"/tokens/{token.pk}/revoke/", WHY)
        confirm(root, f"/tokens/{token.pk}/revoke/", asked.content.decode())
        token.refresh_from_db()
        assert token.revoked_at is not None

    def test_refuse_users_without_permission_without_asking(self, grace):
        client = client_of("operator", username="reader")
        for path in ("new/", f"{grace.pk}/", f"{grace.pk}/deactivate/"):
            answer = client.post(f"/users/{path}", WHY)
            assert (answer.status_code, ASKED in text_of(answer)) == (403, False), path

    def test_ask_users_with_a_second_factor_too(self, root, grace):
        user = User.objects.get(username="root")
        enrol(user)
        root.force_login(user)
        assert root.post(f"/users/{grace.pk}/deactivate/", WHY).status_code == 403
        assert is_active(grace)

    def test_ask_right_after_a_log_in(self, grace):
        make_user(is_superuser=True, username="root")
        client = Client()
        client.post("/login/", {"username": "root", "password": PASSWORD})
        assert client.post(f"/users/{grace.pk}/deactivate/", WHY).status_code == 403


class TestWrongPasswords:
    def test_get_a_message_and_keep_the_form(self, root):
        page = root.post("/users/new/", NEW).content.decode()
        wrong = confirm(root, "/users/new/", page, "wrong")
        assert (wrong.status_code, "Incorrect password." in text_of(wrong)) == (400, True)
        empty = confirm(root, "/users/new/", wrong.content.decode(), "")
        assert (empty.status_code, "Enter your password." in text_of(empty)) == (400, True)
        assert confirm(root, "/users/new/", empty.content.decode()).status_code == 200
        assert User.objects.filter(username="linus").exists()
        refused = AuditEntry.objects.get(action="confirm_password", outcome="refused")
        assert (refused.actor, refused.details) == ("root", {"refusal": "wrong_password"})

    def test_are_counted_as_failed_log_ins(self, root, grace):
        address = f"/users/{grace.pk}/deactivate/"
        for _ in range(FREE_TRIES):
            assert root.post(address, WHY | {"confirm-password": "wrong"}).status_code == 400
        LoginFailure.objects.exclude(blocked_until=None).update(blocked_until="2040-01-01T00:00:00Z")
        answer = root.post(address, WHY | {"confirm-password": PASSWORD})
        assert (answer.status_code, "Retry-After" in answer.headers) == (429, True)
        assert is_active(grace)


class TestApi:
    def test_lets_a_session_revoke_a_token_only_after_the_password(self, root, grace):
        token, _ = create_token(user=grace, name="reader", actor=SYSTEM)
        address, body = f"{BASE}tokens/{token.pk}/", {"reason": "lost"}
        answer = root.delete(address, body, content_type="application/json")
        assert (answer.status_code, problem(answer)["code"]) == (403, "password_required")
        assert ApiToken.objects.get(pk=token.pk).revoked_at is None
        confirm_password(root)
        assert root.delete(address, body, content_type="application/json").status_code == 200

    def test_does_not_require_a_password_of_a_token(self, grace):
        token, _ = create_token(user=grace, name="reader", actor=SYSTEM)
        answer = caller("admin").send("DELETE", f"tokens/{token.pk}/", b'{"reason": "lost"}')
        assert answer.status_code == 200
