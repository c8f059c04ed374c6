import pytest
from django.test import Client

from messages_app.audit.services import Actor, record_entry
from tests.support.factories import make_user
from tests.support.page_client import text_of

pytestmark = pytest.mark.django_db

ADA = Actor(username="ada", token_name="nightly", address="10.0.0.7")


@pytest.fixture
def support() -> Client:
    client = Client()
    client.force_login(make_user("support"))
    return client


class TestAuditList:
    def test_shows_who_did_what_to_what_and_why(self, support):
        record_entry(
            actor=ADA,
            action="restart",
            msg_id=7,
            before_state="FAILED",
            after_state="X",
            reason="<b>back</b>",
        )
        page = text_of(support.get("/audit/"))
        for text in ("ada", "nightly", "10.0.0.7", "Restart", "/messages/7/", "FAILED → X", "&lt;b&gt;back"):
            assert text in page

    def test_shows_the_newest_first_and_leads_on(self, support):
        entries = [record_entry(actor=ADA, action="cancel", msg_id=number) for number in range(60)]
        page = support.get("/audit/").context["page"]
        assert page.rows[0] == entries[-1]
        older = support.get("/audit/", {"cursor": page.next_cursor}).context["page"]
        assert [row.msg_id for row in older.rows] == list(range(9, -1, -1))

    def test_explains_that_it_is_empty(self, support):
        assert "No entries yet" in support.get("/audit/").content.decode()

    def test_refuses_a_cursor_of_another_list(self, support):
        assert support.get("/audit/?cursor=x").status_code == 400

    def test_is_closed_to_others(self, client):
        assert client.get("/audit/").status_code == 302
        client.force_login(make_user(username="nobody"))
        assert client.get("/audit/").status_code == 403
