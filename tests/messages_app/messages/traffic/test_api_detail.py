import pytest
from django.test import Client

from messages_app.audit.models import AuditEntry
from messages_app.messages.models import ArchiveRequest, ArchiveResponse, Request, Response
from tests.support.api_client import BASE, caller, problem
from tests.support.factories import NOON, PAYLOAD, make_message, make_request, make_response
from tests.support.page_client import client_of, reader_of

pytestmark = pytest.mark.django_db


class TestRequestView:
    def test_returns_every_column_and_the_text(self):
        row = make_request(make_message(), req_timestamp=NOON)
        body = caller("support", "view_payload").get(f"requests/{row.pk}/").json()
        assert body.pop("req_timestamp") == "2026-11-01T12:00:00Z"
        assert body == {
            **{"req_id": row.pk, "msg_id": row.msg_id, "res_join_id": row.res_join_id},
            **{"uri": "http://billing.example/ws", "req_envelope_bytes": len(PAYLOAD), "archived": False},
            **{"content": PAYLOAD, "content_type": "application/xml", "bytes": len(PAYLOAD), "masked": False},
        }
        entry = AuditEntry.objects.get(action="view_request")
        assert (entry.actor, entry.msg_id) == ("ada", row.msg_id)

    @pytest.mark.parametrize(
        "caller_of",
        [
            lambda: caller("admin"),
            lambda: caller("admin", "view_payload", scopes=["messages:read"]),
        ],
    )
    def test_masks_the_text_for_users_who_may_not_read_payloads(self, caller_of):
        row = make_request(make_message())
        answer = caller_of().get(f"requests/{row.pk}/")
        assert (answer.status_code, answer.json()["masked"]) == (200, True)
        assert b"Ada" not in answer.content
        assert not AuditEntry.objects.filter(action="view_request").exists()

    def test_masks_the_text_in_a_session_until_the_user_gives_a_reason(self):
        row = make_request(make_message())
        masked = client_of("support", "view_payload").get(f"{BASE}requests/{row.pk}/")
        told = reader_of("support", "view_payload", username="bob").get(f"{BASE}requests/{row.pk}/")
        assert [answer.json()["masked"] for answer in (masked, told)] == [True, False]
        assert b"Ada" not in masked.content

    def test_hides_a_text_that_cannot_be_masked(self):
        row = make_request(make_message(), req_envelope="Ada Lovelace")
        body = caller("support").get(f"requests/{row.pk}/").json()
        assert (body["content"], body["masked"], body["bytes"]) == (None, True, 12)

    def test_finds_it_in_the_archive(self):
        row = make_request(make_message())
        columns = {field.name: getattr(row, field.name) for field in Request._meta.concrete_fields}
        ArchiveRequest.objects.create(**columns)
        Request.objects.all().delete()
        body = caller("support", "view_payload").get(f"requests/{row.pk}/").json()
        assert (body["archived"], body["content"]) == (True, PAYLOAD)

    @pytest.mark.parametrize("kind", ["requests", "responses"])
    @pytest.mark.parametrize("key", ["777", "abc", "-1", "9" * 30, "1.5"])
    def test_rejects_unknown_and_invalid_ids(self, kind, key):
        assert problem(caller("support").get(f"{kind}/{key}/"))["code"] == "not_found"
        assert (
            problem(caller("support", username="bob").get(f"{kind}/{key}/?msg_id=5"))["code"] == "not_found"
        )

    @pytest.mark.parametrize("text", ["x", "-", "", "-" + "9" * 30, "9" * 30])
    def test_refuses_an_invalid_message_id(self, text):
        body = problem(caller("support").get(f"requests/5/?msg_id={text}"))
        assert (body["status"], body["errors"][0]["field"]) == (400, "msg_id")

    def test_requires_a_login(self):
        assert Client().get(f"{BASE}requests/5/").status_code == 401


class TestResponseView:
    def test_returns_every_column_and_the_text(self):
        answered = {"res_timestamp": NOON, "failed": True, "failed_reason": "E1\nat line 5"}
        row = make_response(make_request(make_message()), **answered)
        body = caller("support", "view_payload").get(f"responses/{row.pk}/").json()
        assert body.pop("res_timestamp") == "2026-11-01T12:00:00Z"
        assert body == {
            **{"res_id": row.pk, "req_id": row.req_id, "msg_id": row.msg_id, "failed": True},
            **{"res_envelope_bytes": len(PAYLOAD), "failed_reason_bytes": 12, "archived": False},
            "failed_reason": "E1\nat line 5",
            **{"content": PAYLOAD, "content_type": "application/xml", "bytes": len(PAYLOAD), "masked": False},
        }
        assert AuditEntry.objects.get(action="view_response").msg_id == row.msg_id

    def test_returns_null_without_a_text(self):
        row = make_response(None, res_envelope=None)
        body = caller("support", "view_payload").get(f"responses/{row.pk}/").json()
        assert (body["content"], body["bytes"], body["masked"], body["res_envelope_bytes"]) == (
            None,
            0,
            False,
            None,
        )
        assert not AuditEntry.objects.filter(action="view_response").exists()

    def test_finds_it_in_the_archive(self):
        row = make_response(make_request(make_message()))
        columns = {field.name: getattr(row, field.name) for field in Response._meta.concrete_fields}
        ArchiveResponse.objects.create(**columns)
        Response.objects.all().delete()
        body = caller("support").get(f"responses/{row.pk}/").json()
        assert (body["archived"], body["masked"]) == (True, True)
