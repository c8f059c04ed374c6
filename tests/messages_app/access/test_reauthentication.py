"""The password again before users, roles and tokens are changed."""

import re
from html import unescape

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client

from messages_app.access.models import ApiToken, LoginFailure
from messages_app.access.throttling import FREE_TRIES
from messages_app.access.token_services import create_token
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import SYSTEM
from messages_app.core.clock import database_clock
from tests.messages_app.access.second_factor.factors import enrol
from tests.support.api_client import BASE, caller, problem
from tests.support.factories import PASSWORD, make_user
from tests.support.page_client import confirm_password, text_of

pytestmark = pytest.mark.django_db

NEW_PASSWORD = "a battery of correct horses"
ASKED = "Confirm your password"
HIDDEN = re.compile(r'<input type="hidden" name="([^":]+)" value="([^"]*)">')
USER = {"is_active": "on", "date_joined_0": "2026-11-21", "date_joined_1": "10:00:00"}


@pytest.fixture
def root() -> Client:
    client = Client()
    client.force_login(make_user(is_staff=True, is_superuser=True, username="root"))
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


class TestPages:
    def test_ask_for_the_password_and_then_do_what_was_submitted(self, root, grace):
        groups = [Group.objects.get(name=name).pk for name in ("support", "operator")]
        address = f"/admin/auth/user/{grace.pk}/change/?_changelist_filters=q%3Dg"
        form = USER | {"username": "grace", "first_name": 'A "quoted" <name>', "groups": groups}
        asked = root.post(address, form)
        assert (asked.status_code, ASKED in text_of(asked)) == (403, True)
        grace.refresh_from_db()
        assert grace.first_name == ""
        page = asked.content.decode()
        assert kept_in(page)["groups"] == [str(each) for each in groups]

        assert confirm(root, address, page).status_code == 302
        grace.refresh_from_db()
        assert grace.first_name == 'A "quoted" <name>'
        assert {group.name for group in grace.groups.all()} == {"support", "operator"}
        actions = AuditEntry.objects.order_by("pk").values_list("action", flat=True)
        assert list(actions) == ["confirm_password", "admin_change"]

    def test_are_left_alone_for_ten_minutes(self, root, grace):
        address = f"/admin/auth/user/{grace.pk}/delete/"
        for seconds, status in ((595, 302), (605, 403)):
            session = root.session
            session["password_confirmed_at"] = database_clock().timestamp() - seconds
            session.save()
            user = make_user(username=f"linus-{seconds}")
            address = f"/admin/auth/user/{user.pk}/delete/"
            assert root.post(address, {"post": "yes"}).status_code == status, seconds
            assert User.objects.filter(pk=user.pk).exists() is (status == 403)

    @pytest.mark.parametrize("value", [None, "", "x", 1, 4e9, True])
    def test_ask_again_if_the_session_has_no_valid_time(self, root, grace, value):
        session = root.session
        session["password_confirmed_at"] = value
        session.save()
        assert root.post(f"/admin/auth/user/{grace.pk}/delete/", {"post": "yes"}).status_code == 403

    @pytest.mark.parametrize("path", ["user/add/", "user/{pk}/password/", "group/add/"])
    def test_ask_before_a_form_whose_passwords_would_be_lost(self, root, grace, path):
        address = f"/admin/auth/{path.format(pk=grace.pk)}"
        asked = root.get(address)
        assert (asked.status_code, ASKED in text_of(asked)) == (200, True)
        assert kept_in(asked.content.decode()) == {}
        assert confirm(root, address, asked.content.decode()).url == address
        assert ASKED not in text_of(root.get(address))

    def test_keep_all_fields_except_new_passwords(self, root):
        form = {"username": "linus", "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
        page = root.post("/admin/auth/user/add/", form | {"usable_password": "true"}).content.decode()
        assert NEW_PASSWORD not in page
        assert kept_in(page) == {"username": ["linus"], "usable_password": ["true"]}
        again = confirm(root, "/admin/auth/user/add/", page).content.decode()
        assert 'value="linus"' in again
        assert not User.objects.filter(username="linus").exists()
        assert root.post("/admin/auth/user/add/", form | {"usable_password": "true"}).status_code == 302

    def test_of_roles_and_tokens_ask_too(self, root, grace):
        token, _ = create_token(user=grace, name="reader", actor=SYSTEM)
        role = Group.objects.get(name="support")
        forms = {
            f"/admin/auth/group/{role.pk}/change/": {"name": "support", "permissions": []},
            f"/admin/auth/group/{role.pk}/delete/": {"post": "yes"},
            "/admin/auth/group/add/": {"name": "all"},
            "/admin/messages_app/apitoken/": {"action": "revoke", "_selected_action": [token.pk]},
        }
        before = list(role.permissions.values_list("pk", flat=True))
        for address, form in forms.items():
            asked = root.post(address, form)
            assert (asked.status_code, ASKED in text_of(asked)) == (403, True), address
        assert list(role.permissions.values_list("pk", flat=True)) == before
        token.refresh_from_db()
        assert token.revoked_at is None
        assert not Group.objects.filter(name="all").exists()

        asked = root.post("/admin/messages_app/apitoken/", forms["/admin/messages_app/apitoken/"])
        confirm(root, "/admin/messages_app/apitoken/", asked.content.decode())
        token.refresh_from_db()
        assert token.revoked_at is not None

    def test_are_readable_without(self, root, grace):
        for path in ("user/", f"user/{grace.pk}/change/", f"user/{grace.pk}/delete/", "group/"):
            page = root.get(f"/admin/auth/{path}")
            assert (page.status_code, ASKED in text_of(page)) == (200, False), path

    def test_refuse_users_without_permission_without_asking(self, grace):
        client = Client()
        staff = make_user(is_staff=True, username="reader")
        staff.user_permissions.add(Permission.objects.get(codename="view_user"))
        client.force_login(staff)
        for path in (f"user/{grace.pk}/change/", f"user/{grace.pk}/delete/", "user/add/"):
            answer = client.post(f"/admin/auth/{path}", {"post": "yes"})
            assert (answer.status_code, ASKED in text_of(answer)) == (403, False), path
        assert client.get("/admin/auth/user/add/").status_code == 403

    def test_ask_users_with_a_second_factor_too(self, root, grace):
        user = User.objects.get(username="root")
        enrol(user)
        root.force_login(user)
        assert root.post(f"/admin/auth/user/{grace.pk}/delete/", {"post": "yes"}).status_code == 403
        assert User.objects.filter(pk=grace.pk).exists()

    def test_ask_right_after_a_log_in(self, grace):
        make_user(is_staff=True, is_superuser=True, username="root")
        client = Client()
        client.post("/login/", {"username": "root", "password": PASSWORD})
        assert client.post(f"/admin/auth/user/{grace.pk}/delete/", {"post": "yes"}).status_code == 403


class TestWrongPasswords:
    def test_get_a_message_and_keep_the_form(self, root, grace):
        address = f"/admin/auth/user/{grace.pk}/change/"
        page = root.post(address, USER | {"username": "grace", "first_name": "Grace"}).content.decode()
        wrong = confirm(root, address, page, "wrong")
        assert (wrong.status_code, "Incorrect password." in text_of(wrong)) == (400, True)
        empty = confirm(root, address, wrong.content.decode(), "")
        assert (empty.status_code, "Enter your password." in text_of(empty)) == (400, True)
        assert confirm(root, address, empty.content.decode()).status_code == 302
        grace.refresh_from_db()
        assert grace.first_name == "Grace"
        refused = AuditEntry.objects.get(action="confirm_password", outcome="refused")
        assert (refused.actor, refused.details) == ("root", {"refusal": "wrong_password"})

    def test_are_counted_as_failed_log_ins(self, root, grace):
        address, form = f"/admin/auth/user/{grace.pk}/delete/", {"post": "yes"}
        for _ in range(FREE_TRIES):
            assert root.post(address, form | {"confirm-password": "wrong"}).status_code == 400
        LoginFailure.objects.exclude(blocked_until=None).update(blocked_until="2040-01-01T00:00:00Z")
        answer = root.post(address, form | {"confirm-password": PASSWORD})
        assert (answer.status_code, "Retry-After" in answer.headers) == (429, True)
        assert User.objects.filter(pk=grace.pk).exists()


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
