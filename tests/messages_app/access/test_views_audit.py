"""Each entry of a login and logout, as a whole row."""

import pytest
from django.test import Client

from messages_app.access.models import LoginFailure
from messages_app.access.throttling import FREE_TRIES
from tests.messages_app.access.second_factor.factors import enrol, next_code_of, wrong_code_of
from tests.support.audit_entries import audit_rows
from tests.support.factories import PASSWORD, make_user
from tests.support.user_entries import by_user

pytestmark = pytest.mark.django_db


def log_in(client: Client, *, username: str = "grace", password: str = PASSWORD):
    return client.post("/login/", {"username": username, "password": password})


@pytest.fixture(autouse=True)
def ada():
    """Store a first user, so that the one who logs in is not the only row."""
    return make_user("admin")


@pytest.fixture
def grace():
    return make_user("support", username="grace")


class TestLogIn:
    def test_names_the_user_the_address_and_the_request(self, client, grace):
        answer = log_in(client)
        assert audit_rows() == [by_user(grace, "log_in", of=answer)]

    def test_names_the_kind_of_code(self, client, grace):
        device, codes = enrol(grace)
        for code, kind in ((codes[3], "recovery_code"), (next_code_of(device), "code")):
            log_in(client)
            answer = client.post("/login/code/", {"code": code})
            client.logout()
            expected = by_user(grace, "log_in", of=answer, details={"second_factor": kind})
            assert audit_rows("log_in")[-1] == expected

    def test_names_the_owner_of_the_account_for_a_wrong_password(self, client, grace):
        answer = log_in(client, password="wrong")
        details = {"refusal": "wrong_name_or_password"}
        assert audit_rows() == [by_user(grace, "log_in", of=answer, outcome="refused", details=details)]

    def test_does_not_repeat_a_name_that_no_account_has(self, client, ada):
        for name in ("eve", "grace\0"):
            answer = log_in(client, username=name)
            row = by_user(
                ada,
                "log_in",
                of=answer,
                actor="(unknown)",
                actor_id=None,
                outcome="refused",
                details={"refusal": "wrong_name_or_password"},
            )
            assert audit_rows()[-1] == row

    def test_names_the_owner_of_a_blocked_account(self, client, grace):
        for _ in range(FREE_TRIES):
            log_in(client, password="wrong")
        LoginFailure.objects.exclude(blocked_until=None).update(blocked_until="2040-01-01T00:00:00Z")
        answer = log_in(client)
        assert answer.status_code == 429
        details = {"refusal": "too_many_tries"}
        assert audit_rows()[FREE_TRIES:] == [
            by_user(grace, "log_in", of=answer, outcome="refused", details=details)
        ]

    def test_names_the_user_of_a_wrong_code(self, client, grace):
        device, _ = enrol(grace)
        log_in(client)
        answer = client.post("/login/code/", {"code": wrong_code_of(device)})
        details = {"refusal": "wrong_code"}
        assert audit_rows("log_in") == [
            by_user(grace, "log_in", of=answer, outcome="refused", details=details)
        ]


class TestLogOut:
    def test_names_the_user_the_address_and_the_request(self, client, grace):
        client.force_login(grace)
        answer = client.post("/logout/")
        assert audit_rows() == [by_user(grace, "log_out", of=answer)]
        client.post("/logout/")
        assert len(audit_rows()) == 1
