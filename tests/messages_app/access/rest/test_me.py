import pytest
from django.test import Client

from messages_app.access.models import ApiToken
from tests.support.api_client import BASE, ApiClient, caller, problem
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


class TestMeView:
    def test_says_whose_token_it_is_and_what_it_may(self):
        client = caller("support", "cp_service")
        token = ApiToken.objects.get()
        assert client.get("me/").json() == {
            "user": "ada",
            "roles": ["cp_service", "support"],
            "scopes": None,
            "token_name": "test",
            "expires_at": token.expires_at.isoformat().replace("+00:00", "Z"),
            "permissions": [
                *("pull_cp_messages", "view_auditentry", "view_cpmessage", "view_documenthistory"),
                *("view_job", "view_message", "view_messagestore"),
            ],
        }

    def test_says_no_more_than_the_scopes_leave(self):
        body = caller("admin", scopes=["messages:read", "queue:consume:RENDITION"]).get("me/").json()
        assert body["scopes"] == ["messages:read", "queue:consume:RENDITION"]
        assert body["permissions"] == ["pull_cp_messages", "view_message"]

    def test_says_of_a_session_that_it_has_no_token(self):
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

    def test_says_nothing_to_strangers(self):
        assert problem(ApiClient().get("me/"))["status"] == 401


class TestRootView:
    def test_names_where_one_can_begin(self):
        body = caller("cp_service").get("").json()
        assert body["version"] == "1"
        assert body["addresses"]["messages/"] == "http://testserver/api/v1/messages/"
        assert {"jobs/", "me/", "schema/", "docs/", "cp-queue/statistics/"} <= set(body["addresses"])
        assert not {"cp-queue/get-next/", "messages/<str:msg_id>/", ""} & set(body["addresses"])

    def test_is_closed_to_strangers(self):
        assert problem(ApiClient().get(""))["status"] == 401
