import pytest

from messages_app.core.clock import database_clock
from messages_app.cp_queue import selectors, services
from tests.support.queues import ADA, guid_of, make_due, store

pytestmark = pytest.mark.django_db


def why(guid: str) -> str:
    """Return all that is said about where a message is."""
    message = selectors.find_message(guid)
    return " ".join(selectors.reasons_for(message, selectors.outlook(guid), now=database_clock()))


class TestOutlook:
    def test_is_none_for_a_message_that_no_longer_exists(self):
        assert selectors.outlook(guid_of("A")) is None
        assert selectors.find_message(guid_of("A")) is None

    def test_counts_messages_before_it(self):
        guid = store("A", osid=1, age="1 hour")
        store("B", osid=2)
        store("C", "PAGECOUNT", osid=3)
        store("D", osid=4, lock="W1")
        assert selectors.outlook(guid).newer == 1


class TestReasonsFor:
    def test_name_who_holds_it_and_whether_that_one_is_alive(self):
        store("A")
        picked = services.get_next(queues="RENDITION", service="cache-1")
        said = why(picked.guid)
        assert "cache-1 holds it for 0 s" in said
        assert "it is alive" in said

    def test_do_not_invent_the_start_of_a_reservation(self):
        said = why(store("A", lock="elsewhere"))
        assert "has never polled here" in said
        assert "The start time is unknown" in said

    def test_report_that_no_service_polls_and_that_the_queue_is_paused(self):
        guid = store("A")
        services.pause_queue(queue="RENDITION", actor=ADA, reason="r")
        said = why(guid)
        assert said.startswith("The queue has been paused")
        assert "No service has polled this queue" in said

    def test_show_which_messages_go_first(self):
        old = store("A", osid=1, age="1 hour")
        other, newest = store("B", osid=2, age="1 minute"), store("C", osid=1)
        assert "A newer message of its object is also free" in why(old)
        assert "1 newer message in its queue before this one" in why(other)
        assert "goes next" in why(newest)

    def test_show_how_long_it_waits_after_a_retry(self, settings):
        guid = store("A", lock="W1")
        services.dispatch(guid=guid, service="W1", reason="RETRY")
        assert "It was tried 1 time and waits" in why(guid)

    def test_report_that_it_is_due_again(self):
        guid = store("A", lock="W1")
        services.dispatch(guid=guid, service="W1", reason="RETRY")
        make_due(guid)
        assert "is due again" in why(guid)

    def test_report_that_it_is_parked(self, settings):
        settings.CP_MAX_ATTEMPTS = 1
        guid = store("A", lock="W1")
        services.dispatch(guid=guid, service="W1", reason="RETRY")
        assert "is parked" in why(guid)

    def test_report_that_it_is_from_the_future(self):
        assert "in the future" in why(store("A", age="-1 hour"))


class TestDispatchesOf:
    def test_are_found_after_the_message_is_gone(self):
        guid = store("A", lock="W1")
        services.dispatch(guid=guid, service="W1", reason="no such file")
        assert [line.reason for line in selectors.dispatches_of(guid)] == ["no such file"]


class TestQueuesOf:
    def test_a_message_is_that_of_its_row_or_else_of_its_dispatch(self):
        store("c", "RENDITION"), store("b", "NEW", lock="W1"), store("a", "NEW")
        for name, queue in (("a", "STORE"), ("b", "NEW")):
            store(f"log {name}", queue, lock="W1")
            services.dispatch(guid=guid_of(f"log {name}"), service="W1", reason="OK")
        assert selectors.queue_of(guid_of("c").lower()) == "RENDITION"
        assert selectors.queue_of(guid_of("log a").lower()) == "STORE"
        assert selectors.queue_of(guid_of("z")) is None
        asked = [guid_of("c"), guid_of("a").lower(), guid_of("log b"), guid_of("z"), "no guid"]
        assert selectors.queues_of(asked) == dict(
            zip(asked, ["RENDITION", "NEW", "NEW", None, None], strict=True)
        )
