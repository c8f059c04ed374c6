import re
from datetime import timedelta
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from django.http import QueryDict
from django.test import Client

from messages_app.core.clock import database_clock
from messages_app.messages.filters.message_filter import ARCHIVED, FILTERS, MessageFilter
from messages_app.messages.listing.filter_form import FilterForm, find_excluding_filters
from tests.support.factories import make_message
from tests.support.page_client import client_of, reader_of, show_values, text_of


def form_of(query: str, **options: object) -> FilterForm:
    return FilterForm(QueryDict(query), allowed=frozenset(FILTERS), **options)


class TestFilterForm:
    def test_changes_the_values_of_a_filter_and_starts_at_the_first_page(self):
        form = form_of("state=OK,NEW&cursor=c&at=x&service_name=a,b&service_name=c")
        assert (form.values_of("state"), form.values_of("service_name")) == (["OK", "NEW"], ["a,b", "c"])
        assert (
            form.query_with_values({"state": ["NEW", "FAILED"]})
            == "?service_name=a,b&service_name=c&state=NEW,FAILED"
        )
        assert form.query_with_values({"service_name": [], "state": []}) == "?"
        assert (
            form.query_with_values({"service_name": ["c", "d"]})
            == "?state=OK,NEW&service_name=c&service_name=d"
        )

    def test_offers_ranges_of_receipt_that_stay_relative(self):
        links = {link.text: link for link in form_of("receive_timestamp_from=-1h&state=OK").received}
        assert links["24 h"].query == "?state=OK&receive_timestamp_from=-24h"
        assert [text for text, link in links.items() if link.is_on] == ["1 h"]
        assert links["Any time"].query == "?state=OK"

    def test_marks_the_selected_place(self):
        assert [link.text for link in form_of("archived=any").places if link.is_on] == ["Both"]
        assert [link.text for link in form_of("").places if link.is_on] == ["Live"]


pytestmark = pytest.mark.django_db

TEXT = "297238158"
QUOTED = f'/messages/?q="{TEXT}"'


@pytest.fixture
def payment() -> int:
    payload = f"<payment><symbol>{TEXT}</symbol></payment>"
    return make_message(payload=payload, receive_timestamp=database_clock() - timedelta(hours=1)).pk


def lacking(client: Client, address: str) -> tuple[str, dict[str, str]]:
    """Return the sentences of the payload search that cannot run, and its links by their label."""
    page = text_of(client.get(address, follow=True))
    found = re.search(r'<section class="c-note is-warning c-search-lacks".*?</section>', page, re.DOTALL)
    note = found[0] if found else ""
    links = re.findall(r'<a class="c-button" href="([^"]*)">.*?</svg>([^<]*)</a>', note, re.DOTALL)
    sentences = re.sub(r"<[^>]*>", "", re.sub(r"<a .*?</a>", "", note, flags=re.DOTALL))
    return " ".join(sentences.split()), {label: unescape(url) for url, label in links}


def next_of(url: str) -> str:
    return parse_qs(urlsplit(url).query)["next"][0]


class TestMissingConditions:
    def test_are_the_permission_without_a_link_and_the_range(self):
        sentences, links = lacking(client_of("support"), QUOTED)
        assert "You need the permission view_payload. Ask an administrator." in sentences
        assert "masked" not in sentences
        assert "It needs a time range of at most 31 days." in sentences
        assert set(links) == {"Search the last 7 days"}

    def test_are_masked_values_with_a_link_that_returns_to_the_same_search(self, payment):
        client = client_of("support", "view_payload")
        sentences, links = lacking(client, f"{QUOTED} state:NEW")
        assert "Values are masked in this session." in sentences
        assert "administrator" not in sentences
        address = links["Show values and search"]
        assert urlsplit(address).path == "/reveal/"
        query = parse_qs(urlsplit(next_of(address)).query)
        assert query == {
            "payload_contains": [TEXT],
            "state": ["NEW"],
            "receive_timestamp_from": ["-7d"],
        }
        response = client.post("/reveal/", {"reason": "a customer asks", "next": next_of(address)})
        page = text_of(client.get(response.url))
        assert f'href="/messages/{payment}/' in page
        assert "c-search-lacks" not in page

    def test_are_only_the_range_once_values_are_shown(self, payment):
        client = reader_of("support")
        sentences, links = lacking(client, QUOTED)
        assert "masked" not in sentences
        page = text_of(client.get(links["Search the last 7 days"]))
        assert f'href="/messages/{payment}/' in page

    def test_are_a_shorter_range(self):
        client = reader_of("support")
        address = f"/messages/?payload_contains={TEXT}&receive_timestamp_from=-40d"
        sentences, links = lacking(client, address)
        assert "Its time range is longer than 31 days." in sentences
        assert client.get(links["Search the last 31 days"]).status_code == 200

    def test_are_empty_for_a_search_that_runs(self, payment):
        assert lacking(reader_of("support"), f"{QUOTED} received:>-1d") == ("", {})


class TestOfferedSearch:
    @pytest.mark.parametrize("address", ["/messages/find/part/?id={}", "/messages/find/?id={}"])
    def test_follows_an_id_that_no_row_has(self, payment, address):
        client = client_of("support", "view_payload")
        page = text_of(client.get(address.format(TEXT), follow=True))
        [url] = re.findall(r'href="(/reveal/[^"]*payload_contains[^"]*)"', page)
        assert next_of(unescape(url)) == f"/messages/?payload_contains={TEXT}&receive_timestamp_from=-7d"
        show_values(client)
        page = text_of(client.get(address.format(TEXT), follow=True))
        [url] = re.findall(r'href="(/messages/\?payload_contains[^"]*)"', page)
        assert unescape(url) == f"/messages/?payload_contains={TEXT}&receive_timestamp_from=-7d"
        assert f'href="/messages/{payment}/' in text_of(client.get(unescape(url)))

    def test_names_the_permission_to_a_user_without_it(self):
        page = text_of(client_of("support").get(f"/messages/find/part/?id={TEXT}"))
        assert "You need the permission view_payload. Ask an administrator." in page
        assert "/reveal/" not in page


@pytest.mark.django_db
class TestFiltersThatExcludeAll:
    def test_are_the_filters_without_which_there_is_a_message(self):
        make_message(service_name="billing", source_system="CRM", state="OK")
        for values, names in (
            ({"service_name": ("billing",), "source_system": ("ERP",)}, ["source_system"]),
            ({"service_name": ("orders",), "source_system": ("ERP",)}, []),
            ({"service_name": ("orders",)}, []),
            ({"service_name": ("billing",), "source_system": ("CRM",), ARCHIVED: True}, []),
        ):
            assert find_excluding_filters(MessageFilter(values)) == names, values
