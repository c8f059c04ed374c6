from datetime import timedelta

import pytest
from django.db.models.functions import Now

from messages_app.core.clock import database_clock
from messages_app.cp_queue.models import CpPause, CpService
from messages_app.cp_queue.selectors import pickup_forecast
from messages_app.cp_queue.selectors.pickup_forecast import (
    Reason,
    dispatches_of,
    find_message,
    forecast_message,
    queue_of,
    queues_of,
    reasons_for,
)
from messages_app.cp_queue.services.dispatch import dispatch_message
from messages_app.cp_queue.services.operators import pause_queue
from messages_app.cp_queue.services.pickup import get_next
from tests.support.queues import ADA, guid_of, make_due, store

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


def reasons_of(guid: str) -> list[Reason]:
    """Return the sentences on where a message is."""
    return reasons_for(find_message(guid), forecast_message(guid), now=database_clock())


def why(guid: str) -> str:
    """Return all that is said about where a message is."""
    return " ".join(reason.sentence for reason in reasons_of(guid))


def defer(name: str, *, osid: int) -> None:
    """Store a message that waits after a retry."""
    dispatch_message(guid=store(name, osid=osid, lock="W8"), service="W8", reason="RETRY")


class TestOutlook:
    def test_is_missing_for_a_message_that_no_longer_exists(self):
        assert forecast_message(guid_of("A")) is None
        assert find_message(guid_of("A")) is None

    def test_counts_messages_before_it(self):
        guid = store("A", osid=1, age="1 hour")
        store("B", osid=2)
        store("C", "PAGECOUNT", osid=3)
        store("D", osid=4, lock="W1")
        assert forecast_message(guid).newer == 1

    def test_counts_only_newer_free_messages_of_its_queue(self):
        low, guid, high = (store(name, osid=1, guid=name * 32, age="1 hour") for name in "159")
        store("older", osid=2, age="2 hours")
        store("held", osid=3, lock="W1")
        store("elsewhere", "PAGECOUNT", osid=4)
        defer("waits", osid=5)
        assert [forecast_message(each).newer for each in (low, guid, high)] == [2, 1, 0]
        store("newer", osid=6), store("newest", osid=7, age="-1 hour")
        assert forecast_message(guid).newer == 3

    def test_counts_newer_messages_up_to_a_limit(self, monkeypatch):
        guid = store("A", age="1 hour")
        for number in range(4):
            store(f"B{number}", osid=number)
        monkeypatch.setattr(pickup_forecast, "_FENCE", 3)
        assert forecast_message(guid).newer == 3

    def test_names_the_newest_free_message_of_its_object_in_its_queue_that_replaces_it(self):
        low, guid = (store(name, guid=name * 32, age="1 hour") for name in "15")
        store("older", age="2 hours")
        store("held", lock="W1")
        store("elsewhere", "PAGECOUNT")
        store("other object", osid=6)
        defer("waits", osid=5)
        assert forecast_message(guid).replaced_by is None
        assert forecast_message(low).replaced_by == guid
        high = store("9", guid="9" * 32, age="1 hour")
        assert forecast_message(guid).replaced_by == high
        assert forecast_message(low).replaced_by == high
        store("newer", age="10 minutes")
        newest = store("newest", age="5 minutes")
        assert forecast_message(guid).replaced_by == newest

    def test_is_of_the_pause_of_its_own_queue(self):
        guid, other = store("A"), store("B", "PAGECOUNT")
        pause_queue(queue="PAGECOUNT", actor=ADA, reason="r")
        pause = CpPause.objects.get()
        assert forecast_message(guid).paused_at is None
        assert forecast_message(other).paused_at == pause.paused_at

    def test_counts_services_that_polled_its_queue_within_the_silence(self, settings):
        settings.CP_SILENT_SECONDS = 600.0
        for name, minutes, queues in (
            ("one", 9, "NEW,RENDITION"),
            ("two", 0, "RENDITION"),
            ("silent", 11, "RENDITION"),
            ("elsewhere", 1, "PAGECOUNT,RENDITION2"),
        ):
            CpService.objects.create(service=name, last_poll=Now() - minutes * MINUTE, queues=queues)
        assert forecast_message(store("A")).pollers == 2

    @pytest.mark.parametrize(("minutes", "is_silent"), [(9, False), (11, True)])
    def test_is_of_the_last_poll_of_the_holder(self, settings, minutes, is_silent):
        settings.CP_SILENT_SECONDS = 600.0
        holder = CpService.objects.create(service="W1", last_poll=Now() - minutes * MINUTE, queues="NEW")
        CpService.objects.create(service="W2", last_poll=Now() - 10 * MINUTE, queues="RENDITION")
        holder.refresh_from_db()
        held = forecast_message(store("A", lock="W1"))
        assert (held.holder_polled_at, held.is_holder_silent) == (holder.last_poll, is_silent)
        unknown = forecast_message(store("B", lock="W3"))
        assert (unknown.holder_polled_at, unknown.is_holder_silent) == (None, True)
        assert forecast_message(store("C")).holder_polled_at is None

    @pytest.mark.parametrize(("age", "is_from_future"), [("1 minute", False), ("-1 minute", True)])
    def test_names_a_message_from_the_future(self, age, is_from_future):
        assert forecast_message(store("A", age=age)).is_from_future is is_from_future


class TestReasonsFor:
    def test_name_who_holds_it_and_whether_that_one_is_alive(self):
        store("A")
        picked = get_next(queues="RENDITION", service="cache-1")
        said = why(picked.guid)
        assert "cache-1 holds it for 0 s" in said
        assert "it is alive" in said

    def test_do_not_invent_the_start_of_a_reservation(self):
        said = why(store("A", lock="elsewhere"))
        assert "has never polled here" in said
        assert "The start time is unknown" in said

    def test_report_that_no_service_polls_and_that_the_queue_is_paused(self):
        guid = store("A")
        pause_queue(queue="RENDITION", actor=ADA, reason="r")
        said = why(guid)
        assert said.startswith("The queue has been paused")
        assert "No service has polled this queue" in said

    def test_show_which_messages_go_first(self):
        old = store("A", osid=1, age="1 hour")
        other, newest = store("B", osid=2, age="1 minute"), store("C", osid=1)
        assert "A newer message of its object is also free" in reasons_of(old)[-1].sentence
        assert "1 newer message in its queue before this one" in reasons_of(other)[-1].sentence
        assert "goes next" in reasons_of(newest)[-1].sentence
        assert [reasons_of(guid)[-1].newer for guid in (old, other, newest)] == [newest, None, None]

    def test_show_how_long_it_waits_after_a_retry(self, settings):
        guid = store("A", lock="W1")
        dispatch_message(guid=guid, service="W1", reason="RETRY")
        assert "It was tried 1 time and waits" in why(guid)

    def test_report_that_it_is_due_again(self):
        guid = store("A", lock="W1")
        dispatch_message(guid=guid, service="W1", reason="RETRY")
        make_due(guid)
        assert "is due again" in why(guid)

    def test_report_that_it_is_parked(self, settings):
        settings.CP_MAX_ATTEMPTS = 1
        guid = store("A", lock="W1")
        dispatch_message(guid=guid, service="W1", reason="RETRY")
        assert "is parked" in why(guid)

    def test_report_that_it_is_from_the_future(self):
        assert "in the future" in why(store("A", age="-1 hour"))


class TestDispatchesOf:
    def test_are_found_after_the_message_is_gone(self):
        guid = store("A", lock="W1")
        dispatch_message(guid=guid, service="W1", reason="no such file")
        assert [line.reason for line in dispatches_of(guid)] == ["no such file"]


class TestQueuesOf:
    def test_a_message_is_that_of_its_row_or_else_of_its_dispatch(self):
        store("c", "RENDITION"), store("b", "NEW", lock="W1"), store("a", "NEW")
        for name, queue in (("a", "STORE"), ("b", "NEW")):
            store(f"log {name}", queue, lock="W1")
            dispatch_message(guid=guid_of(f"log {name}"), service="W1", reason="OK")
        assert queue_of(guid_of("c").lower()) == "RENDITION"
        assert queue_of(guid_of("log a").lower()) == "STORE"
        assert queue_of(guid_of("z")) is None
        asked = [guid_of("c"), guid_of("a").lower(), guid_of("log b"), guid_of("z"), "no guid"]
        assert queues_of(asked) == dict(zip(asked, ["RENDITION", "NEW", "NEW", None, None], strict=True))
