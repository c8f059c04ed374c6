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


class TestMap:
    def test_says_what_would_be_there_without_calls(self, show):
        page = show()
        assert "No external calls in the last 24 h" in page
        assert "<svg viewBox" not in page

    def test_shows_the_picture_and_the_same_numbers_as_a_table(self, show):
        begin_counting()
        count_calls("billing", "bank.example", ok=990, failed=10)
        count_calls("order", "crm.example", ok=20)
        page = show()
        titles = [" ".join(title.split()) for title in re.findall(r"<title>([^<]*→[^<]*)</title>", page)]
        assert titles == [
            "billing → bank.example: 1 000 calls, 10 failed",
            "order → crm.example: 20 calls, 0 failed",
        ]
        table = page.split('id="flows"')[1]
        assert '<a href="/services/billing/">billing</a>' in table
        assert '<a href="/systems/bank.example/">bank.example</a>' in table
        assert "1\u202f000" in table
        assert "1 %" in table

    def test_counts_only_the_chosen_time(self, show):
        count_calls("billing", "bank.example", ok=1)
        count_calls("billing", "bank.example", ok=1, at=hours_ago(5))
        count_calls("billing", "bank.example", ok=1, at=hours_ago(50))
        numbers = [
            re.findall(r"bank\.example: (\d) call", show(f"/map/?window={window}"))[0]
            for window in ("1h", "24h", "7d", "nonsense")
        ]
        assert numbers == ["1", "2", "3", "2"]

    def test_paints_what_fails_now_red_unless_its_incident_has_an_owner(self, show):
        count_calls("billing", "bank.example", ok=9, failed=1)
        assert re.findall(r'<path data-state="(\w+)"', show()) == ["failed"]
        open_incident("bank.example", "billing", owner="ada")
        assert re.findall(r'<path data-state="(\w+)"', show()) == ["paused"]

    def test_joins_what_does_not_fit_and_links_it_to_the_table(self, show):
        for number in range(50):
            count_calls(f"service{number:02}", f"system{number % 30:02}.example", ok=100 - number)
        page = show()
        assert '<a href="#flows">39 others</a>' in page
        assert '<a href="#flows">19 others</a>' in page
        assert page.count('class="c-flows-name"') == 24

    def test_shows_services_without_calls_too(self, show):
        make_message(state="OK", service_name="quiet")
        count_calls("billing", "bank.example", ok=1)
        assert "c-flows-nodes" in show()

    def test_needs_the_permission_for_messages(self):
        assert client_of().get("/map/").status_code == 403
