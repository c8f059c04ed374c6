import json
from datetime import timedelta

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.messages.timeline.entries import KIND_MEANINGS, Kind
from tests.messages_app.messages.detail.rows import make_event
from tests.support.api_client import caller, problem
from tests.support.factories import (
    NOON,
    PAYLOAD,
    make_archived_message,
    make_external_call,
    make_message,
    make_request,
)

pytestmark = pytest.mark.django_db


class TestContentView:
    def test_masks_without_the_right(self):
        message = make_message()
        body = caller("operator").get(f"messages/{message.msg_id}/payload/").json()
        assert body["masked"] is True
        assert "Ada Lovelace" not in body["content"]
        assert body["bytes"] == len(PAYLOAD)
        assert not AuditEntry.objects.filter(action="view_payload").exists()

    @pytest.mark.parametrize("column", ["payload", "envelope"])
    def test_returns_the_text_as_stored_and_records_the_reader(self, column):
        reader = caller("support", "view_payload")
        message = make_message()
        body = reader.get(f"messages/{message.msg_id}/{column}/").json()
        assert body["content"] == getattr(message, column)
        assert body["masked"] is False
        entry = AuditEntry.objects.get(action=f"view_{column}")
        assert (entry.msg_id, entry.actor, entry.token_name) == (message.msg_id, "ada", "test")
        assert entry.request_id

    def test_returns_null_if_nothing_is_stored(self):
        message = make_message(envelope=None)
        body = caller("operator").get(f"messages/{message.msg_id}/envelope/").json()
        assert (body["content"], body["bytes"]) == (None, 0)

    @pytest.mark.parametrize("text", ["abc", "-1", "1.0", "%20", "404"])
    def test_finds_nothing_under_an_invalid_id(self, text):
        assert problem(caller("operator").get(f"messages/{text}/payload/"))["code"] == "not_found"

    def test_sends_a_large_text_in_pieces(self):
        message = make_message(payload="<a>é</a>" * 200_000)
        row = make_request(message, req_envelope=message.payload)
        reader = caller("support", "view_payload")
        for path in (f"messages/{message.pk}/payload/", f"requests/{row.pk}/"):
            answer = reader.get(path)
            body = json.loads(b"".join(answer.streaming_content))
            assert (body["content"], body["bytes"]) == (message.payload, 9 * 200_000)
            assert (body["content_type"], body["masked"]) == ("application/xml", False)
            hidden = caller("support", username=f"sam{len(path)}").get(path).json()
            assert (hidden["content"], hidden["bytes"], hidden["masked"]) == (None, 9 * 200_000, True)


class TestTimeline:
    def test_returns_one_list_in_time_order(self):
        message = make_message(state="OK", receive_timestamp=NOON)
        make_event(message, "PROCESSING", "OK", at=NOON + timedelta(seconds=2), actor="ada")
        call = make_external_call(message, creation_timestamp=NOON + timedelta(seconds=1))
        body = caller("support").get(f"messages/{message.pk}/timeline/").json()
        assert body["truncated"] is False
        assert [entry["kind"] for entry in body["entries"]] == [
            "received",
            "attempt",
            "external_call",
            "state_change",
        ]
        assert body["entries"][2]["id"] == call.pk
        assert body["entries"][3] == {
            "at": "2026-11-01T12:00:02Z",
            "until": None,
            "kind": "state_change",
            "text": "PROCESSING → OK",
            "state": "OK",
            "actor": "ada",
            "id": None,
            "note": "",
        }

    def test_returns_the_timeline_of_an_archived_message(self):
        message = make_archived_message()
        body = caller("support").get(f"messages/{message.pk}/timeline/").json()
        assert body["entries"][0]["kind"] == "received"

    def test_documents_every_kind(self):
        assert set(KIND_MEANINGS) == set(Kind)
        response = caller("support").get("schema/", Accept="application/vnd.oai.openapi+json")
        schema = json.loads(response.content)
        entry = schema["components"]["schemas"]["Entry"]["properties"]["kind"]
        assert all(f"`{kind}`" in entry["description"] for kind in Kind)


class TestTree:
    def test_returns_the_whole_family_from_any_member(self):
        root = make_message(state="WAITING")
        child = make_archived_message(parent_msg_id=root.pk, parent_binding_type="HARD")
        for member in (root, child):
            assert caller("support", username=f"u{member.pk}").get(f"messages/{member.pk}/tree/").json() == {
                "root": root.pk,
                "nodes": [
                    {
                        "msg_id": root.pk,
                        "parent_msg_id": None,
                        "state": "WAITING",
                        "parent_binding_type": None,
                        "archived": False,
                        "depth": 0,
                    },
                    {
                        "msg_id": child.pk,
                        "parent_msg_id": root.pk,
                        "state": "OK",
                        "parent_binding_type": "HARD",
                        "archived": True,
                        "depth": 1,
                    },
                ],
                "truncated": False,
            }


class TestBoth:
    @pytest.mark.parametrize("call", ["timeline", "tree"])
    def test_reject_unknown_ids_and_parameters(self, call):
        client, message = caller("support"), make_message()
        for msg_id in ("999999999", "abc", str(2**63), "-1"):
            assert problem(client.get(f"messages/{msg_id}/{call}/"))["status"] == 404
        refusal = problem(client.get(f"messages/{message.pk}/{call}/?depth=2"))
        assert (refusal["status"], refusal["errors"][0]["field"]) == (400, "depth")

    @pytest.mark.parametrize("call", ["timeline", "tree"])
    def test_require_the_permission_to_view_messages(self, call):
        assert caller().get(f"messages/{make_message().pk}/{call}/").status_code == 403
