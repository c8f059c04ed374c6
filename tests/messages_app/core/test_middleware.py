import uuid

import pytest
from django.http import HttpResponse
from django.test import Client

from messages_app.audit.models import AuditEntry
from messages_app.core.middleware import API_POLICY, PAGE_POLICY, REPORTS_PATH
from tests.support.api_client import ApiClient, caller, problem
from tests.support.factories import make_user
from tests.support.routes import addresses

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
    "/admin/",
    "/users/",
    "/jobs/",
    "/audit/",
    "/sessions/",
    "/health/",
    "/metrics",
]


EVERYWHERE = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
OF_OTHERS = ("Server", "X-Powered-By", "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials")


# Pages that are the same for everyone.
PUBLIC = "docs/"


def check_headers(answer: HttpResponse, *, is_public: bool = False) -> None:
    headers = answer.headers
    assert {name: headers.get(name) for name in EVERYWHERE} == EVERYWHERE
    assert "no-cache" in headers["Cache-Control"] if is_public else "no-store" in headers["Cache-Control"]
    assert uuid.UUID(headers["X-Request-ID"])
    for rule in ("frame-ancestors 'none'", "base-uri 'none'"):
        assert rule in headers["Content-Security-Policy"]
    assert not [name for name in OF_OTHERS if name in headers]


class TestEveryAddress:
    @pytest.fixture
    def browser(self) -> Client:
        client = Client(enforce_csrf_checks=True, raise_request_exception=False)
        client.force_login(make_user("admin", "view_payload", is_staff=True, is_superuser=True))
        # Refusals come without the frame of a page, whose rendering costs more than all else here.
        client.defaults["HTTP_HX_REQUEST"] = "true"
        return client

    @pytest.mark.parametrize("method", ["GET", "OPTIONS"])
    def test_has_the_headers_and_answers_no_other_site(self, method):
        stranger = Client()
        for address in addresses():
            answer = stranger.generic(method, f"/{address}", headers={"Origin": "https://evil.example"})
            is_public = address.startswith(PUBLIC) and answer.status_code in {200, 301}
            check_headers(answer, is_public=is_public)

    def test_accepts_no_change_without_the_csrf_token(self, browser):
        for address in addresses():
            answer = browser.post(f"/{address}")
            check_headers(answer)
            # Browsers and identity providers send these without a token, so the content decides about them.
            expected = {REPORTS_PATH: 415, "/login/with/777/log-out/": 404}.get(f"/{address}", 403)
            assert answer.status_code == expected, address
        assert not AuditEntry.objects.filter(outcome="done")

    @pytest.mark.parametrize("method", ["TRACE", "FOO"])
    def test_accepts_no_method_that_no_page_has(self, browser, method):
        for address in addresses():
            answer = browser.generic(method, f"/{address}")
            check_headers(answer)
            assert answer.status_code == 405 or address.startswith(("api/", "metrics")), address
            assert answer.status_code in {403, 405}


class TestHeaders:
    @pytest.mark.parametrize("address", ADDRESSES)
    @pytest.mark.parametrize("logged_in", [False, True])
    def test_are_on_every_answer(self, address, logged_in):
        reader = caller("operator") if logged_in else ApiClient()
        check_headers(reader.client.get(address, headers=reader.headers))

    def test_are_on_what_is_public_too(self):
        headers = Client().get("/static/css/frame.css").headers
        assert {name: headers.get(name) for name in EVERYWHERE} == EVERYWHERE
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]

    def test_let_an_answer_of_the_api_run_nothing(self):
        assert caller("operator").get("messages/").headers["Content-Security-Policy"] == API_POLICY

    def test_let_pages_run_scripts_of_their_own_files_only(self):
        rules = PAGE_POLICY.split("; ")
        assert {"script-src 'self'", "style-src 'self'", "object-src 'none'", "base-uri 'none'"} <= set(rules)
        assert "unsafe" not in PAGE_POLICY

    @pytest.mark.parametrize("address", ["/", "/nope/", "/login/", "/admin/login/"])
    def test_are_the_same_for_strangers_on_every_page(self, address):
        assert ApiClient().client.get(address).headers["Content-Security-Policy"] == PAGE_POLICY

    def test_are_the_same_on_every_page_of_the_admin(self):
        client = Client()
        client.force_login(make_user(is_staff=True, is_superuser=True))
        admin = [f"/{address}" for address in addresses() if address.startswith("admin/")]
        assert len(admin) > 30
        for address in admin:
            assert client.get(address).headers["Content-Security-Policy"] == PAGE_POLICY, address

    def test_give_browsers_the_address_for_reports(self):
        assert PAGE_POLICY.endswith("; report-uri /policy-reports/")

    def test_never_repeat_the_id_of_a_caller(self):
        response = caller("operator").get("messages/", X_Request_ID="mine")
        assert response.headers["X-Request-ID"] != "mine"


class TestProblemMiddleware:
    @pytest.mark.parametrize("path", ["/messages/?state=%ff", "/admin/login/?next=%ED%A0%80"])
    def test_refuses_a_query_that_is_not_utf_8_on_pages_too(self, path):
        response = ApiClient().client.get(path)
        assert response.status_code == 400
        assert b"must be percent-encoded UTF-8" in response.content

    @pytest.mark.parametrize("encoding", ["gzip", "br", "GZIP", "zstd", "nonsense", "gzip, identity"])
    def test_refuses_an_encoded_body(self, encoding):
        answer = caller("operator").send(
            "POST", "messages/777/restart/", b"\x1f\x8b\x08", HTTP_CONTENT_ENCODING=encoding
        )
        assert (answer.status_code, problem(answer)["code"]) == (415, "unsupported_media_type")
        assert encoding.lower() in problem(answer)["detail"]
        assert answer.headers["Accept-Encoding"] == "identity"

    def test_accepts_a_body_that_says_it_is_not_encoded(self):
        answer = caller("operator").send(
            "POST", "messages/777/restart/", b'{"reason": "r"}', HTTP_CONTENT_ENCODING="identity"
        )
        assert answer.status_code == 404

    @pytest.mark.parametrize("kind", ["text/plain", "application/xml", "multipart/form-data", "nonsense"])
    def test_leaves_other_content_types_to_the_call(self, kind):
        answer = caller("operator").send("POST", "messages/777/restart/", b"<a/>", content_type=kind)
        assert (answer.status_code, problem(answer)["code"]) == (415, "unsupported_media_type")

    @pytest.mark.parametrize("address", ["/api/v1/messages/", "/messages/", "/api/v1/nope/"])
    @pytest.mark.parametrize("host", ["evil.example", "a b", "x\u2028y", "[::"])
    def test_refuses_another_host_without_a_traceback(self, address, host, caplog):
        answer = Client().get(address, HTTP_HOST=host)
        assert answer.status_code == 400
        assert b"DJANGO_ALLOWED_HOSTS" in answer.content
        if address.startswith("/api/"):
            assert problem(answer)["code"] == "unknown_host"
        assert [record.levelname for record in caplog.records if record.exc_info] == []


class TestProxyMiddleware:
    """X-Forwarded-Proto is trusted only from the proxies in the settings."""

    @pytest.mark.parametrize(
        ("peer", "status"),
        [("192.0.2.1", 200), ("192.0.2.2", 301), ("127.0.0.1", 301), ("", 200)],
    )
    def test_believes_that_a_request_came_by_https(self, settings, peer, status):
        settings.SECURE_SSL_REDIRECT, settings.TRUSTED_PROXIES = True, ["192.0.2.1"]
        told = {"REMOTE_ADDR": peer, "HTTP_X_FORWARDED_PROTO": "https"}
        assert Client().get("/login/", **told).status_code == status

    @pytest.mark.parametrize(("peer", "status"), [("10.244.3.7", 200), ("10.245.0.1", 301), ("strange", 301)])
    def test_trusts_every_address_of_a_network(self, settings, peer, status):
        settings.SECURE_SSL_REDIRECT, settings.TRUSTED_PROXIES = True, ["10.244.0.0/16", "fd00::/64"]
        told = {"REMOTE_ADDR": peer, "HTTP_X_FORWARDED_PROTO": "https"}
        assert Client().get("/login/", **told).status_code == status

    def test_believes_the_proxy_that_it_came_by_http(self, settings):
        settings.SECURE_SSL_REDIRECT, settings.TRUSTED_PROXIES = True, ["192.0.2.1"]
        told = {"REMOTE_ADDR": "192.0.2.1", "HTTP_X_FORWARDED_PROTO": "http"}
        assert Client().get("/login/", **told).status_code == 301
