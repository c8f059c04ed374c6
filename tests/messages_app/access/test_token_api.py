import json

import pytest
from django.test import Client

from messages_app.access.models import ApiToken
from messages_app.access.token_services import create_token
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import SYSTEM
from tests.support.api_client import BASE, ApiClient, caller, problem
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db

NEW = {"name": "indexer", "reason": "for the new indexer"}


def revoke(client: ApiClient, token_id: int, body: dict, **extra: str):
    return client.send("DELETE", f"tokens/{token_id}/", json.dumps(body).encode(), **extra)


def with_key(key: str) -> ApiClient:
    client = ApiClient()
    client.headers = {"Authorization": f"Token {key}"}
    return client


class TestNewToken:
    def test_is_reported_with_its_key_once(self):
        admin = caller("admin")
        made = admin.post("tokens/", NEW | {"days": 3, "scopes": ["messages:read"]})
        assert made.status_code == 201, made.content
        body = made.json()
        assert made.headers["Location"] == f"http://testserver/api/v1/tokens/{body['token_id']}/"
        assert (body["name"], body["user"], body["scopes"]) == ("indexer", "ada", ["messages:read"])
        assert with_key(body["key"]).get("me/").json()["token_name"] == "indexer"
        for address in ("tokens/", f"tokens/{body['token_id']}/"):
            assert body["key"].encode() not in admin.get(address).content
        entry = AuditEntry.objects.get(action="create_token", details__token="indexer")
        assert (entry.actor, entry.token_name, entry.reason) == ("ada", "test", "for the new indexer")
        assert entry.details["scopes"] == ["messages:read"]
        assert body["key"] not in json.dumps(entry.details)

    def test_is_made_once_for_one_key_and_its_secret_is_stored_nowhere(self):
        admin = caller("admin")
        first, again = (admin.post("tokens/", NEW, Idempotency_Key="k") for _ in range(2))
        assert first.json()["key"].startswith("hubc_")
        assert again.json() == first.json() | {"key": None}
        assert again.headers["Idempotent-Replayed"] == "true"
        assert ApiToken.objects.filter(name="indexer").count() == 1

    @pytest.mark.parametrize(
        ("own", "asked", "is_made"),
        [
            (None, None, True),
            (None, ["payload:read"], True),
            (["tokens:manage"], None, False),
            (["tokens:manage"], ["tokens:manage"], True),
            (["tokens:manage"], ["messages:read"], False),
            (["tokens:manage", "queue:consume"], ["queue:consume:A"], True),
            (["tokens:manage", "queue:consume:A"], ["queue:consume:A"], True),
            (["tokens:manage", "queue:consume:A"], ["queue:consume:B"], False),
            (["tokens:manage", "queue:consume:A"], ["queue:consume"], False),
        ],
    )
    def test_has_no_scope_that_its_makers_lacks(self, own, asked, is_made):
        answer = caller("admin", scopes=own).post("tokens/", NEW | {"scopes": asked})
        assert ApiToken.objects.filter(name="indexer").exists() is is_made
        if not is_made:
            assert problem(answer)["errors"][0] | {"message": ""} == {
                "field": "scopes",
                "code": "not_allowed",
                "message": "",
            }

    @pytest.mark.parametrize(
        ("role", "columns", "is_made"),
        [
            ("cp_service", {}, True),
            ("operator", {}, True),
            ("view_payload", {}, False),
            ("support", {"is_superuser": True}, False),
        ],
    )
    def test_is_only_for_users_with_no_more_permissions_than_its_maker(self, role, columns, is_made):
        admin = caller("admin")
        make_user(role, username="other", **columns)
        answer = admin.post("tokens/", NEW | {"user": "other"})
        assert (answer.status_code == 201) is is_made, answer.content
        assert ApiToken.objects.filter(user__username="other").exists() is is_made
        if not is_made:
            assert problem(answer)["errors"][0]["field"] == "user"

    @pytest.mark.parametrize("user", ["nobody", "gone"])
    def test_is_only_for_active_users(self, user):
        make_user("support", username="gone", is_active=False)
        assert caller("admin").post("tokens/", NEW | {"user": user}).status_code == 404

    @pytest.mark.parametrize(
        ("body", "field", "code"),
        [
            ({"name": ""}, "name", "required"),
            ({"name": "n" * 61}, "name", "too_long"),
            ({"days": 0}, "days", "out_of_range"),
            ({"days": 366}, "days", "out_of_range"),
            ({"days": "3"}, "days", "invalid_value"),
            ({"scopes": []}, "scopes", "required"),
            ({"scopes": ["nonsense"]}, "scopes", "invalid_value"),
            ({"scopes": "messages:read"}, "scopes", "invalid_value"),
            ({"requests_per_minute": 0}, "requests_per_minute", "out_of_range"),
            ({"reason": ""}, "reason", "required"),
            ({"key": "mine"}, "key", "unknown_field"),
            ({"user": 5}, "user", "invalid_value"),
        ],
    )
    def test_is_refused_with_the_field_that_is_wrong(self, body, field, code):
        error = problem(caller("admin").post("tokens/", NEW | body))["errors"][0]
        assert (error["field"], error["code"]) == (field, code)
        assert not ApiToken.objects.filter(name="indexer").exists()

    def test_is_not_made_by_a_session(self):
        browser = Client()
        browser.force_login(make_user("admin"))
        answer = browser.post(f"{BASE}tokens/", NEW, content_type="application/json")
        assert problem(answer)["code"] == "password_required"
        assert not ApiToken.objects.exists()

    @pytest.mark.parametrize("role", ["support", "operator", "cp_service"])
    def test_is_made_only_by_administrators(self, role):
        assert problem(caller(role).post("tokens/", NEW))["status"] == 403
        assert AuditEntry.objects.get(outcome="refused").action == "create_token"


class TestTokens:
    def test_are_listed_with_their_users_newest_first(self):
        admin = caller("admin")
        create_token(
            user=make_user("support", username="bob"), name="reader", actor=SYSTEM, scopes=["store:read"]
        )
        rows = admin.get("tokens/").json()["results"]
        assert [(row["name"], row["user"], row["scopes"]) for row in rows] == [
            ("reader", "bob", ["store:read"]),
            ("test", "ada", None),
        ]
        assert not [name for row in rows for name in row if "key" in name or "sha" in name]

    def test_end_immediately_when_they_are_revoked_and_stay_listed(self):
        admin = caller("admin")
        token, key = create_token(user=make_user("support", username="bob"), name="reader", actor=SYSTEM)
        answer = revoke(admin, token.pk, {"reason": "lost"})
        assert (answer.status_code, answer.json()["revoked_at"] is None) == (200, False)
        assert problem(with_key(key).get("messages/"))["code"] == "token_revoked"
        entry = AuditEntry.objects.get(action="revoke_token")
        assert (entry.details["token"], entry.reason, entry.actor) == ("reader", "lost", "ada")
        again = revoke(admin, token.pk, {"reason": "lost"})
        assert again.json() == answer.json()
        assert AuditEntry.objects.filter(action="revoke_token").count() == 1

    def test_are_revoked_as_they_were_seen(self):
        admin = caller("admin")
        token, _ = create_token(user=make_user("support", username="bob"), name="reader", actor=SYSTEM)
        assert revoke(admin, token.pk, {"reason": "r"}, HTTP_IF_MATCH='"x"').status_code == 412
        token.refresh_from_db()
        assert token.revoked_at is None
        seen = admin.get(f"tokens/{token.pk}/").headers["ETag"]
        assert revoke(admin, token.pk, {"reason": "r"}, HTTP_IF_MATCH=seen).status_code == 200

    @pytest.mark.parametrize("body", [{}, {"reason": ""}, {"reason": "r" * 1001}])
    def test_are_not_revoked_without_a_reason(self, body):
        admin = caller("admin")
        assert problem(revoke(admin, ApiToken.objects.get().pk, body))["errors"][0]["field"] == "reason"
        assert ApiToken.objects.get().revoked_at is None

    @pytest.mark.parametrize("token_id", ["777", "abc", "-1", "9" * 30])
    def test_are_not_found_by_an_invalid_id(self, token_id):
        assert problem(caller("admin").get(f"tokens/{token_id}/"))["code"] == "not_found"
