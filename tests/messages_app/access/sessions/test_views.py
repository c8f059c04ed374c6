import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from messages_app.access.models import UserSession
from messages_app.audit.models import AuditEntry
from tests.messages_app.access.sessions.test_store import POLL, is_in, let_pass
from tests.support.factories import make_user
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"


@pytest.fixture
def clients() -> list[Client]:
    """Return three clients of ada, each with its own session."""
    ada = make_user("support")
    made = [Client(headers={"User-Agent": FIREFOX}) for _ in range(3)]
    for client in made:
        client.force_login(ada)
    return made


def session_of(client: Client) -> UserSession:
    return next(line.session for line in client.get("/sessions/").context["lines"] if line.is_this)


class TestSessionList:
    def test_shows_the_users_own_sessions_and_marks_this_one(self, clients):
        client_of("admin", username="bob")
        let_pass(timedelta(minutes=2))
        lines = clients[0].get("/sessions/").context["lines"]
        assert len(lines) == 3
        assert [line.is_this for line in lines] == [True, False, False]
        assert lines[0].browser == "Firefox on Linux"

    def test_omits_sessions_of_an_earlier_password_and_ended_ones(self, clients):
        UserSession.objects.filter(pk=session_of(clients[1]).pk).update(password_digest="an earlier one")
        ended = UserSession.objects.filter(pk=session_of(clients[2]).pk)
        ended.update(ends_at=ended.get().began_at)
        assert len(clients[0].get("/sessions/").context["lines"]) == 1
        assert "End all other sessions" not in text_of(clients[0].get("/sessions/"))

    def test_is_for_anyone_who_is_logged_in(self, client):
        assert client.get("/sessions/").url == "/login/?next=/sessions/"
        assert client_of().get("/sessions/").status_code == 200
        assert 'href="/sessions/"' in text_of(client_of("support", username="bob").get("/messages/"))


class TestEndOne:
    def test_ends_it_immediately_and_records_it_in_the_audit(self, clients):
        ended = session_of(clients[1])
        answer = clients[0].post(f"/sessions/{ended.pk}/end/", follow=True)
        assert answer.redirect_chain == [("/sessions/", 302)]
        assert [str(notice) for notice in answer.context["messages"]] == ["Session ended."]
        assert [is_in(client) for client in clients] == [True, False, True]
        entry = AuditEntry.objects.get(action="end_session")
        assert (entry.actor, entry.details) == ("ada", {"session_id": ended.pk})

    def test_ends_no_session_of_another_user(self, clients):
        bob = client_of("admin", username="bob")
        assert bob.post(f"/sessions/{session_of(clients[0]).pk}/end/").status_code == 404
        assert bob.post("/sessions/999999/end/").status_code == 404
        assert is_in(clients[0])
        assert not AuditEntry.objects.filter(action="end_session").exists()

    def test_requires_a_post_with_its_csrf_token(self, clients):
        address = f"/sessions/{session_of(clients[1]).pk}/end/"
        assert clients[0].get(address).status_code == 405
        clients[0].handler.enforce_csrf_checks = True
        assert clients[0].post(address).status_code == 403
        assert clients[0].post("/sessions/end-others/").status_code == 403
        assert is_in(clients[1])


class TestEndOthers:
    def test_keeps_this_session_and_those_of_others(self, clients):
        bob = client_of("support", username="bob")
        answer = clients[0].post("/sessions/end-others/", follow=True)
        assert "2 other sessions ended." in text_of(answer)
        assert [is_in(client) for client in (*clients, bob)] == [True, False, False, True]
        assert AuditEntry.objects.get(action="end_other_sessions").details == {"sessions": 2}

    def test_does_not_record_the_end_of_a_missing_one_in_the_audit(self):
        client_of("support").post("/sessions/end-others/")
        assert not AuditEntry.objects.exists()


class TestLeft:
    def test_warns_two_minutes_before_the_end_without_counting_as_use(self):
        client = client_of("support")
        let_pass(timedelta(minutes=12, seconds=50))
        assert client.get("/sessions/left/", headers=POLL).content == b""
        let_pass(timedelta(seconds=10))
        for _ in range(2):
            notice = text_of(client.get("/sessions/left/", headers=POLL))
            assert "Still there?" in notice
            ends_at = re.search(r"ends at (\S+) UTC", notice)[1]
            soon = [timezone.now() + timedelta(seconds=seconds) for seconds in range(110, 121)]
            assert ends_at in {f"{moment:%H:%M:%S}" for moment in soon}

    def test_is_a_use_by_post(self):
        client = client_of("support")
        let_pass(timedelta(minutes=14))
        assert client.post("/sessions/left/", headers=POLL).content == b""
        assert client.get("/sessions/left/", headers=POLL).content == b""

    def test_shows_that_no_use_extends_it(self):
        client = client_of("support")
        UserSession.objects.update(began_at=session_of(client).began_at - timedelta(hours=11, minutes=50))
        let_pass(timedelta(minutes=8))
        notice = text_of(client.post("/sessions/left/"))
        assert "Your session is about to end" in notice
        assert "Still there?" not in notice

    def test_leads_to_the_log_in_once_it_has_ended(self):
        client = client_of("support")
        let_pass(timedelta(minutes=15))
        for ask in (client.get, client.post):
            answer = ask("/sessions/left/", headers=POLL | {"Referer": "http://testserver/jobs/"})
            assert (answer.status_code, answer.headers["HX-Redirect"]) == (401, "/login/?next=/jobs/")
