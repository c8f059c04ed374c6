from types import SimpleNamespace

import pytest
from django.contrib.auth import get_user, get_user_model
from django.contrib.sessions.exceptions import SessionInterrupted
from django.db import IntegrityError, connection
from django.http import HttpRequest
from django.test import Client, RequestFactory

from messages_app.access.models import UserSession
from messages_app.access.password_change import PasswordNoLongerHolds, _save_password, change_password
from messages_app.access.sessions.store import SessionStore
from messages_app.audit.models import AuditEntry
from tests.messages_app.access.sessions.test_store import is_in, key_of
from tests.support.factories import PASSWORD
from tests.support.page_client import client_of
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db

NEW = "quite another story"


def ada() -> object:
    return get_user_model().objects.get(username="ada")


def request_of(client: Client) -> HttpRequest:
    """Return a request of the user who is logged in on this client."""
    request = RequestFactory().post("/password/")
    request.session = SessionStore(key_of(client))
    request.user = get_user(request)
    return request


def change(client: Client, *, user: object = None, new_password: str = NEW) -> int:
    request = request_of(client)
    return change_password(request=request, user=user or ada(), new_password=new_password)


class TestSavePassword:
    def test_records_that_another_request_was_faster(self):
        client = client_of("support")
        request, before = request_of(client), ada()
        change(client)
        form = SimpleNamespace(cleaned_data={"new_password1": "a third story"})
        answer = _save_password(request, form, before)
        assert answer.url == "/login/?next=/password/"
        last = AuditEntry.objects.order_by("entry_id").last()
        assert (last.action, last.outcome, last.details["refusal"]) == (
            "change_password",
            "refused",
            "changed_meanwhile",
        )
        assert ada().check_password(NEW)


class TestChangePassword:
    def test_ends_all_other_sessions_of_the_user_and_shows_how_many(self):
        here, bob = client_of("support"), client_of("support", username="bob")
        for _ in range(2):
            Client().force_login(ada())
        assert change(here) == 2
        assert UserSession.objects.filter(user=ada()).count() == 1
        assert is_in(bob)
        told = AuditEntry.objects.order_by("entry_id").values_list("actor", "action", "outcome", "details")
        assert list(told) == [
            ("ada", "change_password", "done", {}),
            ("ada", "end_other_sessions", "done", {"sessions": 2}),
        ]

    def test_gives_this_session_another_key(self):
        here = client_of("support")
        request = request_of(here)
        change_password(request=request, user=ada(), new_password=NEW)
        assert request.session.session_key != key_of(here)
        assert not is_in(here)
        request.session.save()
        here.cookies["sessionid"] = request.session.session_key
        assert is_in(here)

    def test_changes_no_other_column(self):
        here, as_read = client_of("support"), ada()
        get_user_model().objects.update(is_staff=True, last_name="Lovelace")
        change(here, user=as_read)
        assert (ada().is_staff, ada().last_name, ada().check_password(NEW)) == (True, "Lovelace", True)

    @pytest.mark.parametrize("meanwhile", [{"password": "of another request"}, {"is_active": False}])
    def test_is_refused_if_the_given_password_is_no_longer_valid(self, meanwhile):
        here, as_read = client_of("support"), ada()
        request = request_of(here)
        Client().force_login(as_read)
        get_user_model().objects.update(**meanwhile)
        with pytest.raises(PasswordNoLongerHolds):
            change_password(request=request, user=as_read, new_password=NEW)
        assert not ada().check_password(NEW)
        assert UserSession.objects.count() == 2
        assert not AuditEntry.objects.exists()

    def test_changes_nothing_once_the_session_has_ended(self):
        here = client_of("support")
        request = request_of(here)
        Client().force_login(ada())
        UserSession.objects.earliest("session_id").delete()
        with pytest.raises(SessionInterrupted):
            change_password(request=request, user=ada(), new_password=NEW)
        assert ada().check_password(PASSWORD)
        assert UserSession.objects.count() == 1
        assert not AuditEntry.objects.exists()

    def test_needs_its_entry_in_the_audit(self):
        here = client_of("support")
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE audit_entry ADD CONSTRAINT none_now CHECK (false) NOT VALID")
        with pytest.raises(IntegrityError, match="none_now"):
            change(here)
        assert ada().check_password(PASSWORD)
        assert is_in(here)


@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_succeeds_for_only_one_of_two_with_the_same_password(self):
        here, there = client_of("support"), Client()
        there.force_login(ada())
        as_read = [ada(), ada()]

        def work(client: Client, user: object, new_password: str) -> object:
            return lambda: change(client, user=user, new_password=new_password)

        outcomes = in_threads(work(here, as_read[0], "the story of one"), work(there, as_read[1], "of two"))
        winner = next(number for number, outcome in enumerate(outcomes) if outcome == 1)
        assert isinstance(outcomes[1 - winner], PasswordNoLongerHolds)
        assert ada().check_password(("the story of one", "of two")[winner])
        assert AuditEntry.objects.filter(action="change_password").count() == 1
        assert UserSession.objects.count() == 1
