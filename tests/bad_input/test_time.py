"""Contents that were made to be slow are answered in time, at every address that reads them."""

import time

import pytest
from django.conf import settings
from django.http import HttpResponse

from messages_app.message_store.models import MessageStore
from tests.support.factories import make_message
from tests.support.page_client import client_of, reader_of
from tests.support.stores import define, store

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

ANSWERS = {200, 400, 403, 404, 503}
# One call into C that is in progress when the time is over, and a machine that does other things.
LATER = 15


def _numbered(count: int, text: str) -> str:
    return "".join(text.format(number) for number in range(count))


HOSTILE = {
    "attributes": "<a" + _numbered(80_000, ' a{0}="1"') + "/>",
    "declarations": "<a" + _numbered(40_000, ' xmlns:x{0}="u:{0}"') + "/>",
    "prefixes": "<a"
    + _numbered(15_000, ' xmlns:x{0}="u:{0}"')
    + ">"
    + _numbered(15_000, "<x{0}:b/>")
    + "</a>",
    "namespaces": "<a>" + _numbered(40_000, '<b xmlns="u{0}"/>') + "</a>",
    "unclosed": "<a>" * 60_000,
    "mixed": f"<a>{'x<b/>' * 100_000}</a>",
    "comments": f"{'<!-- x -->' * 90_000}<!DOCTYPE",
    "half comments": "<!-- " * 180_000,
    "moments": f"<a>{'2026-11-01T12:00:00.0' * 45_000}</a>",
    "json members": "{" + _numbered(55_000, '"k{0}":1,') + '"k":1}',
    "json depth": "[" * 200_000,
    "json digits": f"[{'1' * 900_000}]",
    "lines": "\n" * 900_000,
    "pairs": "ab\n" * 300_000,
    "angles": "<" * 900_000,
    "quotes": '{"' * 450_000,
}


class TestContents:
    @pytest.mark.parametrize("name", HOSTILE)
    def test_of_messages_are_answered_in_time(self, name: str):
        text = HOSTILE[name]
        one, other = (make_message(payload=payload).pk for payload in (text, f"{text} "))
        addresses = [
            f"/messages/{one}/",
            f"/messages/{one}/payload/",
            f"/messages/{one}/payload/?view=raw",
            f"/messages/{one}/payload/?find=zzz",
            f"/messages/{one}/payload/download/",
            f"/messages/{one}/compare/?with={other}",
            f"/messages/{one}/compare/?with={other}&exact=true&unified=true",
            f"/messages/?payload_contains=zzz&msg_id_from={one}",
            f"/api/v1/messages/{one}/payload/",
        ]
        _check(reader_of("operator"), addresses)
        _check(client_of("operator", username="masked"), addresses)

    @pytest.mark.parametrize("name", HOSTILE)
    def test_of_the_store_are_answered_in_time(self, name: str):
        define()
        identifier = store()
        MessageStore.objects.update(data=HOSTILE[name])
        _check(
            reader_of("operator"),
            [
                f"/message-store/messages/{identifier}/",
                f"/message-store/messages/{identifier}/data/",
                f"/message-store/messages/{identifier}/rehearsal/",
                f"/api/v1/message-store/{identifier}/data/",
                f"/api/v1/message-store/{identifier}/rehearsal/",
            ],
        )


def _check(client, addresses: list[str]) -> None:
    for address in addresses:
        began = time.monotonic()
        answer: HttpResponse = client.get(address)
        b"".join(answer) if answer.streaming else answer.content
        assert answer.status_code in ANSWERS, (address, answer.status_code)
        assert time.monotonic() - began < settings.REQUEST_SECONDS + LATER, address
