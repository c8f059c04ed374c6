import pytest

from messages_app.cp_queue import selectors
from messages_app.cp_queue.models import CpDispatch, CpLostPickup, CpService
from messages_app.cp_queue.services.dispatch import dispatch_message
from messages_app.cp_queue.services.operators import forget_old_log
from messages_app.cp_queue.services.pickup import get_next
from messages_app.cp_queue.services.reset import reset_service
from messages_app.cp_queue.states import QUEUES
from tests.support.queues import ADA, guid_of, make_due, not_before, remaining_messages, store, store_many

pytestmark = pytest.mark.django_db


def counts_of(queue: str, **how: bool) -> selectors.QueueCounts:
    (found,) = selectors.queue_counts(queues=[queue], **how)
    return found


class TestQueueNames:
    def test_includes_the_eight_known_queues_from_the_start(self):
        assert selectors.queue_names() == sorted(QUEUES)
        assert len(QUEUES) == 8

    def test_includes_unknown_queues_with_messages(self):
        store("A", "EIGENE")
        store("B", "EIGENE", lock="W1")
        assert set(selectors.queue_names()) - set(QUEUES) == {"EIGENE"}


class TestQueueCounts:
    def test_counts_what_a_queue_holds(self, settings):
        settings.CP_MAX_ATTEMPTS = 2
        for number, osid in enumerate((1, 1, 1, 2)):
            store(f"free-{number}", osid=osid, age=f"{number + 1} hours")
        store("held", osid=3, lock="W9")
        store("waits", osid=4)
        get_next(queues="RENDITION", service="W1")
        dispatch_message(guid=guid_of("waits"), service="W1", reason="RETRY")
        found = counts_of("RENDITION")
        assert (found.total, found.free, found.reserved, found.deferred, found.parked) == (6, 5, 1, 1, 0)
        assert (found.objects, found.surplus) == (3, 2)
        assert 14_000 < found.oldest_age < 15_000
        assert (found.per_minute, found.retried, found.is_known, found.is_exact) == (0.2, 1, True, True)

    def test_counts_parked_messages(self, settings):
        settings.CP_MAX_ATTEMPTS = 1
        store("A")
        get_next(queues="RENDITION", service="W1")
        dispatch_message(guid=guid_of("A"), service="W1", reason="RETRY")
        found = counts_of("RENDITION")
        assert (found.free, found.parked, found.deferred, found.oldest_age) == (1, 1, 0, None)

    def test_ends_at_its_fence_unless_it_must_be_exact(self):
        store_many(6_000)
        found = counts_of("RENDITION")
        assert (found.free, found.is_exact) == (5_000, False)
        found = counts_of("RENDITION", exact=True)
        assert (found.free, found.is_exact) == (6_000, True)

    def test_reports_an_empty_queue_and_an_unknown_one(self):
        found = counts_of("EIGENE")
        assert (found.total, found.oldest_age, found.newest_created, found.is_known) == (0, None, None, False)

    def test_adds_up_lost_pickups(self):
        store("A", lock="W9")
        get_next(queues="RENDITION", service="W1")
        hour = CpService.objects.get().last_poll
        CpLostPickup.objects.create(queuename="RENDITION", hour=hour, service="W1", lost=3)
        CpLostPickup.objects.create(queuename="RENDITION", hour=hour, service="W2", lost=4)
        assert counts_of("RENDITION").lost == 7
        assert {state.service: state.lost for state in selectors.service_states()} == {"W1": 3, "W9": 0}


class TestServiceStates:
    def test_shows_since_when_a_service_holds_and_polled(self):
        store("A")
        get_next(queues="RENDITION", service="W1")
        (state,) = selectors.service_states()
        assert (state.service, state.reserved, state.since_unknown) == ("W1", 1, 0)
        assert state.longest_seconds < 60
        assert not state.is_probably_dead

    def test_reports_a_silent_service_as_probably_dead_if_it_holds_messages(self, settings):
        settings.CP_SILENT_SECONDS = 0.0
        store("A")
        get_next(queues="RENDITION", service="W1")
        get_next(queues="RENDITION", service="W2")
        found = {state.service: state.is_probably_dead for state in selectors.service_states()}
        assert found == {"W1": True, "W2": False}


class TestObjectMessages:
    def test_shows_what_a_pickup_would_delete_and_overlapping_work(self):
        store("A", "RENDITION", age="3 minutes")
        store("B", "RENDITION", age="1 minute")
        store("C", "RENDITION", age="1 hour", lock="W9")
        store("D", "PAGECOUNT")
        store("E", "PAGECOUNT", osid=6)
        found = {message.guid: message for message in selectors.object_messages(object_id=5)}
        assert set(found) == {guid_of(name) for name in "ABCD"}
        assert [name for name in "ABCD" if found[guid_of(name)].is_collapsible] == ["A"]
        assert [name for name in "ABCD" if found[guid_of(name)].overlaps] == ["A", "B"]
        assert found[guid_of("C")].state == "reserved"

    def test_two_services_at_one_object_overlap_each_other(self):
        store("A", lock="W1")
        store("B", lock="W2")
        store("C", "PAGECOUNT", lock="W3")
        store("D", osid=6, lock="W4")
        found = {message.guid: message.overlaps for message in selectors.object_messages(object_id=5)}
        assert found == {guid_of("A"): True, guid_of("B"): True, guid_of("C"): False}
        (other,) = selectors.object_messages(object_id=6)
        assert not other.overlaps

    def test_one_service_at_an_object_overlaps_the_free_ones_but_not_itself(self):
        store("A", lock="W1")
        store("B")
        found = {message.guid: message.overlaps for message in selectors.object_messages(object_id=5)}
        assert found == {guid_of("A"): False, guid_of("B"): True}

    def test_reports_a_message_that_waits_after_a_retry(self):
        guid = store("A")
        get_next(queues="RENDITION", service="W1")
        dispatch_message(guid=guid, service="W1", reason="RETRY")
        (message,) = selectors.object_messages(object_id=5)
        assert (message.state, message.attempts) == ("deferred", 1)
        assert message.not_before == not_before(guid)


class TestPreview:
    def test_shows_what_the_next_pickup_gives_and_reserves_nothing(self):
        store("A", age="1 minute")
        guid = store("B")
        store("C", lock="W9", age="1 hour")
        found = selectors.preview_pickup(queues="PAGECOUNT, RENDITION")
        assert (found.guid, found.collapsed, found.held_by) == (guid, 1, ["W9"])
        assert remaining_messages()[guid] is None
        assert not CpService.objects.exists()

    def test_counts_due_messages_as_free(self):
        guid = store("A")
        get_next(queues="RENDITION", service="W1")
        dispatch_message(guid=guid, service="W1", reason="RETRY")
        assert selectors.preview_pickup(queues="RENDITION") is None
        make_due(guid)
        assert selectors.preview_pickup(queues="RENDITION").guid == guid
        assert get_next(queues="RENDITION", service="W1").guid == guid


class TestForgetting:
    def test_removes_only_old_lines_of_the_log(self, settings):
        for name in ("A", "B"):
            store(name, lock="W1")
            dispatch_message(guid=guid_of(name), service="W1", reason="OK")
        old = CpDispatch.objects.get(messageguid=guid_of("A"))
        CpDispatch.objects.filter(pk=old.pk).update(at="2020-01-01T00:00:00Z")
        CpService.objects.create(service="gone", last_poll="2020-01-01T00:00:00Z", queues="RENDITION")
        CpService.objects.create(service="dead", last_poll="2020-01-01T00:00:00Z", queues="RENDITION")
        store("C", lock="dead")
        assert forget_old_log() == 1
        assert CpDispatch.objects.get().messageguid == guid_of("B")
        assert CpService.objects.get().service == "dead"
        assert reset_service(service="dead", actor=ADA) == 1
