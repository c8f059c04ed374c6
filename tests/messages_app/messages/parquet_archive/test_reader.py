"""Messages in Parquet files, on pages and in the API: found like others; missing files are reported."""

from pathlib import Path

import pytest
from django.test import Client

from messages_app.access.roles import ROLES
from messages_app.messages.models import Message
from messages_app.messages.parquet_archive.models import ColdFile
from tests.support.cold import HOSTILE, into_parquet, old_message, with_traffic
from tests.support.factories import make_message, make_user
from tests.support.page_client import show_values

pytestmark = pytest.mark.django_db(transaction=True)

# In hostile texts, what a page writes otherwise.
SEEN = "second"


@pytest.fixture(autouse=True)
def folder(settings, tmp_path) -> Path:
    settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path / "archive")
    return tmp_path / "archive"


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(make_user(*ROLES))
    show_values(client)
    return client


@pytest.fixture
def cold() -> Message:
    """A failed message with its rows and a child, all in files; another message is next to them."""
    message = with_traffic(
        old_message(state="FAILED", failed_desc="E1 broken\nlong", failed_error_code="E103")
    )
    child = old_message(parent_msg_id=message.pk, service_name="child")
    into_parquet(message, child, with_traffic(old_message()))
    return message


def page(client: Client, address: str, status: int = 200) -> str:
    response = client.get(address)
    assert response.status_code == status, response.content[:2000]
    return response.content.decode()


class TestMessagePage:
    def test_shows_all_data_of_a_message_in_files(self, client, cold):
        text = page(client, f"/messages/{cold.pk}/")

        assert "in Parquet files" in text
        for shown in ("E1 broken", "direct:billing", "billing.example", f"customer-{cold.pk}", "1 OK"):
            assert shown in text, shown

    @pytest.mark.parametrize("kind", ["payload", "request", "response"])
    def test_shows_and_downloads_its_contents(self, client, cold, kind):
        key = {"payload": "", "request": 0, "response": 0}[kind]
        if kind != "payload":
            api = client.get(f"/api/v1/messages/{cold.pk}/timeline/").json()["entries"]
            key = next(f"{entry['id']}/" for entry in api if entry["kind"] == kind and entry["id"])
        plural = kind if kind == "payload" else f"{kind}s"
        address = f"/messages/{cold.pk}/{plural}/{key}"

        assert page(client, address)
        body = b"".join(client.get(f"{address}download/"))
        assert body

        if kind == "payload":
            assert body.decode() == HOSTILE

    def test_names_the_missing_file_and_shows_the_remaining_data(self, client, cold, folder):
        path = ColdFile.objects.get(table_name="message").path
        (folder / path).unlink()

        text = page(client, f"/messages/{cold.pk}/")
        assert "is missing" in text
        assert "Its file cannot be read" in text
        assert "Not recorded" not in text
        assert path in text
        assert cold.correlation_id in text
        assert path in page(client, f"/messages/{cold.pk}/payload/", status=503)

    def test_reports_a_damaged_file(self, client, cold, folder):
        for name in ("message", "external_call", "request", "response", "funnel"):
            path = folder / ColdFile.objects.get(table_name=name).path
            path.write_bytes(path.read_bytes()[:-20])

        assert "cannot be read" in page(client, f"/messages/{cold.pk}/")
        page(client, f"/messages/{cold.pk}/payload/download/", status=503)


class TestApi:
    def test_returns_a_message_in_files_and_its_payload(self, client, cold):
        found = client.get(f"/api/v1/messages/{cold.pk}/").json()

        assert (found["archived"], found["archived_to"], found["allowed_actions"]) == (True, "parquet", [])
        assert found["failed_desc"] == "E1 broken\nlong"
        assert client.get(f"/api/v1/messages/{cold.pk}/payload/").json()["content"] == HOSTILE
        tree = client.get(f"/api/v1/messages/{cold.pk}/tree/").json()
        assert [node["archived"] for node in tree["nodes"]] == [True, True]
        assert client.get(f"/api/v1/messages/{cold.pk}/explain/").status_code == 200

    def test_answers_503_if_the_file_no_longer_exists(self, client, cold, folder):
        (folder / ColdFile.objects.get(table_name="message").path).unlink()

        for address in ("", "payload/"):
            response = client.get(f"/api/v1/messages/{cold.pk}/{address}")
            assert (response.status_code, response.json()["code"]) == (503, "archive_unreadable")

    def test_rejects_actions_on_it(self, client, cold):
        body = {"reason": "test"}
        response = client.post(f"/api/v1/messages/{cold.pk}/restart/", body, content_type="application/json")

        assert (response.status_code, response.json()["code"]) == (409, "archived")


class TestLists:
    @pytest.mark.parametrize(
        "filter", ["correlation_id={0.correlation_id}", "state=FAILED", "failed_error_code=E103"]
    )
    def test_finds_it_in_the_archive(self, client, cold, filter):
        query = filter.format(cold)
        for place in ("true", "any"):
            rows = client.get(f"/api/v1/messages/?archived={place}&{query}").json()["results"]
            assert [(row["msg_id"], row["archived"]) for row in rows] == [(cold.pk, True)]
            assert rows[0]["failed_summary"] == "E1 broken"

    def test_lists_it_among_others_in_every_order(self, client, cold):
        live = make_message(state="OK")
        for ordering in ("-msg_id", "msg_id", "-receive_timestamp", "receive_timestamp"):
            rows = client.get(f"/api/v1/messages/?archived=any&ordering={ordering}").json()["results"]
            assert len(rows) == 4
            assert live.pk in {row["msg_id"] for row in rows}
        assert "archived" in page(client, "/messages/?archived=true")

    def test_counts_it(self, client, cold):
        assert client.get("/api/v1/messages/count/?archived=true&exact=true").json()["count"] == 3

    def test_does_not_search_the_payloads_of_files(self, client, cold):
        span = "receive_timestamp_from=2026-07-01T00:00:00Z&receive_timestamp_to=2026-07-03T00:00:00Z"
        assert client.get(f"/api/v1/messages/?archived=any&payload_contains=x&{span}").json()["results"] == []


class TestSearch:
    @pytest.mark.parametrize("name", ["msg_id", "correlation_id"])
    def test_finds_it_by_its_ids(self, client, cold, name):
        response = client.get("/messages/find/", {"id": getattr(cold, name)})

        assert response.status_code == 302
        assert response.headers["Location"] == f"/messages/{cold.pk}/"
