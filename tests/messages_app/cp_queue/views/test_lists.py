from datetime import UTC, datetime, timedelta

import pytest

from messages_app.cp_queue.selectors import throughput
from messages_app.cp_queue.services.dispatch import dispatch_message
from tests.support.page_client import client_of, text_of
from tests.support.queues import guid_of, store

pytestmark = pytest.mark.django_db
MESSAGES, LOG = "/cp-queue/messages/", "/cp-queue/dispatches/"


def shown(page: str, *names: str) -> set[str]:
    """Return which of these messages a page leads to."""
    return {name for name in names if f"/messages/{guid_of(name)}/" in page}


class TestMessageList:
    def test_narrows_by_its_filters(self):
        store("A", age="1 hour")
        store("B", "PAGECOUNT", osid=6)
        store("C", osid=7, lock="W1")
        client = client_of("support")
        for asked, expected in (
            ({}, {"A", "B", "C"}),
            ({"queuename": "PAGECOUNT"}, {"B"}),
            ({"osid": "5"}, {"A"}),
            ({"state": "reserved"}, {"C"}),
            ({"lock_service": "W1"}, {"C"}),
            ({"created_to": "-30m"}, {"A"}),
        ):
            assert shown(text_of(client.get(MESSAGES, asked)), "A", "B", "C") == expected, asked

    def test_pages_by_its_order(self):
        for number in range(3):
            store(f"A{number}", osid=number, age=f"{number} minutes")
        client = client_of("support")
        page = client.get(MESSAGES, {"page_size": "2", "ordering": "created"})
        assert shown(text_of(page), "A0", "A1", "A2") == {"A1", "A2"}
        # Two minutes and one, on the scale from five seconds to a week.
        older, younger = [age for _, age in page.context["lines"]]
        assert 20 < younger < older < 40
        newer = page.context["newer"]
        assert shown(text_of(client.get(MESSAGES + newer)), "A0", "A1", "A2") == {"A0"}

    def test_reports_that_the_queue_is_empty(self):
        assert "The queue is empty" in text_of(client_of("support").get(MESSAGES))


class TestDispatchList:
    def test_shows_the_outcome_of_messages_and_draws_it(self):
        for name, reason in (("A", "OK"), ("B", "no such file")):
            dispatch_message(guid=store(name, lock="W1"), service="W1", reason=reason)
        client = client_of("support")
        page = text_of(client.get(LOG))
        assert shown(page, "A", "B") == {"A", "B"}
        assert "no such file" in page
        assert '<rect data-state="failed"' in page
        assert shown(text_of(client.get(LOG, {"outcome": "failed"})), "A", "B") == {"B"}

    def test_finds_none_before_there_are_any(self):
        assert "No dispatches yet" in text_of(client_of("support").get(LOG))

    def test_draws_the_range_of_its_filter_or_the_last_hour(self, monkeypatch):
        for name in ("A", "B"):
            dispatch_message(guid=store(name, lock="W1"), service="W1", reason="OK")
        client = client_of("support")
        usual = client.get(LOG).context["picture"].histogram
        assert (usual.stop - usual.start, usual.note) == (timedelta(hours=1), "")
        monkeypatch.setattr(throughput, "_LOG_FENCE", 1)
        asked = {"at_from": "2026-01-01T02:00Z", "at_to": "2026-01-01T08:00Z", "service": "W1"}
        shown = client.get(LOG, asked).context["picture"].histogram
        day = datetime(2026, 1, 1, tzinfo=UTC)
        assert (shown.start, shown.stop) == (day + timedelta(hours=2), day + timedelta(hours=8))
        assert shown.note == "only the newest are shown"

    def test_draws_a_range_that_is_far_back(self):
        dispatch_message(guid=store("A", lock="W1"), service="W1", reason="OK")
        page = text_of(client_of("support").get(LOG, {"at_from": "2020-01-01", "at_to": "2020-01-02"}))
        assert shown(page, "A") == set()
