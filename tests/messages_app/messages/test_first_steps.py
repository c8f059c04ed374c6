"""Pages in the first minutes: no zeros and no empty lists while what they show may still come."""

from collections.abc import Iterator
from time import monotonic

import psycopg
import pytest
from django.db import connection

from messages_app.messages import first_steps
from messages_app.messages.metrics.passes import fold_changes
from tests.support.eventually import eventually
from tests.support.factories import make_message
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db

EMPTY = {
    "/incidents/": "No incident in the last 7 days",
    "/map/": "No external calls",
    "/keys/": "No keys yet",
    "/failures/": "Nothing failed in the last 7 days",
}
EMPTY_UNTIL_LOADED = EMPTY | {
    "/failures/": "No messages yet",
    "/messages/": "No messages yet",
    "/funnels/": "All funnels are free",
    "/archive/": "In the archive",
    "/alerts/": "No alerts yet",
    "/deployments/": "No deployments yet",
    "/business-keys/": "No keys yet",
    "/message-store/": "The store is empty",
    "/message-store/messages/": "The store is empty",
    "/message-store/errors/": "No errors",
    "/message-store/missing/": "No missing records",
    "/message-store/definitions/": "No definitions yet",
    "/document-history/": "No triggers yet",
    "/document-history/entries/": "The history is empty",
    "/document-history/undetermined/": "No undetermined documents",
    "/document-history/in-doubt/": "No documents in doubt",
    "/cp-queue/": "RENDITION",
    "/cp-queue/messages/": "The queue is empty",
    "/cp-queue/services/": "No services yet",
    "/cp-queue/dispatches/": "No dispatches yet",
}
THIN_SPACE = "\u202f"


@pytest.fixture
def demo_session() -> Iterator[psycopg.Connection]:
    """Open a session whose name is that of one that loads the demo."""
    with psycopg.connect(**connection.get_connection_params(), autocommit=True) as session:
        session.execute("SET application_name = 'hubconsole demo 1200 of 4800'")
        # PostgreSQL may have analysed them while another test had messages in them.
        session.execute("ANALYZE message, archive_message, cold_message")
        yield session


def end_session(session: psycopg.Connection) -> None:
    """Close a session, and wait until this transaction no longer sees it."""
    session.close()

    def is_loading() -> bool:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_stat_clear_snapshot()")
        return first_steps.first_steps().loading is not None

    eventually(lambda: not is_loading())


class TestPages:
    @pytest.mark.parametrize("path", EMPTY)
    def test_say_that_messages_are_being_counted(self, monkeypatch, path):
        make_message(state="OK")
        # The process of the tests may have begun long ago.
        monkeypatch.setattr(first_steps, "_STARTED", monotonic())
        text = text_of(client_of("support").get(path))
        assert "Counting…" in text
        assert EMPTY[path] not in text
        assert "No message is failing now" not in text

    @pytest.mark.parametrize("path", EMPTY)
    def test_say_that_they_are_empty_when_all_is_counted(self, path):
        make_message(state="OK")
        fold_changes()
        text = text_of(client_of("support").get(path))
        assert "Counting…" not in text
        assert EMPTY[path] in text

    @pytest.mark.parametrize("path", EMPTY_UNTIL_LOADED)
    def test_show_the_demo_that_is_being_loaded(self, demo_session, path):
        client = client_of("admin")
        text = text_of(client.get(path))
        assert "Demo data is being loaded" in text
        assert f"1{THIN_SPACE}200 of 4{THIN_SPACE}800 messages. They appear together at the end." in text
        assert EMPTY_UNTIL_LOADED[path] not in text
        assert "No message is failing now" not in text
        end_session(demo_session)
        fold_changes()
        text = text_of(client.get(path))
        assert "Demo data is being loaded" not in text
        assert EMPTY_UNTIL_LOADED[path] in text

    def test_show_no_chart_and_no_filters_of_no_messages(self, demo_session):
        page = client_of("support").get("/messages/")
        assert 'id="histogram"' not in page.text
        assert 'id="facets"' not in page.text

    def test_write_no_handover_until_the_demo_is_loaded(self, demo_session):
        text = text_of(client_of("support").get("/handover/"))
        assert "Demo data is being loaded" in text
        assert "Copy as text" not in text
        assert "No incident began" not in text

    def test_write_no_handover_without_incidents_until_messages_are_counted(self, monkeypatch):
        make_message(state="FAILED", failed_error_code="E103")
        monkeypatch.setattr(first_steps, "_STARTED", monotonic())
        client = client_of("support")
        text = text_of(client.get("/handover/"))
        assert "Counting…" in text
        assert "No incident began" not in text
        fold_changes()
        text = text_of(client.get("/handover/"))
        assert "Counting…" not in text
        assert "Copy as text" in text

    def test_show_no_zeros_on_the_overview_until_it_is_counted(self, monkeypatch):
        make_message(state="OK")
        monkeypatch.setattr(first_steps, "_STARTED", monotonic())
        client = client_of("support")
        text = text_of(client.get("/"))
        assert text.count("counting…") == 3
        assert "Nothing is failing." not in text
        fold_changes()
        text = text_of(client.get("/"))
        assert "counting…" not in text
        assert "Nothing is failing." in text


class TestProgress:
    def test_is_that_of_the_demo_until_it_is_loaded(self, demo_session):
        client = client_of("cp_service")
        text = text_of(client.get("/first-minutes/?until=loaded"))
        assert "Demo data is being loaded" in text
        assert "<html" not in text
        end_session(demo_session)
        answer = client.get("/first-minutes/?until=loaded")
        assert (answer.status_code, answer.headers["HX-Refresh"]) == (204, "true")

    def test_is_that_of_the_counts_for_pages_that_need_them(self, monkeypatch):
        make_message(state="OK")
        monkeypatch.setattr(first_steps, "_STARTED", monotonic())
        client = client_of("support")
        assert "Counting…" in text_of(client.get("/first-minutes/?until=counted"))
        assert client.get("/first-minutes/?until=loaded").status_code == 204
        fold_changes()
        assert client.get("/first-minutes/?until=counted").status_code == 204

    def test_refuses_other_values(self):
        assert client_of("support").get("/first-minutes/?until=midnight").status_code == 400
