import pytest
from django.http import HttpResponse
from django.test import Client
from lxml import html

from tests.support.factories import make_user
from tests.support.page_client import text_of


@pytest.fixture
def support() -> Client:
    client = Client()
    client.force_login(make_user("support"))
    return client


def options(part: HttpResponse) -> list[html.HtmlElement]:
    return html.fragments_fromstring(text_of(part).strip())


@pytest.mark.django_db
class TestSuggestions:
    def test_answers_with_the_words_possible_at_the_caret(self, support):
        option = options(support.get("/messages/suggest/", {"q": "state:F service:x", "at": "7"}))[0]
        assert (option.get("data-start"), option.get("data-end")) == ("0", "7")
        assert option.get("data-insert") == "state:FAILED"
        assert [part.text for part in option] == ["FAILED", "failed, will not be retried"]

    def test_writes_positions_of_long_lines_without_separators(self, support):
        line = f"{'x' * 2000} state:F"
        option = options(support.get("/messages/suggest/", {"q": line, "at": "2008"}))[0]
        assert (option.get("data-start"), option.get("data-end")) == ("2001", "2008")

    @pytest.mark.parametrize(
        "query", ["", "q=state:&at=x", "q=state:&at=-1", "q=a&at=99999999999999999999", "q=%00&at=1", "at=³"]
    )
    def test_accepts_any_text(self, support, query):
        assert support.get(f"/messages/suggest/?{query}").status_code == 200

    def test_accepts_a_place_of_thousands_of_digits(self, support):
        assert support.get("/messages/suggest/", {"q": "x", "at": "1" * 5_000}).status_code == 200

    def test_offers_no_search_of_payloads_to_users_who_may_not_read_them(self, support):
        assert support.get("/messages/suggest/", {"q": "payl", "at": "4"}).content.strip() == b""

    def test_asks_to_log_in(self, client):
        assert client.get("/messages/suggest/?q=").status_code == 302
