import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.test import Client

from tests.support.factories import PASSWORD, make_user

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
