import pytest
from django.test import Client

from messages_app.access.limits import check_limit
from messages_app.access.models import ApiToken, RequestWindow
from messages_app.web.problems import Problem
from tests.api_client import BASE, caller, problem
from tests.factories import make_user
from tests.threads import in_threads


@pytest.mark.django_db
class TestTokenLimit:
    def test_lets_a_token_make_so_many_requests_a_minute(self, settings):
        limited, other = caller("support"), caller("support", username="grace")
        ApiToken.objects.filter(user=limited.user).update(requests_per_minute=3)
        assert [limited.get("messages/").status_code for _ in range(4)] == [200, 200, 200, 429]

        refused = limited.post("messages/5/cancel/", {"reason": "r"})

        assert problem(refused)["code"] == "rate_limited"
        assert 1 <= int(refused.headers["Retry-After"]) <= 60
        assert other.get("messages/").status_code == 200
        RequestWindow.objects.update(began_at="2026-01-01T00:00:00Z")
        assert limited.get("messages/").status_code == 200

    def test_counts_a_session_too(self, settings):
        settings.API_REQUESTS_PER_MINUTE = 1
        browser = Client()
        browser.force_login(make_user("support"))
        assert [browser.get(f"{BASE}messages/").status_code for _ in range(2)] == [200, 429]


@pytest.mark.django_db(transaction=True)
class TestCheckLimit:
    def test_lets_no_more_through_however_many_ask_at_once(self):
        def ask() -> int:
            passed = 0
            for _ in range(20):
                try:
                    check_limit("token:1", per_minute=50)
                except Problem:
                    continue
                passed += 1
            return passed

        assert sum(in_threads(*[ask] * 8)) == 50
