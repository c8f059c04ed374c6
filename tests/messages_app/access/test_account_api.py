from collections.abc import Iterable

import pytest
from django.test import Client

from messages_app.access.models import ApiToken
from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor
from tests.support.api_client import BASE, ApiClient, caller, problem
from tests.support.factories import make_message, make_user

pytestmark = pytest.mark.django_db


class TestMeView:
    def test_shows_the_user_and_the_permissions_of_a_token(self):
        client = caller("support", "cp_service")
        token = ApiToken.objects.get()
        assert client.get("me/").json() == {
            "user": "ada",
            "roles": ["cp_service", "support"],
            "scopes": None,
            "token_name": "test",
            "expires_at": token.expires_at.isoformat().replace("+00:00", "Z"),
            "permissions": [
                *("handle_incident", "pull_cp_messages", "view_auditentry", "view_cpmessage"),
                *("view_documenthistory", "view_job", "view_message", "view_messagestore"),
            ],
        }

    def test_shows_only_permissions_within_the_scopes(self):
        body = caller("admin", scopes=["messages:read", "queue:consume:RENDITION"]).get("me/").json()
        assert body["scopes"] == ["messages:read", "queue:consume:RENDITION"]
        assert body["permissions"] == ["pull_cp_messages", "view_message"]

    def test_shows_that_a_session_has_no_token(self):
        browser = Client()
        browser.force_login(make_user("operator"))
        body = browser.get(f"{BASE}me/").json()
        assert (body["user"], body["roles"], body["token_name"], body["expires_at"], body["scopes"]) == (
            "ada",
            ["operator"],
            None,
            None,
            None,
        )

    def test_shows_nothing_to_strangers(self):
        assert problem(ApiClient().get("me/"))["status"] == 401


class TestRootView:
    def test_names_the_hub(self, settings):
        settings.HUBCONSOLE_HUB_NAME = "Production"
        assert caller("cp_service").get("").json()["hub"] == "Production"

    def test_names_the_starting_points(self):
        body = caller("cp_service").get("").json()
        assert (body["version"], body["hub"]) == ("1", "")
        assert body["addresses"]["messages/"] == "http://testserver/api/v1/messages/"
        assert {"jobs/", "me/", "schema/", "docs/", "cp-queue/statistics/"} <= set(body["addresses"])
        assert not {"cp-queue/get-next/", "messages/<str:msg_id>/", ""} & set(body["addresses"])

    def test_is_closed_to_strangers(self):
        assert problem(ApiClient().get(""))["status"] == 401


ANA = Actor(username="ana", user_id=4711, token_name="nightly", address="10.0.0.7", request_id="r-1")


@pytest.fixture
def client() -> ApiClient:
    return caller("support")


def rows_of(client: ApiClient, query: str) -> list[dict]:
    """Return the listed entries except the one about the caller's own token."""
    answer = client.get(f"audit/{query}")
    assert answer.status_code == 200, answer.content
    return [row for row in answer.json()["results"] if row["action"] != "create_token"]


def _ids(rows: Iterable[dict]) -> list[int]:
    return [row["entry_id"] for row in rows]


class TestAuditListView:
    def test_shows_who_did_what_and_why(self, client):
        audit.record_entry(
            actor=ANA,
            action="cancel",
            msg_id=5,
            before_state="NEW",
            after_state="CANCEL",
            reason="why",
            details={"a": 1},
        )
        (row,) = rows_of(client, "")
        assert row.pop("entry_id") > 0
        assert row.pop("at")
        assert row == {
            **{
                "actor": "ana",
                "actor_id": 4711,
                "token_name": "nightly",
                "address": "10.0.0.7",
                "request_id": "r-1",
            },
            **{"action": "cancel", "outcome": "done", "msg_id": 5, "job_id": None},
            **{"subject_kind": "", "subject": "", "before_state": "NEW", "after_state": "CANCEL"},
            **{"reason": "why", "details": {"a": 1}},
        }

    def test_applies_the_filter(self, client):
        bob = Actor(username="bob")
        audit.record_entry(actor=ANA, action="cancel", msg_id=5)
        audit.record_entry(actor=bob, action="restart", msg_id=6, job_id=7)
        audit.record_entry(actor=bob, action="restart", outcome=AuditEntry.Outcome.REFUSED)
        first, second, third = _ids(
            AuditEntry.objects.exclude(action="create_token").order_by("entry_id").values()
        )
        for query, found in [
            ("", [third, second, first]),
            ("?actor=bob", [third, second]),
            ("?token_name=nightly", [first]),
            ("?action=restart&outcome=done", [second]),
            ("?msg_id=5", [first]),
            ("?job_id=7", [second]),
            ("?job_id=7&actor=ana", []),
            ("?request_id=r-1", [first]),
            ("?at_to=2020-01-01T00:00:00Z", []),
        ]:
            assert _ids(rows_of(client, query)) == found, query

    def test_has_pages(self, client):
        for _ in range(3):
            audit.record_entry(actor=ANA, action="cancel", msg_id=5)
        first = client.get("audit/?msg_id=5&page_size=2").json()
        rest = client.get(first["next"].partition("/api/v1/")[2]).json()
        assert [len(page["results"]) for page in (first, rest)] == [2, 1]

    @pytest.mark.parametrize(
        ("query", "field"),
        [
            ("zzz=1", "zzz"),
            ("outcome=maybe", "outcome"),
            ("msg_id=x", "msg_id"),
            ("at_from=today", "at_from"),
        ],
    )
    def test_refuses_an_invalid_filter(self, client, query, field):
        assert problem(client.get(f"audit/?{query}"))["errors"][0]["field"] == field

    def test_shows_the_actions_of_a_call(self):
        client, message = caller("operator"), make_message()
        client.post(f"messages/{message.pk}/cancel/", {"reason": "r"})
        (row,) = client.get(f"audit/?msg_id={message.pk}").json()["results"]
        assert (row["action"], row["actor"], row["token_name"], row["after_state"]) == (
            "cancel",
            "ada",
            "test",
            "CANCEL",
        )
