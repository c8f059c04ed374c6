"""
A masked value cannot be guessed: right and wrong guesses get the same answer
(docs/contributing/spec/promises.md, S-33).
"""

import json
import re
from collections.abc import Callable

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.support.api_client import BASE, ApiClient, caller
from tests.support.factories import NOON, make_message, make_request, make_response
from tests.support.histories import make_trigger, store_entry
from tests.support.page_client import client_of
from tests.support.stores import define
from tests.support.stores import store as store_message

pytestmark = pytest.mark.django_db

RIGHT, WRONG = "Ada4711", "Bob4712"
CONTENT = f"<person>{RIGHT}</person>"
_CSRF_TOKEN = re.compile("[A-Za-z0-9]{64}")
LOOKUPS = (
    *("", "__exact", "__iexact", "__contains", "__icontains", "__startswith", "__istartswith", "__endswith"),
    *("__iendswith", "__regex", "__iregex", "__in", "__gt", "__gte", "__lt", "__lte", "__range", "__isnull"),
    "_contains",
)
# The masked columns by the lists whose rows have them, or lead to them.
MASKED = {
    "messages/": ["payload", "envelope"],
    "external-calls/": ["msg__payload"],
    "requests/": ["req_envelope"],
    "responses/": ["res_envelope"],
    "document-history/in-doubt/": ["document"],
    "message-store/": ["data"],
}
# Further ways in which a list might look into a content, or sort by it.
OTHERS = [
    *("q={}", "search={}", "q=payload:{}", "text={}", "payload={}&payload_contains={}"),
    f"payload_contains={{}}&receive_timestamp_from={NOON:%Y-%m-%d}T00:00:00Z"
    f"&receive_timestamp_to={NOON:%Y-%m-%d}T23:59:59Z",
]


@pytest.fixture
def reader() -> ApiClient:
    message = make_message(payload=CONTENT, envelope=CONTENT, state="FAILED", receive_timestamp=NOON)
    make_response(make_request(message, req_envelope=CONTENT), res_envelope=CONTENT)
    make_trigger("t-1")
    store_entry("processing", uuid="started")
    define()
    store_message([{"id": 1, "name": RIGHT}])
    return caller("admin")  # a user with every permission except that one


def told(answer: HttpResponse, guess: str) -> tuple[int, str]:
    """Return an answer without the guess itself and the parts that differ each time."""
    text = answer.content.decode().replace(guess, "").replace(answer.headers["X-Request-ID"], "")
    return answer.status_code, _CSRF_TOKEN.sub("", text)


def both(ask: Callable[[str], HttpResponse]) -> tuple[tuple[int, str], tuple[int, str]]:
    """Return the answers to a right and to a wrong guess."""
    return told(ask(RIGHT), RIGHT), told(ask(WRONG), WRONG)


class TestList:
    def test_does_not_distinguish_a_right_guess_from_a_wrong_one(self, reader):
        for path, columns in MASKED.items():
            for column in columns:
                for lookup in LOOKUPS:
                    asked = f"{path}?{column}{lookup}="
                    right, wrong = both(lambda guess, asked=asked: reader.get(asked + guess))
                    assert right == wrong, (path, column, lookup)
                    assert right[0] == 400, (path, column, lookup)
                assert reader.get(f"{path}?ordering={column}").status_code == 400, (path, column)

    @pytest.mark.parametrize("query", OTHERS)
    def test_does_not_search_content_in_another_way(self, reader, query):
        right, wrong = both(lambda guess: reader.get(f"messages/?{query.replace('{}', guess)}"))
        assert (right[0], right) == (400, wrong)

    def test_does_not_search_content_for_a_session_without_a_reason(self, reader):
        client = client_of("admin", "view_payload", username="bob")
        for query in (*OTHERS, *(f"payload{lookup}={{}}" for lookup in LOOKUPS)):
            asked = f"{BASE}messages/?{query}"
            right, wrong = both(lambda guess, asked=asked: client.get(asked.replace("{}", guess)))
            assert right == wrong, query
            assert right[0] == (403 if "payload_contains" in query else 400), query

    def test_finds_it_for_users_with_permission(self, reader):
        sighted = caller("admin", "view_payload", username="eve")
        for guess, count in ((RIGHT, 1), (WRONG, 0)):
            answer = sighted.get(f"messages/?{OTHERS[-1].replace('{}', guess)}")
            assert len(json.loads(answer.content)["results"]) == count


class TestPage:
    @pytest.fixture
    def page(self, reader) -> Client:
        return client_of("admin", username="bob")

    @pytest.mark.parametrize(
        "query", [*OTHERS, "payload__startswith={}", "q=payload_contains:{}", "o=payload&q={}"]
    )
    def test_does_not_distinguish_a_right_guess_from_a_wrong_one(self, page, query):
        right, wrong = both(lambda guess: page.get(f"/messages/?{query.replace('{}', guess)}"))
        assert right == wrong


class TestJob:
    @pytest.mark.parametrize("name", ["payload", "payload_contains", "payload__contains", "request__payload"])
    def test_is_refused_the_same_way_for_a_masked_filter(self, reader, name):
        body = {"kind": "restart", "reason": "r"}
        right, wrong = both(lambda guess: reader.post("jobs/", body | {"filter": {name: guess}}))
        assert (right[0], right) == (400, wrong)
