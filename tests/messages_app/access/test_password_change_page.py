import logging

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.http import HttpResponse
from django.test import Client

from messages_app.access.models import LoginFailure, UserSession
from messages_app.access.second_factor.devices import device_of
from messages_app.access.throttling import FREE_TRIES
from messages_app.audit.models import AuditEntry
from tests.messages_app.access.second_factor.factors import enrol, next_code_of
from tests.messages_app.access.sessions.test_store import is_in, key_of
from tests.support.factories import PASSWORD, make_user
from tests.support.page_client import client_of, reader_of, text_of
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db

NEW = "quite another story"
OTHER = "a typed word that is nowhere else"


def send(client: Client, *, old: str = PASSWORD, new: str = NEW, again: str | None = None) -> HttpResponse:
    sent = {"old_password": old, "new_password1": new, "new_password2": new if again is None else again}
    return client.post("/password/", sent)


def ada() -> object:
    return get_user_model().objects.get(username="ada")


def refusals() -> list[str]:
    """Return the reasons of refused changes. Check that the audit log has no other entries."""
    entries = AuditEntry.objects.order_by("entry_id")
    assert set(entries.values_list("actor", "action", "outcome")) <= {("ada", "change_password", "refused")}
    return [entry.details["refusal"] for entry in entries]


class TestOwnPassword:
    def test_is_changed_and_this_session_continues_with_another_key(self, client):
        here, there = client_of("support"), Client()
        there.force_login(ada())
        key = key_of(here)
        answer = send(here)
        assert (answer.status_code, answer.url) == (302, "/sessions/")
        assert "Password changed. 1 other session ended." in text_of(here.get("/sessions/"))
        assert key_of(here) != key
        assert (is_in(here), is_in(there)) == (True, False)
        actions = AuditEntry.objects.filter(actor="ada", outcome="done").values_list("action", flat=True)
        assert list(actions.order_by("entry_id")) == ["change_password", "end_other_sessions"]
        assert not LoginFailure.objects.exists()
        assert client.post("/login/", {"username": "ada", "password": PASSWORD}).status_code == 200
        assert client.post("/login/", {"username": "ada", "password": NEW}).url == "/"

    def test_mentions_no_other_sessions_if_no_others_were_open(self):
        here = client_of()
        send(here)
        page = text_of(here.get("/sessions/"))
        assert "Password changed." in page
        assert "session ended" not in page
        assert "sessions ended" not in page

    def test_masks_values_again(self):
        reader = reader_of("support")
        send(reader)
        assert UserSession.objects.get().revealed_until is None
        assert is_in(reader)

    def test_does_not_change_the_second_factor(self, client, settings):
        settings.SECOND_FACTOR = "required"
        device, _ = enrol(make_user("admin"))
        client.post("/login/", {"username": "ada", "password": PASSWORD})
        client.post("/login/code/", {"code": next_code_of(device)})
        assert send(client).url == "/sessions/"
        assert is_in(client)
        assert device_of(ada()) == device

    @pytest.mark.parametrize("old", ["wrong", PASSWORD + " ", " " + PASSWORD, PASSWORD.upper()])
    def test_is_not_changed_with_a_wrong_old_one_which_counts_as_a_log_in_attempt(self, old):
        here, there = client_of("support"), Client()
        there.force_login(ada())
        answer = here.post(
            "/password/",
            {"old_password": old, "new_password1": NEW, "new_password2": NEW},
            REMOTE_ADDR="192.0.2.7",
        )
        assert answer.status_code == 400
        assert answer.context["form"].errors == {"old_password": ["Incorrect password."]}
        assert LoginFailure.objects.count() == 2  # for the account and for the address
        assert ada().check_password(PASSWORD)
        assert refusals() == ["wrong_password"]
        assert (is_in(here), is_in(there)) == (True, True)

    def test_is_no_longer_checked_after_too_many_wrong_ones(self):
        here = client_of("support")
        for _ in range(FREE_TRIES):
            assert send(here, old="wrong").status_code == 400
        LoginFailure.objects.update(blocked_until="2040-01-01T00:00:00Z")
        answer = send(here)
        assert answer.status_code == 429
        seconds = int(answer.headers["Retry-After"])
        assert seconds > 900
        assert f"Too many attempts. Try again in {seconds} s." in text_of(answer)
        assert refusals() == ["wrong_password"] * FREE_TRIES + ["too_many_tries"]
        assert ada().check_password(PASSWORD)
        LoginFailure.objects.update(blocked_until=None)
        assert send(here).status_code == 302

    @pytest.mark.parametrize(
        ("new", "field", "says"),
        [
            ("elevenchars", "new_password2", "too short"),
            ("password1234", "new_password2", "too common"),
            ("Ada-Byron-King", "new_password2", "too similar"),
            ("x9-OPENHUB-y7-z", "new_password2", "must not contain the product name"),
            ("x" * 5000, "new_password1", "at most 4096 characters"),
            ("a long story\0", "new_password1", "Null characters"),
            ("", "new_password1", "Enter a new password."),
        ],
    )
    def test_is_not_changed_to_a_forbidden_one(self, new, field, says):
        here = client_of("support")
        get_user_model().objects.update(last_name="Byron-King")
        answer = send(here, new=new)
        assert answer.status_code == 400
        assert says in answer.context["form"].errors[field][0]
        assert "old_password" not in answer.context["form"].errors
        assert ada().check_password(PASSWORD)
        assert refusals() == ["new_password"]
        assert not LoginFailure.objects.exists()

    def test_is_not_changed_if_the_new_ones_differ(self):
        answer = send(client_of("support"), again=NEW + " ")
        assert answer.context["form"].errors == {"new_password2": ["The two new passwords do not match."]}
        assert ada().check_password(PASSWORD)

    @pytest.mark.parametrize("old", ["", "x" * 5000, "a\0b"])
    def test_is_not_compared_with_an_invalid_one(self, old):
        answer = send(client_of("support"), old=old)
        assert answer.status_code == 400
        assert list(answer.context["form"].errors) == ["old_password"]
        assert not LoginFailure.objects.exists()
        assert not AuditEntry.objects.exists()

    def test_is_not_changed_by_a_form_without_fields(self):
        answer = client_of("support").post("/password/")
        assert answer.status_code == 400
        assert list(answer.context["form"].errors) == ["old_password", "new_password1", "new_password2"]

    def test_may_be_long_with_blanks_and_any_letters(self):
        new = " ž🙂 two words" * 9 + " "
        assert len(new) > 100
        assert send(client_of("support"), new=new).status_code == 302
        assert ada().check_password(new)

    def test_is_on_no_page_in_no_log_and_not_in_the_audit(self, caplog):
        caplog.set_level(logging.DEBUG)
        here = client_of("support")
        answers = [send(here, old=OTHER, new=NEW), send(here, new=OTHER, again=NEW), send(here, new=OTHER)]
        with connection.cursor() as cursor:
            cursor.execute("SELECT string_agg(e::text, '') FROM audit_entry AS e")
            kept = cursor.fetchone()[0] + caplog.text + "".join(map(text_of, answers))
        assert [answer.status_code for answer in answers] == [400, 400, 302]
        assert "change_password" in kept
        assert not [word for word in (PASSWORD, NEW, OTHER) if word in kept]

    def test_is_for_anyone_who_is_logged_in(self, client):
        assert client.get("/password/").url == "/login/?next=/password/"
        assert send(client).url == "/login/?next=/password/"
        page = client_of().get("/password/")
        assert page.status_code == 200
        assert "no-store" in page.headers["Cache-Control"]
        assert "at least 12 characters" in text_of(page)
        assert 'href="/password/"' in text_of(client_of("support", username="bob").get("/sessions/"))

    def test_accepts_only_get_head_and_post(self):
        client = client_of("support")
        assert client.head("/password/").status_code == 200
        assert client.options("/password/").headers["Allow"] == "GET, HEAD, POST"
        assert client.options("/password/").status_code == 405

    def test_requires_the_csrf_token(self):
        client = client_of("support")
        client.handler.enforce_csrf_checks = True
        assert send(client).status_code == 403
        assert ada().check_password(PASSWORD)


@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_no_more_concurrent_attempts_are_checked_than_sequential_ones(self):
        clients = [client_of("support"), *(Client() for _ in range(11))]
        for client in clients[1:]:
            client.force_login(ada())
        answers = in_threads(*[lambda client=client: send(client, old="wrong") for client in clients])
        looked_at = [answer.status_code for answer in answers].count(400)
        assert 1 <= looked_at <= FREE_TRIES
        assert sorted(refusals()) == ["too_many_tries"] * (12 - looked_at) + ["wrong_password"] * looked_at

    def test_of_two_concurrent_changes_one_succeeds_and_the_other_must_log_in_again(self):
        """
        The slower request is redirected to the login or, if it comes after the change, gets the error for a
        wrong password.
        """
        here, there = client_of("support"), Client()
        there.force_login(ada())
        news = ["the story of one", "the story of two"]
        answers = in_threads(lambda: send(here, new=news[0]), lambda: send(there, new=news[1]))
        ways = [answer.headers.get("Location", answer.status_code) for answer in answers]
        winner = ways.index("/sessions/")
        assert ways[1 - winner] in {"/login/?next=/password/", 400}
        assert ada().check_password(news[winner])
        assert [is_in(client) for client in (here, there)] == [winner == 0, winner == 1]
        assert AuditEntry.objects.filter(action="change_password", outcome="done").count() == 1
