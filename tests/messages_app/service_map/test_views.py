import re
from collections.abc import Callable

import pytest

from tests.messages_app.service_map.counted import begin_counting, count_calls, hours_ago, open_incident
from tests.support.factories import make_message
from tests.support.page_client import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def show() -> Callable[..., str]:
    browser = client_of("support")

    def show_page(path: str = "/map/") -> str:
        response = browser.get(path)
        assert response.status_code == 200
        return response.content.decode()

    return show_page


def edges_of(page: str) -> dict[str, str]:
    """Return the text of each edge of the picture with its address."""
    edges = re.findall(r'<a class="c-flows-edge" href="([^"]*)"(.*?)</a>', page, re.DOTALL)
    return {" ".join(re.sub(r"^[^>]*>|<[^>]+>", " ", body).split()): href for href, body in edges}


def rows_of(page: str) -> list[str]:
    """Return the text of each row of the table."""
    table = page.split('id="flows"')[1].split("</table>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)[1:]
    return [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in rows]


class TestMap:
    def test_says_what_would_be_there_without_calls(self, show):
        page = show()
        assert "systems that they called in the last 7 d" in page
        assert "<svg viewBox" not in page

    def test_shows_the_picture_and_the_same_numbers_as_a_table(self, show):
        begin_counting()
        count_calls("billing", "bank.example", ok=990, failed=10)
        count_calls("order", "crm.example", ok=20)
        page = show()
        assert list(edges_of(page)) == [
            "billing → bank.example: 1 000 calls, 10 failed (1 %), half within 1 s, 95 % within 1 s",
            "order → crm.example: 20 calls, 0 failed (0 %), half within 1 s, 95 % within 1 s",
        ]
        assert rows_of(page) == [
            "billing bank.example 1 000 10 1 % 10 1 s 1 s",
            "order crm.example 20 0 0 % 0 1 s 1 s",
        ]
        table = page.split('id="flows"')[1]
        assert '<a href="/services/billing/">billing</a>' in table
        assert '<a href="/systems/bank.example/">bank.example</a>' in table

    def test_counts_only_the_chosen_time(self, show):
        count_calls("billing", "bank.example", ok=1)
        count_calls("billing", "bank.example", ok=1, at=hours_ago(5))
        count_calls("billing", "bank.example", ok=1, at=hours_ago(50))
        numbers = [
            re.findall(r"bank\.example:</strong>\s*(\d) call", show(f"/map/{query}"))[0]
            for query in ("?window=1h", "?window=24h", "?window=7d", "")
        ]
        assert numbers == ["1", "2", "3", "2"]

    def test_keeps_names_in_their_places_in_each_time(self, show):
        count_calls("billing", "bank.example", ok=9, at=hours_ago(50))
        count_calls("order", "crm.example", ok=1)
        for window in ("1h", "24h", "7d"):
            page = show(f"/map/?window={window}")
            assert re.findall(r'c-flows-name">\s*<a href="/\w+/([\w.]+)/', page) == [
                *("billing", "order", "bank.example", "crm.example")
            ]
        assert rows_of(show("/map/?window=1h")) == ["order crm.example 1 0 0 % 0 1 s 1 s"]

    def test_paints_what_fails_now_red_unless_its_incident_has_an_owner(self, show):
        count_calls("billing", "bank.example", ok=9, failed=1)
        assert re.findall(r'c-flows-edge" [^>]*data-state="(\w+)"', show()) == ["failed"]
        open_incident("bank.example", "billing", owner="ada")
        assert re.findall(r'c-flows-edge" [^>]*data-state="(\w+)"', show()) == ["paused"]

    def test_joins_what_does_not_fit_and_links_it_to_the_table(self, show):
        for number in range(50):
            count_calls(f"service{number:02}", f"system{number % 30:02}.example", ok=100 - number)
        page = show()
        assert '<a href="#flows">39 others</a>' in page
        assert '<a href="#flows">19 others</a>' in page
        assert page.count('class="c-flows-name"') == 24

    @pytest.mark.parametrize(
        ("query", "shown"),
        [
            ("service_name=order", ["order → crm.example", "order → bank.example"]),
            ("external_system=bank.example", ["billing → bank.example", "order → bank.example"]),
            ("failing=true", ["billing → bank.example"]),
            ("service_name=order&external_system=bank.example", ["order → bank.example"]),
            ("service_name=nobody", []),
        ],
    )
    def test_shows_only_the_chosen_calls_and_leaves_names_in_their_places(self, show, query, shown):
        count_calls("billing", "bank.example", ok=8, failed=2)
        count_calls("order", "bank.example", ok=5)
        count_calls("order", "crm.example", ok=7)
        page = show(f"/map/?{query}")
        assert [text.split(":")[0] for text in edges_of(page)] == shown
        assert [" → ".join(row.split()[:2]) for row in rows_of(page) if "No such call" not in row] == shown
        assert page.count('class="c-flows-name"') == 4

    def test_leads_from_an_edge_to_only_its_row(self, show):
        count_calls("billing", "bank.example", ok=8)
        count_calls("order", "bank.example", ok=5)
        address = edges_of(show("/map/?window=7d"))[
            "order → bank.example: 5 calls, 0 failed (0 %), half within 1 s, 95 % within 1 s"
        ].replace("&amp;", "&")
        assert address == "?window=7d&service_name=order&external_system=bank.example"
        assert rows_of(show(f"/map/{address}")) == ["order bank.example 5 0 0 % 0 1 s 1 s"]

    @pytest.mark.parametrize(
        ("query", "error"),
        [
            ("window=2h", "window must be one of 1h, 24h, 7d"),
            ("failing=perhaps", "failing must be true or false"),
            ("service_name=" + "x" * 101, "service_name can have at most 100 characters."),
            ("systme=bank.example", "systme"),
            ("window=1h&window=7d", "window"),
        ],
    )
    def test_names_the_parameter_of_an_error(self, query, error):
        response = client_of("support").get(f"/map/?{query}")
        assert response.status_code == 400
        assert error in response.content.decode()

    def test_shows_services_without_calls_too(self, show):
        make_message(state="OK", service_name="quiet")
        count_calls("billing", "bank.example", ok=1)
        assert "c-flows-nodes" in show()

    def test_needs_the_permission_for_messages(self):
        assert client_of().get("/map/").status_code == 403
