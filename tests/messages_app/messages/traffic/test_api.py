from datetime import timedelta
from urllib.parse import urlencode

import pytest

from messages_app.messages.models import ArchiveExternalCall, ArchiveRequest, ArchiveResponse
from tests.support.api_client import BASE, ApiClient, caller, problem
from tests.support.factories import (
    NOON,
    make_archived_message,
    make_external_call,
    make_message,
    make_request,
    make_response,
)
from tests.support.page_client import client_of

pytestmark = pytest.mark.django_db

LISTS = ["external-calls/", "requests/", "responses/"]


@pytest.fixture
def reader() -> ApiClient:
    return caller("support")


def _keys(client: ApiClient, path: str) -> list[int]:
    response = client.get(path)
    assert response.status_code == 200, response.content
    key = {"e": "call_id", "q": "req_id", "s": "res_id"}[path[0] if path[0] == "e" else path[2]]
    return [row[key] for row in response.json()["results"]]


class TestEveryList:
    @pytest.mark.parametrize("path", LISTS)
    @pytest.mark.parametrize(
        ("query", "field", "code"),
        [
            ("zzz=1", "zzz", "unknown_parameter"),
            ("msg_id=abc", "msg_id", "invalid_value"),
            ("msg_id=1&msg_id=2", "msg_id", "ambiguous_parameter"),
            ("archived=any", "archived", "invalid_value"),
            ("ordering=msg_id", "ordering", "invalid_value"),
            ("page_size=501", "page_size", "out_of_range"),
            ("cursor=x", "cursor", "invalid_value"),
        ],
    )
    def test_refuses_unknown_and_invalid_parameters(self, reader, path, query, field, code):
        body = problem(reader.get(f"{path}?{query}"))
        assert body["status"] == 400
        assert (body["errors"][0]["field"], body["errors"][0]["code"]) == (field, code)

    @pytest.mark.parametrize("path", LISTS)
    def test_requires_a_permission(self, path):
        assert problem(caller().get(path))["status"] == 403
        assert problem(ApiClient().get(path))["status"] == 401

    @pytest.mark.parametrize("path", LISTS)
    def test_pages_both_ways(self, reader, path):
        message = make_message()
        for _ in range(5):
            make_external_call(message)
            make_response(make_request(message))
        first = reader.get(f"{path}?page_size=2").json()
        second = reader.client.get(first["next"], headers=reader.headers).json()
        assert len(second["results"]) == 2
        back = reader.client.get(second["previous"], headers=reader.headers).json()
        assert back["results"] == first["results"]
        assert (first["previous"], back["previous"]) == (None, None)


class TestExternalCallListView:
    def test_returns_every_column_newest_first(self, reader):
        message = make_message()
        older, newer = make_external_call(message), make_external_call(message, state="FAILED")
        body = reader.get("external-calls/").json()
        assert [row["call_id"] for row in body["results"]] == [newer.call_id, older.call_id]
        row = body["results"][0]
        assert (row["state"], row["msg_id"], row["archived"]) == ("FAILED", message.msg_id, False)
        assert _keys(reader, "external-calls/?ordering=call_id") == [older.call_id, newer.call_id]

    def test_narrows_the_list_by_each_filter(self, reader):
        message, other = make_message(), make_message()
        failed = make_external_call(message, state="FAILED", operation_name="direct:a", entity_id="one")
        ended = make_external_call(other, state="FAILED_END", operation_name="direct:b", entity_id="one")
        through = make_external_call(message, operation_name="direct:a", entity_id="two")
        for query, expected in {
            "state=FAILED,FAILED_END": [ended, failed],
            "state=FAILED&state=OK": [through, failed],
            "operation_name=direct:a": [through, failed],
            "entity_id=one": [ended, failed],
            "entity_id=one&operation_name=direct:a": [failed],
            "entity_id=one&state=FAILED_END": [ended],
            f"msg_id={message.msg_id}": [through, failed],
            f"msg_id={message.msg_id}&state=OK": [through],
            "entity_id=nothing": [],
        }.items():
            assert _keys(reader, f"external-calls/?{query}") == [call.call_id for call in expected], query

    def test_names_the_existing_states_if_one_is_unknown(self, reader):
        body = problem(reader.get("external-calls/?state=WAITING"))
        assert "FAILED_END" in body["errors"][0]["message"]

    def test_reads_the_archive_on_request(self, reader):
        message = make_archived_message()
        make_external_call(make_message())
        ArchiveExternalCall.objects.create(
            call_id=7,
            msg_id=message.msg_id,
            operation_name="direct:a",
            state="OK",
            entity_id="one",
            msg_timestamp=NOON,
            creation_timestamp=NOON,
            last_update_timestamp=NOON,
        )
        for query in ("", "&entity_id=one", "&state=OK", f"&msg_id={message.msg_id}"):
            rows = reader.get(f"external-calls/?archived=true{query}").json()["results"]
            assert [(row["call_id"], row["archived"]) for row in rows] == [(7, True)]

    def test_is_empty_if_the_hub_has_no_calls(self, reader):
        assert _keys(reader, "external-calls/?entity_id=one") == []


class TestRequestListView:
    def test_returns_sizes_instead_of_texts(self, reader):
        message = make_message()
        make_request(message, req_envelope="äöü")
        row = reader.get("requests/").json()["results"][0]
        assert row["req_envelope_bytes"] == 6
        assert "req_envelope" not in row
        assert row["req_timestamp"].endswith("Z")

    def test_narrows_the_list_by_each_filter(self, reader):
        message = make_message()
        first = make_request(message, uri="http://a.example/", res_join_id="j1", req_timestamp=NOON)
        second = make_request(message, uri="http://b.example/", req_timestamp=NOON + timedelta(seconds=9))
        alone = make_request(None, uri="http://b.example/", req_timestamp=NOON + timedelta(seconds=1))
        for query, expected in {
            f"msg_id={message.msg_id}": [second, first],
            "uri=http://b.example/": [alone, second],
            "res_join_id=j1": [first],
            "req_timestamp_from=2026-11-01T12:00:01Z": [alone, second],
            "req_timestamp_from=2026-11-01T12:00:01Z&req_timestamp_to=2026-11-01T12:00:08Z": [alone],
            "uri=http://b.example/&ordering=-req_timestamp": [second, alone],
            "req_timestamp_to=2026-11-01T12:00:02Z&ordering=req_timestamp": [first, alone],
            f"req_timestamp_to=2026-11-01T12:00:02Z&msg_id={message.msg_id}": [first],
        }.items():
            assert _keys(reader, f"requests/?{query}") == [row.req_id for row in expected], query

    def test_refuses_a_range_that_ends_before_it_starts(self, reader):
        query = "req_timestamp_from=2026-11-02T00:00:00Z&req_timestamp_to=2026-11-01T00:00:00Z"
        assert problem(reader.get(f"requests/?{query}"))["errors"][0]["field"] == "req_timestamp_from"

    def test_sorts_the_archive_only_by_its_key(self, reader):
        message = make_archived_message()
        ArchiveRequest.objects.create(
            req_id=7,
            msg_id=message.msg_id,
            res_join_id="j",
            uri="http://a.example/",
            req_envelope="x",
            req_timestamp=NOON,
        )
        assert _keys(reader, f"requests/?archived=true&msg_id={message.msg_id}") == [7]
        assert _keys(reader, "requests/?archived=true&req_timestamp_to=2026-11-02T00:00:00Z") == [7]
        body = problem(reader.get("requests/?archived=true&ordering=req_timestamp"))
        assert body["errors"][0]["field"] == "ordering"


class TestResponseListView:
    def test_returns_sizes_instead_of_texts(self, reader):
        make_response(None, res_envelope=None, failed=True, failed_reason="Timeout", res_timestamp=None)
        row = reader.get("responses/").json()["results"][0]
        assert (row["res_envelope_bytes"], row["failed_reason_bytes"], row["failed"]) == (None, 7, True)
        assert not {"res_envelope", "failed_reason"} & set(row)

    def test_narrows_the_list_by_each_filter(self, reader):
        message = make_message()
        request = make_request(message, req_timestamp=NOON)
        paired = make_response(request, msg_id=None)
        failed = make_response(request, failed=True, res_timestamp=None)
        unpaired = make_response(None, msg_id=message.msg_id, res_timestamp=NOON + timedelta(hours=1))
        stray = make_response(None, res_timestamp=NOON + timedelta(hours=2))
        for query, expected in {
            f"req_id={request.req_id}": [failed, paired],
            f"msg_id={message.msg_id}": [unpaired, failed, paired],
            f"msg_id={message.msg_id}&failed=false": [unpaired, paired],
            f"msg_id={message.msg_id}&req_id={request.req_id}": [failed, paired],
            "failed=true": [failed],
            "failed=false": [stray, unpaired, paired],
            "res_timestamp_from=2026-11-01T13:00:00Z": [stray, unpaired],
            "res_timestamp_from=2026-11-01T13:00:00Z&res_timestamp_to=2026-11-01T13:30:00Z": [unpaired],
        }.items():
            assert _keys(reader, f"responses/?{query}") == [row.res_id for row in expected], query

    def test_reads_the_archive_on_request(self, reader):
        message = make_archived_message()
        ArchiveRequest.objects.create(
            req_id=7, msg_id=message.msg_id, res_join_id="j", uri="u", req_envelope="x", req_timestamp=NOON
        )
        ArchiveResponse.objects.create(res_id=8, req_id=7)
        ArchiveResponse.objects.create(res_id=9, msg_id=message.msg_id, failed=True)
        assert _keys(reader, f"responses/?archived=true&msg_id={message.msg_id}") == [9, 8]
        assert _keys(reader, "responses/?archived=true&failed=true") == [9]


class TestAddresses:
    """Addresses with credentials: masked in lists for everyone, and no filter reveals them."""

    WHOLE, SHOWN = "http://u:pw@crm.example/p?tok=x", "http://•••@crm.example/p?tok=•••"
    LISTS = (("requests/", "uri"), ("external-calls/", "operation_name"))

    @pytest.fixture(autouse=True)
    def rows(self) -> None:
        message = make_message()
        make_request(message, uri=self.WHOLE)
        make_external_call(message, operation_name=self.WHOLE)

    @pytest.mark.parametrize(("path", "name"), LISTS)
    def test_are_masked_for_everyone(self, reader, path, name):
        for client in (reader, caller("support", "view_payload", username="eve")):
            assert [row[name] for row in client.get(path).json()["results"]] == [self.SHOWN]

    @pytest.mark.parametrize(("path", "name"), LISTS)
    def test_cannot_be_found_out_with_a_filter(self, reader, path, name):
        masked = client_of("support", "view_payload", username="bob")
        for tried in (self.WHOLE, self.WHOLE + "y", "http://u:pw@crm.example/p?tok=z"):
            asked = f"{path}?{urlencode({name: tried})}"
            assert problem(reader.get(asked))["code"] == "permission_denied"
            assert problem(masked.get(BASE + asked))["code"] == "reveal_required"
            scoped = ApiClient(masked.get("/").wsgi_request.user, scopes=["messages:read"])
            assert problem(scoped.get(asked))["scope"] == "payload:read"

    @pytest.mark.parametrize(("path", "name"), LISTS)
    def test_are_found_by_users_who_may_read_payloads_and_without_credentials_by_all(
        self, reader, path, name
    ):
        whole = f"{path}?{urlencode({name: self.WHOLE})}"
        assert len(caller("support", "view_payload", username="eve").get(whole).json()["results"]) == 1
        make_request(make_message(), uri="http://plain.example/p")
        make_external_call(make_message(), operation_name="http://plain.example/p")
        plain = f"{path}?{urlencode({name: 'http://plain.example/p'})}"
        assert len(reader.get(plain).json()["results"]) == 1
