"""Requests that end while their commit waits for a synchronous replica."""

from collections.abc import Iterator
from contextlib import suppress
from functools import partial

import pytest
from django.db import connection

from messages_app.access.idempotency import Answer, act_once
from messages_app.core.time_budget import TimeIsOver, work_limit
from messages_app.messages.models import Message
from tests.support.api_client import ApiClient, caller, problem
from tests.support.eventually import eventually
from tests.support.factories import make_message, make_user

pytestmark = [
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    # The callback that loses the error.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture
def missing_replica(settings) -> Iterator[None]:
    """Let commits wait for a replica that is not there, for as long as a request may take."""
    settings.REQUEST_SECONDS = 0.5
    with connection.cursor() as cursor:
        cursor.execute("ALTER SYSTEM SET synchronous_standby_names = 'missing'")
        cursor.execute("SELECT pg_reload_conf()")
        eventually(lambda: _names() == "missing")
    yield
    _end()


@pytest.fixture
def operator() -> ApiClient:
    return caller("operator")


class TestRequestLimit:
    def test_answers_no_change_as_done_that_no_replica_has(self, operator, request):
        message = make_message()
        request.getfixturevalue("missing_replica")
        # PostgreSQL ends the wait, but keeps the change and reports a success.
        first, again = (cancel(operator, message.msg_id) for _ in range(2))
        for answer in (first, again):
            assert (answer.status_code, problem(answer)["code"]) == (503, "time_limit")
        assert Message.objects.get(pk=message.pk).state == "CANCEL"

        _end()

        confirmed = cancel(operator, message.msg_id)
        assert (confirmed.status_code, confirmed.headers["Idempotent-Replayed"]) == (200, "true")


class TestActOnce:
    def test_waits_for_the_replica_also_when_it_repeats_an_answer(self, request):
        act = partial(
            act_once, user=make_user(), key="k", request_sha256="0" * 64, act=lambda: Answer(200, {"a": 1})
        )
        assert not act().is_repeat
        request.getfixturevalue("missing_replica")
        with suppress(TimeIsOver), work_limit(0.5) as limit:
            act()
        assert limit.is_over


def cancel(operator: ApiClient, msg_id: int):
    return operator.post(f"messages/{msg_id}/cancel/", {"reason": "r"}, Idempotency_Key="k-1")


def _names() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW synchronous_standby_names")
        return cursor.fetchone()[0]


def _end() -> None:
    connection.close()
    with connection.cursor() as cursor:
        cursor.execute("ALTER SYSTEM RESET synchronous_standby_names")
        cursor.execute("SELECT pg_reload_conf()")
        eventually(lambda: _names() == "")
