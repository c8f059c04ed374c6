import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.test import Client

from tests.messages_app.access.second_factor.factors import enrol, next_code_of
from tests.support.factories import PASSWORD, make_user
from tests.support.page_client import text_of

pytestmark = pytest.mark.django_db


def log_in(client: Client, *, username: str = "ada", password: str = PASSWORD, next_page: str = ""):
    return client.post("/login/", {"username": username, "password": password, "next": next_page})


class TestLogIn:
    def test_leads_to_the_requested_page(self, client):
        make_user("support")
        assert log_in(client, next_page="/messages/?state=FAILED").url == "/messages/?state=FAILED"

    def test_allows_users_who_are_not_staff(self, client):
        make_user("support", is_staff=False)
        assert log_in(client).url == "/"
        assert client.get("/").status_code == 200

    @pytest.mark.parametrize(
        "target", ["//evil.example", "javascript:alert(1)", "https:evil", "https://evil"]
    )
    def test_redirects_only_within_this_site(self, client, target):
        make_user("support")
        assert log_in(client, next_page=target).url == "/"

    @pytest.mark.parametrize(
        ("username", "password"),
        [
            ("ada", "wrong"),
            ("nobody", PASSWORD),
            ("' OR 1=1 --", "x"),
            ("a\0b", "x"),
            ("x" * 10_000, "x"),
            ("ada", "x" * 5000),
        ],
    )
    def test_refuses_an_unknown_user_with_an_explanation(self, client, username, password):
        make_user("support")
        response = log_in(client, username=username, password=password)
        assert response.status_code == 200
        assert response.context["form"].errors
        assert "_auth_user_id" not in client.session

    def test_changes_the_session_id(self, client):
        make_user("support")
        client.get("/login/")
        client.session.save()
        before = client.session.session_key
        log_in(client)
        assert client.session.session_key != before

    def test_is_not_cached_by_browsers(self, client):
        assert "no-store" in client.get("/login/").headers["Cache-Control"]


class TestLogOut:
    def test_ends_the_session_by_post_only(self, client):
        client.force_login(make_user("support"))
        assert client.get("/logout/").status_code == 405
        assert client.post("/logout/").url == "/login/"
        assert client.get("/messages/").status_code == 302


class TestForms:
    def test_without_their_csrf_token_lead_back(self):
        client = Client(enforce_csrf_checks=True)
        client.force_login(make_user("operator"))
        for cookie in (None, "a" * 32):
            if cookie:
                client.cookies["csrftoken"] = cookie
            response = client.post("/messages/5/cancel/", {"reason": "r", "csrfmiddlewaretoken": "b" * 32})
            assert response.status_code == 403
            assert "Nothing was changed. Open the page again." in response.content.decode()


class TestPasswords:
    def test_may_be_long_and_have_blanks_but_not_be_common(self):
        for password in (
            " " + "a1 " * 40,
            "twelve-chars",
            "x" * 60 + "yz1 " * 17,
            "correct horse battery staple",
        ):
            validate_password(password)
        common = ("short", "elevenchars", "password1234", "1234567890123")
        for password in (*common, "Hub-Console 2026!", "x9-OPENHUB-y7-z"):
            with pytest.raises(ValidationError):
                validate_password(password)


class TestAdvice:
    """The note at each log-in of administrators who have only a password."""

    TEXT = "logged in with only a password"

    @pytest.fixture(autouse=True)
    def production(self, settings):
        settings.IS_LOOPBACK = False

    def told(self, *roles: str, **columns: object) -> str:
        make_user(*roles, **columns)
        return self.told_again()

    def told_again(self) -> str:
        client = Client()
        client.post("/login/", {"username": "ada", "password": PASSWORD})
        return text_of(client.get("/sessions/"))

    @pytest.mark.parametrize(
        ("roles", "columns"), [(["admin"], {}), ([], {"is_staff": True}), ([], {"is_superuser": True})]
    )
    def test_leads_to_the_second_factor_at_every_log_in(self, roles, columns):
        for page in (self.told(*roles, **columns), self.told_again()):
            assert self.TEXT in page
            assert '<a href="/second-factor/">Set up a second factor</a>' in page

    def test_is_shown_once_in_a_session(self):
        make_user("admin")
        client = Client()
        client.post("/login/", {"username": "ada", "password": PASSWORD})
        assert [self.TEXT in text_of(client.get("/sessions/")) for _ in range(2)] == [True, False]

    def test_is_not_for_others(self):
        assert self.TEXT not in self.told("operator", "support")

    def test_is_not_for_administrators_with_a_second_factor(self):
        ada = make_user("admin")
        device, _ = enrol(ada)
        client = Client()
        client.post("/login/", {"username": "ada", "password": PASSWORD})
        client.post("/login/code/", {"code": next_code_of(device)})
        page = client.get("/sessions/")
        assert (page.status_code, self.TEXT in text_of(page)) == (200, False)

    def test_is_not_for_a_console_on_this_machine(self, settings):
        settings.IS_LOOPBACK = True
        assert self.TEXT not in self.told("admin")

    def test_has_no_link_if_second_factors_are_off(self, settings):
        settings.SECOND_FACTOR = "off"
        page = self.told("admin")
        assert self.TEXT in page
        assert "Set up a second factor" not in page
