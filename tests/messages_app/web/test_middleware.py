import uuid

import pytest

from messages_app.web.middleware import API_POLICY
from tests.api_client import ApiClient, caller

pytestmark = pytest.mark.django_db

ADDRESSES = [
    "/",
    "/nope/",
    "/messages/",
    "/admin/login/",
    "/admin/login/?next=%ff",
    "/api/v1/messages/",
    "/api/v1/messages/5/",
    "/api/v1/messages/?zzz=1",
    "/api/v1/messages/?object_id=%ff",
    "/api/v1/nope/",
    "/api/v1/docs/",
    "/api/v1/schema/",
]


class TestHeaders:
    @pytest.mark.parametrize("address", ADDRESSES)
    @pytest.mark.parametrize("logged_in", [False, True])
    def test_are_on_every_answer(self, address, logged_in):
        reader = caller("operator") if logged_in else ApiClient()
        headers = reader.client.get(address, headers=reader.headers).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert "no-store" in headers["Cache-Control"]
        assert uuid.UUID(headers["X-Request-ID"])
        for rule in ("frame-ancestors 'none'", "base-uri 'none'"):
            assert rule in headers["Content-Security-Policy"]
        assert not {"Server", "X-Powered-By"} & set(headers)

    def test_let_an_answer_of_the_api_run_nothing(self):
        assert caller("operator").get("messages/").headers["Content-Security-Policy"] == API_POLICY

    def test_let_pages_run_scripts_of_their_own_files_only(self):
        policy = ApiClient().client.get("/admin/login/").headers["Content-Security-Policy"]
        scripts = next(rule for rule in policy.split("; ") if rule.startswith("script-src"))
        assert "'self'" in scripts
        assert "'unsafe-inline'" not in scripts

    def test_never_repeat_the_id_of_a_caller(self):
        response = caller("operator").get("messages/", X_Request_ID="mine")
        assert response.headers["X-Request-ID"] != "mine"


class TestProblemMiddleware:
    @pytest.mark.parametrize("path", ["/messages/?state=%ff", "/admin/login/?next=%ED%A0%80"])
    def test_refuses_a_query_that_is_not_utf_8_on_pages_too(self, path):
        response = ApiClient().client.get(path)
        assert response.status_code == 400
        assert b"must be percent-encoded UTF-8" in response.content
