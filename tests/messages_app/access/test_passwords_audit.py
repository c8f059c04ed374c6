"""Each entry of a password that is entered again or changed, as a whole row."""

import pytest
from django.http import HttpResponse
from django.test import Client

from messages_app.access.models import LoginFailure
from messages_app.access.throttling import FREE_TRIES
from messages_app.core.clock import database_clock
from tests.support.audit_entries import audit_rows
from tests.support.factories import PASSWORD, make_user
from tests.support.user_entries import by_user

pytestmark = pytest.mark.django_db

NEW = "quite another story"
FORM = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}


@pytest.fixture
def ada():
    make_user("support", username="linus")
    return make_user("support", is_staff=True, is_superuser=True)


@pytest.fixture
def client(ada) -> Client:
    client = Client()
    client.force_login(ada)
    return client


def refuse_tries() -> None:
    LoginFailure.objects.exclude(blocked_until=None).update(blocked_until="2040-01-01T00:00:00Z")


class TestChangePassword:
    def test_names_the_user_and_how_many_sessions_it_ended(self, client, ada):
        for _ in range(2):
            Client().force_login(ada)
        answer = client.post("/password/", FORM)
        assert answer.status_code == 302
        assert audit_rows() == [
            by_user(ada, "change_password", of=answer),
            by_user(ada, "end_other_sessions", of=answer, details={"sessions": 2}),
        ]

    def test_names_why_it_was_refused(self, client, ada):
        wrong = FORM | {"old_password": "wrong"}
        answer = client.post("/password/", wrong)
        for _ in range(FREE_TRIES - 1):
            client.post("/password/", wrong)
        refuse_tries()
        later = client.post("/password/", wrong)
        first, *_, last = audit_rows()
        assert first == by_user(
            ada, "change_password", of=answer, outcome="refused", details={"refusal": "wrong_password"}
        )
        assert last == by_user(
            ada, "change_password", of=later, outcome="refused", details={"refusal": "too_many_tries"}
        )


class TestPasswordForm:
    def confirm(self, client: Client, password: str) -> HttpResponse:
        user = make_user(username=f"user-{database_clock().timestamp():.6f}")
        form = {"reason": "r", "confirm-password": password}
        return client.post(f"/users/{user.pk}/end-sessions/", form)

    def test_names_the_user_who_confirmed(self, client, ada):
        answer = self.confirm(client, PASSWORD)
        assert audit_rows("confirm_password") == [by_user(ada, "confirm_password", of=answer)]

    def test_names_why_it_was_refused(self, client, ada):
        answer = self.confirm(client, "wrong")
        expected = by_user(
            ada, "confirm_password", of=answer, outcome="refused", details={"refusal": "wrong_password"}
        )
        assert audit_rows() == [expected]
