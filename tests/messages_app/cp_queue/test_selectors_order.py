"""The figures of queues, services and objects among rows that each miss one condition, and their order."""

from datetime import timedelta
from importlib import import_module

import pytest
from django.db.models.functions import Now

from messages_app.cp_queue import selectors
from messages_app.cp_queue.models import (
    CpDispatch,
    CpLostPickup,
    CpMessage,
    CpPause,
    CpReservation,
    CpService,
)
from messages_app.cp_queue.services.dispatch import dispatch_message
from messages_app.cp_queue.services.operators import dispatch_all_for_service
from messages_app.cp_queue.services.pickup import get_next
from tests.support.queues import ADA, guid_of, make_due, remaining_messages, store

pytestmark = pytest.mark.django_db

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


def log(reason: str, outcome: str, *, minutes: float, queue: str = "RENDITION") -> None:
    """Store a line of the log, the given minutes old."""
    guid = store(f"{queue} {outcome} {minutes}", queue, lock="W1")
    dispatch_message(guid=guid, service="W1", reason=reason)
    CpMessage.objects.filter(pk=guid).delete()
    line = CpDispatch.objects.filter(messageguid=guid)
    assert line.update(at=Now() - minutes * MINUTE, outcome=outcome) == 1


def lose(queue: str, service: str, *, hours: float, lost: int) -> None:
    CpLostPickup.objects.create(queuename=queue, hour=Now() - hours * HOUR, service=service, lost=lost)


class TestQueueCounts:
    def test_are_of_one_queue_and_of_the_last_minutes(self):
        for name, queue, age, lock in (
            ("held", "RENDITION", "9 hours", "W1"),
            ("oldest", "RENDITION", "2 hours", None),
            ("newest", "RENDITION", "1 hour", None),
            ("newer", "RENDITION", "30 minutes", "W1"),
            ("other", "PAGECOUNT", "5 hours", None),
            ("future", "PAGECOUNT", "-1 hour", None),
        ):
            store(name, queue, len(name), age=age, lock=lock)
        for reason, outcome, minutes in (
            ("OK", "done", 1),
            ("bad", "failed", 2),
            ("bad", "failed", 4.9),
            ("RETRY", "deferred", 1),
            ("RETRY", "parked", 3),
            ("bad", "failed", 5.1),
        ):
            log(reason, outcome, minutes=minutes)
        log("bad", "failed", minutes=0, queue="PAGECOUNT")
        lose("RENDITION", "W1", hours=0.99, lost=1), lose("RENDITION", "W2", hours=0.5, lost=2)
        lose("RENDITION", "W3", hours=1.01, lost=4), lose("PAGECOUNT", "W1", hours=0.5, lost=8)
        CpPause.objects.create(queuename="PAGECOUNT", actor="ada")

        pages, renditions = selectors.queue_counts(queues=["RENDITION", "PAGECOUNT"])

        assert (renditions.name, pages.name) == ("RENDITION", "PAGECOUNT")
        created = dict(CpMessage.objects.values_list("messageguid", "created"))
        assert (renditions.oldest_created, renditions.newest_created) == (
            created[guid_of("oldest")],
            created[guid_of("newest")],
        )
        assert renditions.oldest_age == pytest.approx(7200, abs=60)
        assert (renditions.is_from_future, pages.is_from_future) == (False, True)
        assert (renditions.per_minute, renditions.retried, renditions.failed) == (1.0, 2, 2)
        assert (renditions.lost, pages.lost) == (3, 8)
        assert (renditions.paused_at, pages.paused_at is not None) == (None, True)
        assert (renditions.reserved, renditions.free, pages.reserved, pages.free) == (2, 2, 0, 2)


class TestHoldings:
    def test_are_in_the_order_of_services_and_queues_up_to_the_fence(self, monkeypatch):
        for number, (service, queue) in enumerate(
            [("W2", "RENDITION"), ("W1", "RENDITION"), ("W1", "PAGECOUNT"), ("W1", "RENDITION")]
        ):
            store(f"held {number}", queue, number, lock=service)
        store("free")
        holdings = [(one.service, one.queue, one.reserved) for one in selectors.count_holdings()]
        assert holdings == [("W1", "PAGECOUNT", 1), ("W1", "RENDITION", 2), ("W2", "RENDITION", 1)]
        monkeypatch.setattr(selectors, "_MAX_RESERVED", 2)
        holdings = [(one.service, one.queue, one.reserved) for one in selectors.count_holdings()]
        assert holdings == [("W1", "PAGECOUNT", 1), ("W1", "RENDITION", 1)]
        assert len(selectors.count_holdings(exact=True)) == 3


class TestServiceStates:
    def test_are_sorted_by_danger_then_by_held_messages_then_by_name(self, settings, monkeypatch):
        settings.CP_SILENT_SECONDS = 600.0
        for name, minutes in (("silent", 11), ("busy", 9), ("idle", 60), ("calm", 9)):
            CpService.objects.create(service=name, last_poll=Now() - minutes * MINUTE, queues="RENDITION,NEW")
        for number, name in enumerate(("silent", "busy", "busy", "busy", "calm", "unknown", "unknown")):
            store(f"held {number}", osid=number, lock=name)
        lose("RENDITION", "busy", hours=0.9, lost=1), lose("NEW", "busy", hours=0.1, lost=2)
        lose("PAGECOUNT", "busy", hours=0.1, lost=4), lose("NEW", "calm", hours=0.1, lost=8)
        lose("NEW", "busy", hours=1.1, lost=16)
        states = [
            (one.service, one.is_probably_dead, one.reserved, one.lost) for one in selectors.service_states()
        ]
        assert states == [
            ("unknown", True, 2, 0),
            ("silent", True, 1, 0),
            ("busy", False, 3, 3),
            ("calm", False, 1, 8),
            ("idle", False, 0, 0),
        ]
        monkeypatch.setattr(selectors, "_MAX_SERVICES", 2)
        assert len(selectors.service_states()) == 2

    def test_show_the_longest_reservation_that_is_still_the_holders(self):
        for number, minutes in enumerate((5, 9, 30, 50)):
            store(f"held {number}", osid=number)
            picked = get_next(queues="RENDITION", service="W2" if minutes == 50 else "W1")
            CpReservation.objects.filter(pk=picked.guid).update(reserved_at=Now() - minutes * MINUTE)
        # The hub has given this message to the same service again, at an unknown time.
        CpMessage.objects.filter(pk=guid_of("held 2")).update(checkguid="F" * 32)
        first, second = selectors.service_states()
        assert (first.service, first.reserved, first.since_unknown) == ("W1", 3, 1)
        assert first.longest_seconds == pytest.approx(540, abs=60)
        assert (second.service, second.longest_seconds) == ("W2", pytest.approx(3000, abs=60))


class TestObjectMessages:
    def test_are_in_the_order_of_queues_the_newest_first(self):
        for name, queue, age in (
            ("old", "RENDITION", "3 hours"),
            ("new", "RENDITION", "1 hour"),
            ("middle", "RENDITION", "2 hours"),
            ("pages", "PAGECOUNT", "4 hours"),
        ):
            store(name, queue, age=age)
        store("other object", osid=6)
        low, high = (store(name, "NEW", guid=name * 32) for name in "1F")
        CpMessage.objects.filter(pk__in=[low, high]).update(created="2026-01-01T00:00:00Z")
        guids = [message.guid for message in selectors.object_messages(object_id=5)]
        named = [guid_of(name) for name in ("pages", "new", "middle", "old")]
        assert guids == [high, low, *named]

    def test_show_a_reservation_only_of_the_present_holder(self):
        store("A")
        get_next(queues="RENDITION", service="W1")
        (message,) = selectors.object_messages(object_id=5)
        assert message.reserved_at == CpReservation.objects.get().reserved_at
        CpMessage.objects.update(checkguid="F" * 32)
        (message,) = selectors.object_messages(object_id=5)
        assert message.reserved_at is None


class TestPreview:
    def test_is_the_newest_message_of_a_queue_that_is_not_paused(self):
        store("oldest", osid=1, age="3 hours"), store("older", osid=1, age="2 hours")
        store("held here", osid=1, age="4 hours", lock="W7")
        store("held elsewhere", "NEW", 1, age="4 hours", lock="W8")
        store("same object", "NEW", 1, age="4 hours")
        store("held newer", osid=2, age="1 hour", lock="W9")
        store("paused", "PAGECOUNT", 1, age="0")
        CpPause.objects.create(queuename="PAGECOUNT", actor="ada")
        found = selectors.preview_pickup(queues="PAGECOUNT, NEW, RENDITION")
        assert (found.guid, found.queue, found.collapsed, found.held_by) == (
            guid_of("older"),
            "RENDITION",
            1,
            ["W7"],
        )

    def test_counts_a_deferred_message_only_when_it_is_due(self):
        for name in ("due", "waiting"):
            guid = store(name, osid=len(name), lock="W1", age="1 minute" if name == "due" else "0")
            dispatch_message(guid=guid, service="W1", reason="RETRY")
        store("free", osid=9, age="1 hour")
        make_due(guid_of("due"))
        assert selectors.preview_pickup(queues="RENDITION").guid == guid_of("due")


class TestDispatchAllForService:
    def test_reads_the_messages_of_the_service_in_the_order_of_their_keys(self, monkeypatch):
        module = import_module(
            "messages_app.cp_queue.services.operators"
        )  # the package has a function of this name
        monkeypatch.setattr(module, "MAX_AT_ONCE", 3)
        for name in ("other 1", "other 2", "other 3"):
            store(name, osid=1, lock="W8")
        guids = [
            store(guid[0], osid=number, lock="W9", guid=guid)
            for number, guid in enumerate(("F" * 32, "1" * 32, "8" * 32))
        ]
        outcomes = dispatch_all_for_service(service="W9", reason="OK", actor=ADA)
        assert outcomes == {"done": 3}
        assert list(CpDispatch.objects.order_by("pk").values_list("messageguid", flat=True)) == sorted(guids)
        assert set(remaining_messages().values()) == {"W8"}

    def test_dispatches_what_the_hub_gave_to_the_service_again(self):
        store("A")
        get_next(queues="RENDITION", service="W9")
        CpReservation.objects.update(reserved_at=Now())
        asked = {"service": "W9", "reason": "OK", "actor": ADA}
        before = CpReservation.objects.get().reserved_at - MINUTE
        assert dispatch_all_for_service(before=before, **asked) == {}
        CpMessage.objects.update(checkguid="F" * 32)
        assert dispatch_all_for_service(before=before, **asked) == {"done": 1}
