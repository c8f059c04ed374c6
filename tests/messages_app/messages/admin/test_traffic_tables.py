"""External calls, requests, responses and funnel values in the admin."""

import html
import re

import pytest
from django.test import Client

from messages_app.messages.models import (
    ArchiveExternalCall,
    ArchiveFunnel,
    ArchiveRequest,
    ArchiveResponse,
    ExternalCall,
    Funnel,
    Request,
    Response,
)
from tests.support.factories import (
    NOON,
    make_archived_message,
    make_external_call,
    make_funnel,
    make_message,
    make_request,
    make_response,
)
from tests.support.staff import HUB, listed_keys, staff_client

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    return staff_client("support")


def page_of(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, (address, response.status_code)
    return html.unescape(response.content.decode())


def links_in(text: str) -> list[str]:
    return re.findall(r'href="([^"]+)"', text)


class TestExternalCalls:
    def test_are_filtered_by_state_and_found_by_their_id_or_message(self, client):
        message = make_message()
        failed, done = make_external_call(message, state="FAILED"), make_external_call(make_message())
        address = f"{HUB}externalcall/"
        assert listed_keys(client, address) == [str(done.pk), str(failed.pk)]
        assert listed_keys(client, f"{address}?state=FAILED") == [str(failed.pk)]
        assert listed_keys(client, f"{address}?state=OK") == [str(done.pk)]
        assert listed_keys(client, f"{address}?q={done.pk}") == [str(done.pk)]
        assert listed_keys(client, f"{address}?q={message.pk}") == [str(failed.pk)]

    def test_link_to_their_message_and_its_page(self, client):
        call = make_external_call(make_message(), operation_name="http://ada:geheim@crm.example/x")
        page = page_of(client, f"{HUB}externalcall/{call.pk}/change/")
        assert f"{HUB}message/{call.msg_id}/change/" in links_in(page)
        assert f"/messages/{call.msg_id}/" in links_in(page)
        assert "crm.example" in page
        for address in (f"{HUB}externalcall/{call.pk}/change/", f"{HUB}externalcall/"):
            assert "geheim" not in page_of(client, address)


class TestRequests:
    def test_are_found_by_time_id_and_message(self, client):
        early, late = make_request(make_message()), make_request(make_message(), req_timestamp=NOON)
        address = f"{HUB}request/"
        assert listed_keys(client, address) == [str(late.pk), str(early.pk)]
        assert listed_keys(client, f"{address}?q={early.pk}") == [str(early.pk)]
        assert listed_keys(client, f"{address}?q={early.msg_id}") == [str(early.pk)]
        by_time = listed_keys(client, f"{address}?req_timestamp_from=2026-11-01T12:00:00Z")
        assert by_time == [str(early.pk), str(late.pk)]
        assert listed_keys(client, f"{address}?req_timestamp_from=-1h") == []

    def test_link_to_their_content_their_message_and_their_responses(self, client):
        request = make_request(make_message(), uri="http://ada:geheim@crm.example/x", req_envelope="a secret")
        response = make_response(request)
        page = page_of(client, f"{HUB}request/{request.pk}/change/")
        for link in (
            f"/messages/{request.msg_id}/requests/{request.pk}/",
            f"{HUB}message/{request.msg_id}/change/",
            f"{HUB}response/{response.pk}/change/",
            f"/messages/{request.msg_id}/",
        ):
            assert link in links_in(page), link
        for address in (f"{HUB}request/{request.pk}/change/", f"{HUB}request/"):
            shown = page_of(client, address)
            assert "geheim" not in shown
            assert "a secret" not in shown

    def test_without_a_message_show_only_the_size_of_their_content(self, client):
        request = make_request(None, req_envelope="1234567")
        page = page_of(client, f"{HUB}request/{request.pk}/change/")
        assert "7 B" in page
        assert "Open in the console" not in page


class TestResponses:
    def test_are_filtered_by_failure_and_found_by_request(self, client):
        request = make_request(make_message())
        failed, done = make_response(request, failed=True), make_response(make_request(make_message()))
        address = f"{HUB}response/"
        assert listed_keys(client, f"{address}?failed=true") == [str(failed.pk)]
        assert listed_keys(client, f"{address}?q={request.pk}") == [str(failed.pk)]
        assert listed_keys(client, f"{address}?req_id={done.req_id}") == [str(done.pk)]
        assert listed_keys(client, f"{address}?msg_id={request.msg_id}") == [str(failed.pk)]

    def test_show_the_reason_of_a_failure_and_link_to_the_request(self, client):
        request = make_request(make_message())
        response = make_response(request, failed=True, failed_reason="refused " + "x" * 9000)
        page = page_of(client, f"{HUB}response/{response.pk}/change/")
        assert "refused xxx" in page
        assert "x" * 6001 not in page
        assert f"{HUB}request/{request.pk}/change/" in links_in(page)
        assert f"/messages/{request.msg_id}/responses/{response.pk}/" in links_in(page)


class TestFunnels:
    def test_are_found_by_message_and_value(self, client):
        message = make_message()
        hot, cold = make_funnel(message, funnel_value="hot"), make_funnel(make_message(), funnel_value="cold")
        address = f"{HUB}funnel/"
        assert listed_keys(client, f"{address}?q=hot") == [str(hot.pk)]
        assert listed_keys(client, f"{address}?funnel_value=cold") == [str(cold.pk)]
        assert listed_keys(client, f"{address}?msg_id={message.pk}") == [str(hot.pk)]


class TestArchives:
    @pytest.mark.parametrize(
        ("live", "archive"),
        [
            (ExternalCall, ArchiveExternalCall),
            (Request, ArchiveRequest),
            (Response, ArchiveResponse),
            (Funnel, ArchiveFunnel),
        ],
    )
    def test_list_only_archived_rows_and_link_to_the_archived_message(self, client, live, archive):
        request = make_request(make_message())
        make_external_call(make_message())
        make_response(request)
        make_funnel(make_message(), funnel_value="hot")
        message = make_archived_message()
        row = live.objects.first()
        columns = {field.attname: getattr(row, field.attname) for field in live._meta.concrete_fields}
        lone = {"req_id": None} if archive is ArchiveResponse else {}
        archived = archive.objects.create(**columns | {"msg_id": message.pk} | lone)
        address = f"{HUB}{archive._meta.model_name}/"
        assert listed_keys(client, address) == [str(archived.pk)]
        assert listed_keys(client, f"{address}?msg_id={message.pk}") == [str(archived.pk)]
        links = links_in(page_of(client, f"{address}{archived.pk}/change/"))
        assert f"{HUB}archivemessage/{message.pk}/change/" in links
        of_message = links_in(page_of(client, f"{HUB}archivemessage/{message.pk}/change/"))
        assert f"{address}{archived.pk}/change/" in of_message
