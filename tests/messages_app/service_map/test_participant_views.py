import re
from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.test import Client

from messages_app.incidents.models import Incident
from tests.messages_app.service_map.counted import count_calls, count_messages, hours_ago, open_incident
from tests.support.factories import make_message, make_request, make_response
from tests.support.page_client import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser() -> Client:
    return client_of("support")


def words_of(browser: Client, path: str) -> str:
    response = browser.get(path)
    assert response.status_code == 200, path
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


class TestService:
    def test_compares_its_last_day_with_the_same_hours_a_week_before(self, browser):
        at = hours_ago(2)
        count_messages("billing", "OK", 90, at=at, step=8)
        count_messages("billing", "FAILED", 10, at=at + timedelta(minutes=1), step=40)
        count_messages("billing", "OK", 70, at=at - timedelta(days=7), step=8)
        count_messages("order", "OK", 5, at=at)
        page = words_of(browser, "/services/billing/")
        assert "Failing now 10" in page
        assert "Processed 90 70 ended a week before" in page
        assert "Failed 10 % 10 of 100" in page
        assert "95 % within 18 min" in page  # 2 ** 10.125 s
        assert "half within 4.3 s" in page  # 2 ** 2.125 s, cut
        hour = f"{at:%Y-%m-%d %H}:00 UTC"
        assert re.search(rf"{hour} 90 10 70", page)

    def test_shows_its_systems_and_incidents(self, browser):
        count_messages("billing", "OK", 1, at=hours_ago(1))
        count_calls("billing", "bank.example", ok=9, failed=1, step=8)
        count_calls("order", "crm.example", ok=1)
        open_incident("bank.example", "billing")
        ended = open_incident("erp.example", "billing")
        Incident.objects.filter(pk=ended.pk).update(state="closed", closed_at=Now())
        page = words_of(browser, "/services/billing/")
        assert "bank.example 10 1 10 % 4.3 s 4.3 s" in page
        assert "bank.example refuses connections" in page
        assert "1 ended in the last 7 days" in page
        assert "erp.example refuses connections" in page
        assert "crm.example" not in page

    def test_says_that_nothing_ended(self, browser):
        count_messages("billing", "OK", 1, at=hours_ago(300))
        page = words_of(browser, "/services/billing/")
        assert "Nothing ended in the last 24 hours." in page
        assert "No incident is open." in page
        assert "No call in the last 24 hours." in page

    @pytest.mark.parametrize("name", ["unknown", "a~00b", "x" * 200, "~", "%20"])
    def test_is_not_found_if_nothing_is_known(self, browser, name):
        for kind in ("services", "systems"):
            assert browser.get(f"/{kind}/{name}/").status_code == 404

    def test_has_an_address_for_every_name(self, browser):
        count_messages("a/b <c>", "OK", 1, at=hours_ago(1))
        assert browser.get("/services/a~2Fb%20%3Cc%3E/").status_code == 200


class TestSystem:
    def test_is_known_by_its_answers_before_calls_are_counted(self, browser):
        """The overview links it as soon as it answers."""
        make_response(make_request(make_message(), uri="http://new.example/ws"), res_timestamp=Now())
        assert "No call in the last 24 hours." in words_of(browser, "/systems/new.example/")
        assert browser.get("/services/new.example/").status_code == 404

    def test_shows_its_calls_and_the_services_that_make_them(self, browser):
        at = hours_ago(2)
        count_calls("billing", "bank.example", ok=6, failed=2, at=at, step=8)
        count_calls("order", "bank.example", ok=2, at=at, step=40)
        count_calls("order", "bank.example", ok=4, at=at - timedelta(days=7))
        page = words_of(browser, "/systems/bank.example/")
        assert "External system, last 24 hours" in page
        assert "Calls 10 4 ended a week before" in page
        assert "Failed 20 % 2 of 10" in page
        assert "95 % within 18 min half within 4.3 s" in page
        assert "billing 8 2 25 % 4.3 s 4.3 s" in page
        assert "order 2 0 0 % 18 min 18 min" in page

    def test_counts_no_failing_message_of_other_incidents(self, browser):
        open_incident("bank.example", "billing")
        make_message(state="FAILED", service_name="order")
        assert "Failing now 0" in words_of(browser, "/systems/bank.example/")


class TestPermission:
    def test_is_that_for_messages(self):
        stranger = client_of()
        count_messages("billing", "OK", 1, at=hours_ago(1))
        for path in ("/services/billing/", "/systems/bank.example/"):
            assert stranger.get(path).status_code == 403
