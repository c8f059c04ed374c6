import pytest
from django.db import connection
from django.test import Client

from messages_app.access.models import RequestWindow
from messages_app.access.rate_limits import REPORTS_PER_MINUTE
from tests.support.page_client import client_of

pytestmark = pytest.mark.django_db


class TestPageLimitMiddleware:
    def test_lets_a_user_open_a_limited_number_of_pages_a_minute(self, settings):
        settings.PAGES_PER_MINUTE = 3
        client, other = client_of("support"), client_of("support", username="grace")
        elsewhere = Client()
        elsewhere.cookies = client.cookies
        answers = [client.get("/jobs/"), elsewhere.get("/jobs/"), client.get("/admin/"), client.get("/jobs/")]

        assert [answer.status_code for answer in answers] == [200, 200, 302, 429]
        assert 1 <= int(answers[-1].headers["Retry-After"]) <= 60
        assert b"At most 3 requests per minute. Continue in" in answers[-1].content
        assert client.post("/logout/").status_code == 429
        assert other.get("/jobs/").status_code == 200
        RequestWindow.objects.update(began_at="2026-01-01T00:00:00Z")
        assert client.get("/jobs/").status_code == 200

    def test_counts_by_address_before_a_log_in(self, settings):
        settings.PAGES_PER_MINUTE = 2
        client, address = Client(), "192.0.2.7"
        answers = [client.get(path, REMOTE_ADDR=address) for path in ("/login/", "/jobs/", "/login/")]
        others = [client.get("/login/", REMOTE_ADDR=f"192.0.2.{n}").status_code for n in range(8, 12)]

        assert [answer.status_code for answer in answers] == [200, 302, 429]
        assert others.count(200) > 2  # few addresses share a counter
        # a proxy that the settings do not name
        assert {client.get("/login/").status_code for _ in range(4)} == {200}

    def test_counts_reports_by_address_and_not_as_pages_of_a_user(self, settings):
        settings.PAGES_PER_MINUTE = 2
        client = client_of("support")
        sent = [client.post("/policy-reports/") for _ in range(REPORTS_PER_MINUTE + 1)]

        assert {answer.status_code for answer in sent[:-1]} == {415}
        assert sent[-1].status_code == 429
        assert client_of(username="grace").post("/policy-reports/").status_code == 429
        assert client.get("/jobs/").status_code == 200
        others = [Client().post("/policy-reports/", REMOTE_ADDR=f"192.0.2.{n}").status_code for n in range(4)]
        assert others.count(415) > 2  # few addresses share a counter

    @pytest.mark.parametrize("path", ["/static/css/frame.css", "/health/", "/metrics", "/api/v1/messages/"])
    def test_ignores_an_invalid_page(self, settings, path):
        settings.PAGES_PER_MINUTE = 1
        client = client_of("support")
        client.get("/jobs/")
        assert client.get("/jobs/").status_code == 429
        assert client.get(path).status_code != 429

    @pytest.mark.django_db(transaction=True)
    def test_allows_pages_on_a_read_only_server(self):
        client = client_of("support")
        with connection.cursor() as cursor:
            cursor.execute("SET default_transaction_read_only = on")
        try:
            assert client.get("/jobs/").status_code == 200
            assert client.post("/logout/").status_code == 503
        finally:
            with connection.cursor() as cursor:
                cursor.execute("SET default_transaction_read_only = off")
