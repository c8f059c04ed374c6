"""The list of messages in the order of their last change, by which a program follows what has changed."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from messages_app.messages.models import Message
from tests.support.api_client import ApiClient, caller, problem
from tests.support.attached import attached_hub
from tests.support.factories import make_archived_message, make_message
from tests.support.many_messages import queries_of
from tests.support.page_client import client_of

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
INDEX = "hubc_message_last_process_idx"


@pytest.fixture
def operator() -> ApiClient:
    return caller("operator")


def at(minutes: int) -> datetime:
    return NOON + timedelta(minutes=minutes)


def pages(client: ApiClient, query: str, link: str = "next") -> list[int]:
    """Return the ids of all pages, following the links."""
    answer, found = client.get(f"messages/?{query}").json(), []
    while True:
        found += [row["msg_id"] for row in answer["results"]]
        if not answer[link]:
            return found
        answer = client.client.get(answer[link], headers=client.headers).json()


@pytest.mark.django_db
class TestOrder:
    @pytest.fixture(autouse=True)
    def _messages(self):
        """Of equal times, of different ones, and never processed; not in the order of their ids."""
        times = [at(3), at(1), None, at(2), at(2), None, at(2), at(5), None, at(1)]
        self.ids = [
            make_message(last_process_timestamp=time, service_name="odd" if number % 2 else "even").pk
            for number, time in enumerate(times)
        ]

    def places(self, *places: int) -> list[int]:
        return [self.ids[place] for place in places]

    @pytest.mark.parametrize("size", [1, 2, 3, 10])
    def test_places_messages_that_were_never_processed_at_one_end(self, operator, size):
        ascending = self.places(1, 9, 3, 4, 6, 0, 7, 2, 5, 8)
        query = f"page_size={size}&ordering="
        assert pages(operator, f"{query}last_process_timestamp") == ascending
        assert pages(operator, f"{query}-last_process_timestamp") == ascending[::-1]

    @pytest.mark.parametrize("size", [1, 2, 10])
    def test_holds_for_a_filter_too(self, operator, size):
        query = f"service_name=odd&page_size={size}&ordering="
        assert pages(operator, f"{query}last_process_timestamp") == self.places(1, 9, 3, 7, 5)
        assert pages(operator, f"{query}-last_process_timestamp") == self.places(5, 7, 3, 9, 1)

    @pytest.mark.parametrize("query", ["", "state=OK,FAILED,NEW,PROCESSING&", "service_name=even,odd&"])
    def test_leads_back_as_well(self, operator, query):
        query = f"page_size=3&ordering=last_process_timestamp&{query}".replace("service_name=even,odd&", "")
        answer = operator.get(f"messages/?{query}").json()
        first = answer["results"]
        while answer["next"]:
            answer = operator.client.get(answer["next"], headers=operator.headers).json()
        while answer["previous"]:
            answer = operator.client.get(answer["previous"], headers=operator.headers).json()
        assert answer["results"] == first

    def test_is_followed_while_messages_change(self, operator):
        """A program that keeps the last time sees every later change, and no message twice at one time."""
        since = f"last_process_timestamp_from={at(3):%Y-%m-%dT%H:%M:%SZ}"
        query = f"ordering=last_process_timestamp&page_size=2&{since}"
        assert pages(operator, query) == self.places(0, 7)
        Message.objects.filter(pk=self.ids[2]).update(last_process_timestamp=at(9))
        assert pages(operator, query) == self.places(0, 7, 2)

    @pytest.mark.parametrize("archived", ["true", "any"])
    def test_is_refused_for_the_archive_without_an_index_for_it(self, operator, archived):
        make_archived_message()
        told = problem(operator.get(f"messages/?ordering=last_process_timestamp&archived={archived}"))
        assert [(error["field"], error["code"]) for error in told["errors"]] == [
            ("ordering", "invalid_value")
        ]

    def test_is_of_the_api_only(self):
        assert client_of("operator").get("/messages/?ordering=last_process_timestamp").status_code == 400


class TestAttachedHub:
    def test_without_the_index_names_it(self, django_db_blocker):
        with django_db_blocker.unblock(), attached_hub("CleverBus 2.0"):
            client = caller("operator")
            told = problem(client.get("messages/?ordering=-last_process_timestamp"))
            assert (told["status"], told["code"]) == (403, "not_attached_for_this")
            assert INDEX in told["detail"]
            assert client.get("messages/").status_code == 200

    @pytest.mark.parametrize(
        "query", ["", "&state=FAILED", "&last_process_timestamp_from=2020-01-01T00:00:00Z"]
    )
    def test_with_the_index_reads_it(self, django_db_blocker, query):
        with django_db_blocker.unblock(), attached_hub("CleverBus 2.0", "--create-indexes") as hub:
            client = caller("operator")
            times = [
                row["last_process_timestamp"]
                for row in client.get(f"messages/?ordering=last_process_timestamp{query}").json()["results"]
                if row["last_process_timestamp"]
            ]
            assert times == sorted(times)
            assert times
            hub.run("SET enable_seqscan = off")
            hub.run("SET enable_sort = off")
            browser = _Browser(client)
            address = f"/api/v1/messages/?ordering=last_process_timestamp{query}"
            texts = [_explain(sql, params) for sql, params in queries_of(browser, address)]
            assert any(INDEX in text for text in texts), texts


class _Browser:
    """A client for `queries_of` that sends the token."""

    def __init__(self, client: ApiClient) -> None:
        self._client = client

    def get(self, address: str):
        return self._client.client.get(address, headers=self._client.headers)


def _explain(sql: str, params: tuple) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {sql}", params)
        return "\n".join(line for (line,) in cursor.fetchall())
