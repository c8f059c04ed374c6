from datetime import timedelta

import pytest
from django.db.models import F
from django.test import Client

from messages_app.access.models import ApiToken, RequestWindow
from messages_app.access.rate_limits import check_limit, count_request, is_first_of_minute
from messages_app.core.problems import Problem
from tests.support.api_client import BASE, caller, problem
from tests.support.factories import make_user
from tests.support.threads import in_threads


@pytest.mark.django_db
class TestTokenLimit:
    def test_lets_a_token_make_a_limited_number_of_requests_a_minute(self, settings):
        limited, other = caller("support"), caller("support", username="grace")
        ApiToken.objects.filter(user=limited.user).update(requests_per_minute=3)
        assert [limited.get("messages/").status_code for _ in range(4)] == [200, 200, 200, 429]

        refused = limited.post("messages/5/cancel/", {"reason": "r"})

        assert problem(refused)["code"] == "rate_limited"
        assert 1 <= int(refused.headers["Retry-After"]) <= 60
        assert other.get("messages/").status_code == 200
        RequestWindow.objects.update(began_at="2026-01-01T00:00:00Z")
        assert limited.get("messages/").status_code == 200

    def test_reports_the_rest_on_every_answer(self):
        limited = caller("support")
        ApiToken.objects.filter(user=limited.user).update(requests_per_minute=2)
        answers = [limited.get(path) for path in ("messages/777/", "messages/?zzz=1", "messages/")]
        assert [answer.status_code for answer in answers] == [404, 400, 429]
        for answer, left in zip(answers, (1, 0, 0), strict=True):
            assert answer.headers["RateLimit-Policy"] == '"token";q=2;w=60'
            name, rest, seconds = answer.headers["RateLimit"].split(";")
            assert (name, rest) == ('"token"', f"r={left}")
            assert 1 <= int(seconds.removeprefix("t=")) <= 60
        assert answers[2].headers["Retry-After"] == seconds.removeprefix("t=")

    def test_also_reports_it_for_the_description(self, settings):
        settings.API_REQUESTS_PER_MINUTE = 5
        assert caller("support").get("schema/").headers["RateLimit-Policy"] == '"api";q=5;w=60'

    def test_counts_calls_of_services_separately(self, settings):
        settings.API_REQUESTS_PER_MINUTE, settings.SERVICE_REQUESTS_PER_MINUTE = 1, 2
        service = caller("operator", "cp_service")
        body = {"QueueNames": "RENDITION", "ServiceName": "w1"}
        answers = [service.post("cp-queue/get-next/", body) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 200, 429]
        assert answers[0].headers["RateLimit-Policy"] == '"services";q=2;w=60'
        assert [service.get("messages/").status_code for _ in range(2)] == [200, 429]

    def test_lets_a_service_work_as_fast_as_it_can_by_default(self, settings):
        answer = caller("cp_service").post("cp-queue/get-next/", {"QueueNames": "A", "ServiceName": "w1"})
        assert answer.headers["RateLimit"].startswith('"services";r=119999;')

    def test_reveals_nothing_to_strangers_and_pages(self, client):
        for answer in (client.get(f"{BASE}messages/"), client.get("/login/")):
            assert not {"RateLimit", "RateLimit-Policy"} & set(answer.headers)

    def test_counts_a_session_too(self, settings):
        settings.API_REQUESTS_PER_MINUTE = 1
        browser = Client()
        browser.force_login(make_user("support"))
        assert [browser.get(f"{BASE}messages/").status_code for _ in range(2)] == [200, 429]


def move_window(seconds: float) -> None:
    """Let the minutes of all callers have begun so much earlier."""
    RequestWindow.objects.update(began_at=F("began_at") - timedelta(seconds=seconds))


@pytest.mark.django_db
class TestCountRequest:
    def count(self, caller: str = "token:1") -> tuple[int, int]:
        budget = count_request(caller, name="token", per_minute=9)
        assert (budget.name, budget.per_minute) == ("token", 9)
        return budget.used, budget.seconds

    def test_counts_the_requests_of_each_caller_and_begins_again_after_a_minute(self):
        assert [self.count()[0] for _ in range(3)] == [1, 2, 3]
        assert [self.count("token:2")[0] for _ in range(2)] == [1, 2]
        move_window(50)
        assert [self.count()[0] for _ in range(2)] == [4, 5]
        move_window(10)
        assert [self.count()[0] for _ in range(3)] == [1, 2, 3]
        move_window(60)
        assert [self.count()[0], self.count()[0], self.count("token:2")[0]] == [1, 2, 1]

    def test_returns_the_seconds_until_the_minute_is_over(self):
        assert self.count()[1] == 60
        move_window(20)
        assert self.count()[1] in (39, 40)
        move_window(40)
        assert self.count()[1] == 60

    def test_allows_as_many_requests_in_the_next_minute_as_in_the_first(self):
        for _ in range(2):
            for _ in range(3):
                check_limit("page:1", per_minute=3)
            with pytest.raises(Problem) as refused:
                check_limit("page:1", per_minute=3)
            assert (refused.value.status, refused.value.code) == (429, "rate_limited")
            move_window(60)


@pytest.mark.django_db
class TestIsFirstOfMinute:
    def test_is_true_once_a_minute_for_each_caller(self):
        assert [is_first_of_minute("a"), is_first_of_minute("a"), is_first_of_minute("b")] == [
            True,
            False,
            True,
        ]
        move_window(50)
        assert not is_first_of_minute("a")
        move_window(10)
        assert [is_first_of_minute("a"), is_first_of_minute("a")] == [True, False]


@pytest.mark.django_db(transaction=True)
class TestCheckLimit:
    def test_allows_no_more_with_many_concurrent_requests(self):
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
