import pytest
from django.test import Client

from messages_app.audit.models import AuditEntry
from messages_app.messages.contents.payloads import HIDDEN, MASK, SHOWN_CHARS
from tests.factories import (
    PAYLOAD,
    make_archived_message,
    make_message,
    make_request,
    make_response,
    make_user,
)

pytestmark = pytest.mark.django_db


def client_of(*roles: str) -> Client:
    client = Client()
    client.force_login(make_user(*roles, username="-".join(roles)))
    return client


@pytest.fixture
def reader() -> Client:
    return client_of("support", "view_payload")


@pytest.fixture
def support() -> Client:
    return client_of("support")


def downloaded(response) -> bytes:
    return b"".join(response.streaming_content)


class TestContent:
    def test_masks_without_the_right_and_shows_with_it(self, reader, support):
        message = make_message()
        request = make_request(message)
        response = make_response(request)
        for path in (
            "payload/",
            "envelope/",
            f"requests/{request.pk}/",
            f"responses/{response.pk}/",
        ):
            address = f"/messages/{message.pk}/{path}"
            masked = support.get(address).content.decode()
            assert "Ada Lovelace" not in masked
            assert MASK in masked
            assert "Ada Lovelace" not in support.get(f"{address}?raw=true").content.decode()
            assert "Ada Lovelace" in reader.get(address).content.decode()

    def test_keeps_who_read_a_payload_in_the_clear(self, reader, support):
        message = make_message()
        support.get(f"/messages/{message.pk}/payload/")
        assert not AuditEntry.objects.exists()
        reader.get(f"/messages/{message.pk}/payload/")
        entry = AuditEntry.objects.get()
        assert (entry.action, entry.msg_id, entry.actor) == (
            "view_payload",
            message.pk,
            "support-view_payload",
        )

    def test_hides_whole_what_cannot_be_masked(self, support):
        message = make_message(payload="not xml: hunter2")
        page = support.get(f"/messages/{message.pk}/payload/").content.decode()
        assert HIDDEN in page
        assert "hunter2" not in page

    def test_shows_the_beginning_of_20_megabytes(self, reader):
        message = make_message(payload="<a>" + "x" * 20_000_000 + "</a>")
        response = reader.get(f"/messages/{message.pk}/payload/")
        assert response.status_code == 200
        assert len(response.content) < SHOWN_CHARS * 1.2
        assert "Only the beginning is shown" in response.content.decode()

    @pytest.mark.parametrize("payload", ["", "<a>", "\x01\x02", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"])
    def test_opens_whatever_is_stored(self, reader, support, payload):
        message = make_message(payload=payload, envelope=None)
        for client in (reader, support):
            assert client.get(f"/messages/{message.pk}/payload/").status_code == 200
            assert "Not recorded." in client.get(f"/messages/{message.pk}/envelope/").content.decode()

    def test_gives_a_page_that_asks_for_it_only_the_part(self, reader):
        message = make_message()
        part = reader.get(f"/messages/{message.pk}/payload/", headers={"HX-Request": "true"})
        assert b"<html" not in part.content
        assert b"customer" in part.content
        assert f'href="/messages/{message.pk}/payload/?raw=true"' in part.content.decode()
        assert f'href="/messages/{message.pk}/payload/download/"' in part.content.decode()

    def test_sends_a_part_of_a_page_to_the_log_in_page_as_a_whole(self, client):
        response = client.get("/messages/1/payload/", headers={"HX-Request": "true"})
        assert (response.status_code, response.headers["HX-Redirect"]) == (401, "/login/")

    def test_reads_the_archive(self, reader):
        message = make_archived_message(payload="<old/>")
        assert b"old" in reader.get(f"/messages/{message.pk}/payload/").content

    def test_is_not_there_for_nobodys_id(self, reader):
        assert reader.get("/messages/1/payload/").status_code == 404
        assert reader.get("/messages/1/requests/1/").status_code == 404


class TestDownload:
    def test_sends_every_byte_as_a_file(self, reader):
        text = "<a>\r\nž\u2028\U0001f600" + "y" * 9_000_000 + "</a>"
        message = make_message(payload=text)
        response = reader.get(f"/messages/{message.pk}/payload/download/")
        assert downloaded(response) == text.encode()
        assert response.headers["Content-Type"] == "application/octet-stream"
        assert response.headers["Content-Disposition"].startswith("attachment")
        assert response.headers["X-Content-Type-Options"] == "nosniff"

    def test_is_closed_to_who_reads_masked(self, support):
        message = make_message()
        assert support.get(f"/messages/{message.pk}/payload/download/").status_code == 403

    def test_sends_nothing_where_nothing_is_stored(self, reader):
        message = make_message(envelope=None)
        assert downloaded(reader.get(f"/messages/{message.pk}/envelope/download/")) == b""

    def test_sends_responses_too(self, reader):
        message = make_message()
        row = make_response(make_request(message))
        address = f"/messages/{message.pk}/responses/{row.pk}/download/"
        assert downloaded(reader.get(address)) == PAYLOAD.encode()
