import json
from datetime import timedelta

import pytest

from messages_app.messages.timeline.entries import KIND_MEANINGS, Kind
from tests.messages_app.messages.detail.rows import make_event
from tests.support.api_client import caller, problem
from tests.support.factories import NOON, make_archived_message, make_external_call, make_message

pytestmark = pytest.mark.django_db


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
