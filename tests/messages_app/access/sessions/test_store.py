from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.exceptions import SessionInterrupted
from django.db import connection, transaction
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext

from messages_app.access.models import ApiToken, UserSession
from messages_app.access.sessions.store import SessionStore
from messages_app.access.token_services import digest_key
from tests.support.factories import PASSWORD, make_user
from tests.support.page_client import client_of

pytestmark = pytest.mark.django_db

A_MINUTE, AN_HOUR = timedelta(minutes=1), timedelta(hours=1)
POLL = {"HX-Request": "true"}


def let_pass(span: timedelta) -> None:
    """Make all sessions older by this time."""
    UserSession.objects.update(
        **{name: F(name) - span for name in ("began_at", "last_used_at", "ends_at")},
    )


def is_in(client: Client, **headers: str) -> bool:
    return client.get("/handover/", headers=headers).status_code == 200


def key_of(client: Client) -> str:
    return client.cookies["sessionid"].value


class TestLogIn:
    def test_begins_a_session_under_a_new_key(self, client):
        make_user("support")
        client.session.save()
        before = key_of(client)
        client.post("/login/", {"username": "ada", "password": PASSWORD})
        assert key_of(client) != before
        assert not SessionStore().exists(before)
        assert UserSession.objects.get().user.username == "ada"

    def test_stores_no_key_in_plain_text(self):
        client = client_of("support")
        assert UserSession.objects.get().key_sha256 == digest_key(key_of(client))
        assert key_of(client) not in UserSession.objects.get().data

    def test_accepts_no_key_that_someone_else_has_chosen(self, client):
        client.cookies["sessionid"] = "k" * 32
        make_user("support")
        client.post("/login/", {"username": "ada", "password": PASSWORD})
        assert key_of(client) != "k" * 32
        assert not SessionStore().exists("k" * 32)


class TestLogOut:
    @pytest.mark.parametrize("address", ["/logout/", "/admin/logout/"])
    def test_ends_the_session_for_anyone_with_its_key(self, address):
        client = Client()
        client.force_login(make_user("support", is_staff=True))
        client_of("support", username="bob")
        thief = Client()
        thief.cookies["sessionid"] = key_of(client)
        assert is_in(thief)
        client.post(address)
        assert not is_in(thief)
        assert UserSession.objects.get().user.username == "bob"


class TestPasswordChange:
    def test_ends_all_sessions_except_the_one_in_which_it_was_made(self):
        here = Client()
        ada = make_user("support")
        here.force_login(ada)
        there = Client()
        there.force_login(ada)
        key = key_of(here)
        sent = {"old_password": PASSWORD, "new_password1": "quite another story", "new_password2": ""}
        here.post("/password/", sent | {"new_password2": "quite another story"})
        assert (is_in(here), is_in(there)) == (True, False)
        assert key_of(here) != key

    def test_does_not_extend_a_session(self):
        client = client_of("support")
        let_pass(timedelta(minutes=10))
        began = UserSession.objects.get().began_at
        session = SessionStore(key_of(client))
        session.cycle_key()
        session.save()
        assert UserSession.objects.get().began_at == began


class TestSession:
    def test_ends_when_no_one_has_used_it_for_a_quarter_of_an_hour(self):
        client = client_of("support")
        let_pass(timedelta(minutes=14, seconds=55))
        assert is_in(client)
        let_pass(timedelta(minutes=14, seconds=55))
        assert is_in(client)
        let_pass(timedelta(minutes=15))
        assert not is_in(client)

    @pytest.mark.slow
    def test_ends_after_half_a_day_of_any_use(self):
        client = client_of("support")
        for _ in range(71):
            let_pass(timedelta(minutes=10))
            assert is_in(client)
        session = client.session
        session["more"] = 1
        session.save()  # writing data does not extend it either
        let_pass(timedelta(minutes=10))
        assert not is_in(client)

    def test_lasts_half_a_day_if_the_idle_limit_is_disabled(self, settings):
        settings.SESSION_IDLE_AGE = settings.SESSION_COOKIE_AGE
        client = client_of("support")
        let_pass(timedelta(hours=11, minutes=59))
        assert is_in(client)
        let_pass(A_MINUTE)
        assert not is_in(client)

    def test_is_not_extended_by_automatic_refreshes(self):
        client = client_of("support")
        for _ in range(2):
            let_pass(timedelta(minutes=7))
            assert is_in(client, **POLL)
        let_pass(timedelta(minutes=1))
        answer = client.get("/dashboard/part/", headers=POLL | {"Referer": "http://testserver/?window=1h"})
        assert answer.status_code == 401
        assert answer.headers["HX-Redirect"] == "/login/?next=/%3Fwindow%3D1h"
        assert answer.content == b""

    @pytest.mark.parametrize("referer", ["", "http://[", "https://evil.example"])
    def test_leads_to_the_log_in_whatever_page_the_request_names(self, client, referer):
        answer = client.get("/dashboard/part/", headers=POLL | {"Referer": referer})
        assert answer.headers["HX-Redirect"] == "/login/?next=/"

    def test_is_not_used_by_a_token(self):
        client = client_of("support")
        let_pass(timedelta(minutes=14))
        used = UserSession.objects.get().last_used_at
        client.get("/api/v1/messages/", headers={"Authorization": "Token hubc_nothing"})
        assert UserSession.objects.get().last_used_at == used
        assert ApiToken.objects.count() == 0

    def test_counts_for_the_api_as_for_the_pages(self):
        client = client_of("support")
        let_pass(timedelta(minutes=14))
        assert client.get("/api/v1/messages/").status_code == 200
        let_pass(timedelta(minutes=14))
        assert client.get("/api/v1/messages/").status_code == 200
        let_pass(timedelta(minutes=16))
        assert client.get("/api/v1/messages/").status_code == 401

    def test_is_written_at_most_once_a_minute_in_one_statement(self):
        client = client_of("support")
        let_pass(2 * A_MINUTE)
        writes = []
        for _ in range(3):
            with CaptureQueriesContext(
                connection,
            ) as queries:
                client.get("/sessions/")
            writes.append(sum("UPDATE user_session" in each["sql"] for each in queries))
        assert writes == [1, 0, 0]

    def test_is_read_on_a_read_only_server(self):
        client = client_of("support")
        let_pass(2 * A_MINUTE)
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL transaction_read_only = on")
            assert client.get("/sessions/").status_code == 200
            transaction.set_rollback(True)

    def test_stores_where_it_was_used_last(self):
        client = client_of("support")
        let_pass(2 * A_MINUTE)
        client.get("/", REMOTE_ADDR="192.0.2.7", headers={"User-Agent": "Mine\t" + "x" * 999})
        session = UserSession.objects.get()
        assert (session.address, session.browser[:5], len(session.browser)) == ("192.0.2.7", "Minex", 300)

    def test_is_deleted_with_its_user(self):
        client = client_of("support")
        get_user_model().objects.get().delete()
        assert not is_in(client)
        assert not UserSession.objects.exists()


class TestCookie:
    def test_stays_if_a_request_with_a_replaced_key_arrives_late(self):
        """Its answer would remove the cookie that the browser has by then."""
        client = client_of("support")
        late = Client()
        late.cookies = client.cookies.copy()
        UserSession.objects.update(key_sha256=digest_key("another"))

        response = late.get("/")

        assert response.status_code == 302
        assert "sessionid" not in response.cookies

    def test_is_removed_by_the_log_out_of_a_session_that_has_ended(self):
        client = client_of("support")
        UserSession.objects.all().delete()

        response = client.post("/logout/")

        assert response.cookies["sessionid"].value == ""


class TestSave:
    def test_does_not_revive_an_ended_session(self):
        session = SessionStore(key_of(client_of("support")))
        session["more"] = 1
        UserSession.objects.all().delete()
        with pytest.raises(UpdateError):
            session.save()
        assert not UserSession.objects.exists()


class TestCycleKey:
    def test_does_not_revive_an_ended_session(self):
        session = SessionStore(key_of(client_of("support")))
        assert session["_auth_user_id"]
        UserSession.objects.all().delete()
        with pytest.raises(SessionInterrupted):
            session.cycle_key()
        assert not UserSession.objects.exists()


class TestClearExpired:
    def test_removes_only_ended_sessions(self):
        client_of("support")
        let_pass(AN_HOUR)
        client_of("support", username="bob")
        SessionStore.clear_expired()
        assert UserSession.objects.get().user.username == "bob"
