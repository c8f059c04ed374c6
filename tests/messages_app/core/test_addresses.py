import pytest
from django.test import Client

from messages_app.jobs.models import Job
from tests.support.api_client import ApiClient, caller, problem
from tests.support.factories import make_user
from tests.support.routes import addresses

pytestmark = pytest.mark.django_db

SLASHED = [f"/{address}" for address in addresses() if address.endswith("/") and address.startswith("api/")]
PAGES = ["/messages/", "/jobs/new/", "/login/", "/admin/", "/messages/5/"]
CHANGES = ("POST", "PATCH", "PUT", "DELETE")


class TestMissingSlash:
    def test_is_named_for_every_method_at_every_address_of_the_api(self):
        assert len(SLASHED) > 90
        stranger = Client()
        for address in SLASHED:
            for method in ("GET", *CHANGES):
                answer = stranger.generic(method, address.rstrip("/"), b"{}")
                told = problem(answer)
                assert (answer.status_code, told["code"]) == (308, "missing_slash"), (method, address)
                assert answer.headers["Location"] == address
                assert told["detail"] == f"Nothing was done. Send the {method} to {address}."

    def test_keeps_the_query_string(self):
        answer = Client().get("/api/v1/messages?state=OK&page_size=2")
        assert answer.headers["Location"] == "/api/v1/messages/?state=OK&page_size=2"

    def test_makes_no_job_and_gives_no_list(self):
        admin = caller("admin")
        answer = admin.post("jobs", {"kind": "archive", "reason": "old"})
        assert answer.status_code == 308
        assert not Job.objects.exists()
        # A client that follows the address sends the POST again.
        assert admin.post("jobs/", {"kind": "archive", "reason": "old"}).status_code == 202

    @pytest.mark.parametrize("debug", [False, True])
    def test_is_never_answered_so_that_a_form_becomes_a_get(self, settings, debug):
        settings.DEBUG = debug
        browser = Client()
        browser.force_login(make_user("admin", is_staff=True, is_superuser=True))
        for page in PAGES:
            assert browser.get(page.rstrip("/")).status_code == 301, page
            for method in CHANGES[:1]:
                answer = browser.generic(method, page.rstrip("/"))
                assert (answer.status_code, answer.headers["Location"]) == (308, page)

    def test_of_an_unknown_address_is_not_found(self):
        for address in ("/api", "/api/v1/nope", "/api/v1/jobs/5/nope", "/api/v2/jobs"):
            assert problem(ApiClient().client.post(address))["code"] == "not_found", address


class TestMissingTls:
    @pytest.fixture(autouse=True)
    def _is_required(self, settings):
        settings.SECURE_SSL_REDIRECT = True

    def test_is_named_for_a_call(self):
        answer = Client().post("/api/v1/jobs/", "{}", content_type="application/json")
        assert (answer.status_code, problem(answer)["code"]) == (308, "tls_required")
        assert answer.headers["Location"] == "https://testserver/api/v1/jobs/"

    @pytest.mark.parametrize(("method", "status"), [("GET", 301), ("HEAD", 301), ("POST", 308)])
    def test_of_a_page_keeps_the_method(self, method, status):
        answer = Client().generic(method, "/login/")
        assert (answer.status_code, answer.headers["Location"]) == (status, "https://testserver/login/")


class TestUnsupportedMethod:
    @pytest.mark.parametrize(
        ("method", "path", "supported", "others"),
        [
            (
                "POST",
                "messages/777/",
                "GET, HEAD, OPTIONS",
                ["/api/v1/messages/777/cancel/", "/api/v1/messages/777/restart/"],
            ),
            ("GET", "messages/777/restart/", "POST, OPTIONS", ["/api/v1/messages/777/", "/api/v1/messages/"]),
            ("PATCH", "jobs/", "GET, POST, HEAD, OPTIONS", ["/api/v1/jobs/{job_id}/"]),
            ("DELETE", "schedules/", "GET, POST, HEAD, OPTIONS", ["/api/v1/schedules/{schedule_id}/"]),
            ("PUT", "jobs/7/", "GET, PATCH, HEAD, OPTIONS", []),
        ],
    )
    def test_is_answered_with_the_methods_and_the_addresses_that_support_it(
        self, method, path, supported, others
    ):
        answer = caller("admin").send(method, path, b"{}")
        told = problem(answer)
        assert (answer.status_code, told["code"]) == (405, "method_not_allowed")
        assert set(answer.headers["Allow"].split(", ")) == set(supported.split(", "))
        assert [other for other in others if other not in told["addresses"]] == []
        assert bool(told["addresses"]) == bool(others)
        assert told["detail"].startswith(f"/api/v1/{path} does not support {method}, only ")

    def test_names_at_most_ten_addresses_and_never_all_of_the_api(self):
        admin = caller("admin")
        for address in SLASHED:
            if address == "/api/v1/docs/":
                continue
            told = problem(admin.client.generic("PUT", address, b"{}", headers=admin.headers))
            assert len(told["addresses"]) <= 10, address
        assert problem(admin.send("POST", ""))["addresses"] == []

    def test_of_a_page_has_a_text(self):
        answer = ApiClient().client.get("/logout/")
        assert (answer.status_code, answer.headers["Allow"]) == (405, "POST, OPTIONS")
        assert b"supports only POST" in answer.content

    def test_of_the_page_with_the_description_is_a_problem(self):
        browser = Client()
        browser.force_login(make_user("admin"))
        assert problem(browser.put("/api/v1/docs/"))["status"] == 405
