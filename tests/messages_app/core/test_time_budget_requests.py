import json

import pytest
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from messages_app.core.time_budget import RequestLimitMiddleware


@pytest.fixture(autouse=True)
def one_second(settings) -> None:
    settings.REQUEST_SECONDS = 1


def _never(request: HttpRequest) -> HttpResponse:
    while True:
        sum(range(100))


def _asks_for_long(request: HttpRequest) -> HttpResponse:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(60)")
    while True:  # even if a handler caught the error of the cancelled statement
        sum(range(100))


class TestRequestLimitMiddleware:
    def test_answers_the_api_with_a_problem(self):
        answer = RequestLimitMiddleware(_never)(RequestFactory().get("/api/v1/messages/"))

        assert (answer.status_code, answer.headers["Content-Type"]) == (503, "application/problem+json")
        assert answer.headers["Retry-After"] == "5"
        told = json.loads(answer.content)
        assert told["code"] == "time_limit"
        assert told["detail"].startswith("This took longer than 1 seconds and was stopped.")

    def test_answers_a_page_with_a_page(self):
        answer = RequestLimitMiddleware(_never)(RequestFactory().get("/messages/"))

        assert answer.status_code == 503
        assert b"<html" in answer.content
        assert b"This took longer than 1 seconds" in answer.content

    def test_does_not_change_others(self):
        answer = RequestLimitMiddleware(lambda request: HttpResponse("fine"))(RequestFactory().get("/"))

        assert (answer.status_code, answer.content) == (200, b"fine")

    @pytest.mark.django_db(transaction=True)
    def test_leaves_a_database_session_that_works(self):
        for _ in range(2):
            try:
                answer = RequestLimitMiddleware(_asks_for_long)(RequestFactory().get("/"))
                assert answer.status_code == 503
            finally:
                with connection.cursor() as cursor:
                    cursor.execute("SELECT 7")
                    assert cursor.fetchone() == (7,)
            assert connection.get_autocommit()
            assert not connection.in_atomic_block
