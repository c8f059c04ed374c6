import re

import pytest
from django.http import HttpResponse
from django.test import Client

from messages_app.messages.detail import views
from messages_app.messages.listing.neighbours import Patience
from messages_app.messages.models import Message
from tests.messages_app.messages.detail.rows import make_children
from tests.support.factories import (
    make_archived_message,
    make_external_call,
    make_message,
    make_messages,
    make_request,
)
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def support() -> Client:
    return client_of("support")


def _part(page: str, start: str, end: str) -> str:
    return page.partition(start)[2].partition(end)[0]


class TestNeighboursPart:
    LIST = "source_system_not=CRM"

    @pytest.fixture(autouse=True)
    def oldest(self) -> str:
        """The address of the oldest message; the list has only it and message 9 000 000."""
        make_messages(3_000)
        oldest = Message.objects.order_by("pk")[0]
        oldest.source_system = "ERP"
        oldest.save()
        make_message(msg_id=9_000_000, source_system="ERP")
        return f"/messages/{oldest.pk}/?{self.LIST}"

    def test_follows_the_page_if_the_search_takes_too_long(self, support, oldest, monkeypatch):
        monkeypatch.setattr(views, "FIRST", Patience(milliseconds=5000, seconds=0))
        page = text_of(support.get(f"/messages/9000000/?{self.LIST}"))
        nav = _part(page, '<nav class="c-neighbours"', "</nav>")
        assert f'hx-get="/messages/9000000/neighbours/?{self.LIST}"' in nav
        assert 'rel="next"' not in nav
        part = self.load(support, f"/messages/9000000/neighbours/?{self.LIST}")
        assert f'href="{oldest}" rel="next"' in text_of(part)
        assert "hx-get" not in text_of(part)

    def test_is_not_needed_if_the_page_has_the_neighbours(self, support, oldest):
        page = text_of(support.get(f"/messages/9000000/?{self.LIST}"))
        assert f'href="{oldest}"' in page
        assert "/neighbours/" not in page

    def test_rejects_an_unknown_parameter(self, support):
        assert support.get(f"/messages/{make_message().pk}/neighbours/?zzz=1").status_code == 400

    def test_returns_404_for_an_unknown_id(self, support):
        assert support.get("/messages/999999999/neighbours/").status_code == 404

    def load(self, client: Client, address: str) -> HttpResponse:
        return client.get(address, headers={"HX-Request": "true"})


class TestCallsPart:
    def test_shows_the_next_rows(self, support):
        message = make_message()
        calls = [make_external_call(message) for _ in range(3)]
        page = text_of(support.get(f"/messages/{message.pk}/calls/?after={calls[0].pk}"))
        assert calls[0].entity_id not in page
        assert calls[2].entity_id in page

    def test_is_a_page_without_scripts_and_rows_with_them(self, support):
        message = make_message()
        make_external_call(message)
        address = f"/messages/{message.pk}/calls/"
        assert "<h1>" in text_of(support.get(address))
        assert text_of(support.get(address, headers={"HX-Request": "true"})).strip().startswith("<tr")

    @pytest.mark.parametrize("after", ["", "x", "-", "²", str(2**63), "9" * 5000])
    def test_rejects_an_invalid_id(self, support, after):
        response = support.get(f"/messages/{make_message().pk}/calls/?after={after}")
        assert response.status_code == 400
        assert "after" in text_of(response)

    def test_returns_404_for_an_unknown_id(self, support):
        assert support.get("/messages/999999999/calls/").status_code == 404


class TestExchangesPart:
    def test_shows_the_next_rows(self, support):
        message = make_message()
        first, second = make_request(message), make_request(message, uri="http://second.example/")
        page = text_of(support.get(f"/messages/{message.pk}/exchanges/?after={first.pk}"))
        assert "http://second.example/" in page
        assert f"/requests/{first.pk}/" not in page
        assert f"/requests/{second.pk}/" in page


class TestPreviewPart:
    def test_shows_why_and_loads_the_payload_by_its_own_address(self, support):
        message = make_message(state="FAILED", failed_error_code="E103", failed_desc="E103: refused\n\tat X")
        part = support.get(f"/messages/{message.pk}/preview/", headers={"HX-Request": "true"})
        page = text_of(part)
        assert "<h1>" not in page
        assert "E103" in _part(page, 'role="status"', "</p>")
        assert "refused" in _part(page, 'aria-label="Last error"', "</section>")
        assert "at X" not in page
        assert f'hx-get="/messages/{message.pk}/payload/"' in page
        assert "Ada Lovelace" not in page

    def test_shows_an_archived_message(self, support):
        message = make_archived_message(state="OK")
        assert f"Message {message.pk}" in text_of(support.get(f"/messages/{message.pk}/preview/"))

    def test_returns_404_for_an_unknown_id(self, support):
        assert support.get("/messages/999999999/preview/").status_code == 404


class TestChildrenPart:
    def test_shows_children_of_a_parent_that_no_longer_exists(self, support):
        make_children(77, count=60)
        page = text_of(support.get("/messages/77/children/"))
        cursor = re.search(r"\?cursor=([0-9-]+)", page)[1]
        rest = text_of(support.get(f"/messages/77/children/?cursor={cursor}", headers={"HX-Request": "true"}))
        assert rest.count("<li") == 10

    def test_opens_without_children(self, support):
        assert support.get(f"/messages/{make_message().pk}/children/").status_code == 200

    def test_rejects_an_invalid_cursor(self, support):
        response = support.get("/messages/77/children/?cursor=x")
        assert response.status_code == 400
        assert "cursor" in text_of(response)


@pytest.mark.parametrize(
    ("part", "title"),
    [
        ("preview", "Preview"),
        ("neighbours", "Neighbours in the list"),
        ("calls", "External calls"),
        ("exchanges", "Requests and responses"),
        ("children", "Children"),
    ],
)
def test_a_part_without_scripts_names_its_message(support, part, title):
    message = make_message(msg_id=7_001)
    page = text_of(support.get(f"/messages/{message.pk}/{part}/"))
    assert re.search(rf"<title>\s*{title} of message 7001\b", page)
    assert f"<h1>{title}</h1>" in page
    assert '<a href="/messages/7001/">Message 7001</a>' in page
