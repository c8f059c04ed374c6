import re

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.test import RequestFactory

from messages_app.access.models import LoginFailure
from messages_app.access.passwords import PasswordForm
from messages_app.access.throttling import FREE_TRIES
from messages_app.audit.models import AuditEntry
from tests.support.factories import PASSWORD, make_user
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def request_of_ada() -> HttpRequest:
    request = RequestFactory().post("/", REMOTE_ADDR="192.0.2.7")
    request.user = make_user("operator")
    return request


def form(request: HttpRequest, password: str) -> PasswordForm:
    return PasswordForm({"password": password}, request=request)


class TestPasswordForm:
    def test_accepts_the_password_of_the_user(self, request_of_ada):
        assert form(request_of_ada, PASSWORD).is_valid()
        entry = AuditEntry.objects.get()
        assert (entry.actor, entry.action, entry.outcome) == ("ada", "confirm_password", "done")
        assert not LoginFailure.objects.exists()

    @pytest.mark.parametrize("password", ["wrong", PASSWORD + " ", PASSWORD.upper()])
    def test_refuses_any_other_and_counts_it_as_a_failed_log_in(self, request_of_ada, password):
        found = form(request_of_ada, password)
        assert found.errors == {"password": ["Incorrect password."]}
        assert LoginFailure.objects.count() == 2  # for the account and for the address
        entry = AuditEntry.objects.get()
        assert (entry.outcome, entry.details) == ("refused", {"refusal": "wrong_password"})

    @pytest.mark.parametrize("password", ["", "x" * 5000, "a\0b"])
    def test_does_not_check_an_invalid_password(self, request_of_ada, password):
        assert not form(request_of_ada, password).is_valid()
        assert not LoginFailure.objects.exists()

    def test_is_not_the_password_of_another_user(self, request_of_ada):
        other = make_user("admin", username="eve")
        other.set_password("another long password")
        other.save()
        assert not form(request_of_ada, "another long password").is_valid()

    def test_checks_none_for_a_while_after_too_many_attempts(self, request_of_ada):
        for _ in range(FREE_TRIES):
            form(request_of_ada, "wrong").is_valid()
        LoginFailure.objects.exclude(blocked_until=None).update(blocked_until="2040-01-01T00:00:00Z")

        assert "Too many attempts. Try again in" in form(request_of_ada, PASSWORD).errors["password"][0]
        assert AuditEntry.objects.latest("entry_id").details == {"refusal": "too_many_tries"}
        LoginFailure.objects.update(blocked_until=None)
        assert form(request_of_ada, PASSWORD).is_valid()

    def test_is_refused_if_no_one_is_logged_in(self, request_of_ada):
        request_of_ada.user = AnonymousUser()
        assert not form(request_of_ada, PASSWORD).is_valid()


class TestFields:
    @pytest.mark.parametrize(("address", "number"), [("/password/", 3), ("/second-factor/", 2)])
    def test_hide_what_is_typed_and_let_password_managers_fill_them_in(self, address, number):
        page = text_of(client_of("support").get(address))
        fields = [field for field in re.findall("<input [^>]*>", page) if "password" in field]
        assert len(fields) == number
        for field in fields:
            assert 'type="password"' in field
            assert re.search('autocomplete="(current|new)-password"', field)
