"""Figures that stop at a fence count the newest rows, and only rows of their own queue and object."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db.models.functions import Now

from messages_app.cp_queue import selectors, services
from messages_app.cp_queue.models import CpDeferred, CpDispatch, CpMessage, CpService
from messages_app.cp_queue.selectors import throughput
from messages_app.cp_queue.states import QUEUES
from tests.support.queues import guid_of, make_due, store

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)
OLD = datetime(2026, 5, 1, tzinfo=UTC)


def log(outcome: str, *, minutes: float, queue: str = "RENDITION") -> None:
    """Store a line of the log, the given minutes old."""
    CpDispatch.objects.create(
        at=Now() - minutes * MINUTE,
        messageguid=guid_of("gone"),
        queuename=queue,
        osid=5,
        ostype=65_537,
        created=OLD,
        service="W1",
        reason="r",
        outcome=outcome,
        collapsed=0,
        attempts=0,
    )


def retry_later(name: str, queue: str = "RENDITION", osid: int = 5, *, age: str = "0") -> str:
    """Store a message that waits after a retry."""
    guid = store(name, queue, osid, age=age, lock="W1")
    services.dispatch(guid=guid, service="W1", reason="RETRY")
    return guid


def counts_of(queue: str) -> selectors.QueueCounts:
    (counts,) = selectors.queue_counts(queues=[queue])
    return counts


class TestQueueNames:
    def test_are_all_that_have_messages_up_to_a_number(self):
        for number, queue in enumerate(("A", "A", "B", "C", "RENDITION", "Z")):
            store(f"{queue} {number}", queue)
        assert selectors.queue_names() == sorted({*QUEUES, "A", "B", "C", "Z"})
        assert set(selectors.queue_names(most=2)) == {*QUEUES, "A", "B"}


class TestQueueCounts:
    def test_count_the_newest_messages(self, monkeypatch):
        monkeypatch.setattr(selectors, "COUNTED", 2)
        for number, (osid, age) in enumerate(((1, "9 hours"), (7, "1 hour"), (7, "2 hours"), (2, "8 hours"))):
            store(f"free {number}", osid=osid, age=age)
        counts = counts_of("RENDITION")
        assert (counts.free, counts.objects, counts.surplus, counts.is_exact) == (2, 1, 1, False)

    def test_count_the_newest_messages_that_wait(self, monkeypatch):
        monkeypatch.setattr(selectors, "COUNTED", 2)
        for number, (osid, age) in enumerate(((1, "9 hours"), (7, "1 hour"), (7, "2 hours"), (2, "8 hours"))):
            retry_later(f"waits {number}", osid=osid, age=age)
        CpDeferred.objects.filter(pk=guid_of("waits 0")).update(not_before=None)
        counts = counts_of("RENDITION")
        assert (counts.free, counts.deferred, counts.parked, counts.objects) == (2, 2, 0, 1)
        assert (counts.ready, counts.is_exact) == (0, False)

    def test_are_not_exact_from_the_fence_on(self, monkeypatch):
        monkeypatch.setattr(selectors, "COUNTED", 2)
        store("A")
        assert counts_of("RENDITION").is_exact
        store("B")
        assert not counts_of("RENDITION").is_exact

    @pytest.mark.parametrize("other", ["NEW", "STORE"])
    def test_are_of_one_queue_whatever_the_names_of_others(self, other, settings):
        retry_later("waits"), retry_later("waits elsewhere", other, osid=6)
        log("failed", minutes=1), log("failed", minutes=1, queue=other), log("parked", minutes=1, queue=other)
        counts = counts_of("RENDITION")
        assert (counts.free, counts.deferred, counts.objects) == (1, 1, 1)
        assert (counts.retried, counts.failed, counts.per_minute) == (1, 1, 0.4)

    def test_use_the_time_that_the_newest_of_the_log_took(self, monkeypatch):
        monkeypatch.setattr(selectors, "_LOG_FENCE", 3)
        for minutes in (4.5, 4, 3, 2, 1):
            log("failed" if minutes > 3 else "done", minutes=minutes)
        counts = counts_of("RENDITION")
        assert (counts.per_minute, counts.failed) == (pytest.approx(1.0, abs=0.05), 0)


class TestObjectMessages:
    def test_have_no_attempts_before_a_retry(self):
        store("free", age="1 hour"), retry_later("waits")
        attempts = {one.guid: one.attempts for one in selectors.object_messages(object_id=5)}
        assert attempts == {guid_of("free"): 0, guid_of("waits"): 1}

    def test_are_collapsed_by_a_message_that_is_due_and_not_by_one_that_waits(self):
        store("free", age="1 hour"), retry_later("waits")

        def collapsible() -> list[str]:
            found = selectors.object_messages(object_id=5)
            return [one.guid for one in found if one.is_collapsible]

        assert collapsible() == [guid_of("waits")]
        make_due(guid_of("waits"))
        assert collapsible() == [guid_of("free")]


class TestObjectTypes:
    @pytest.mark.parametrize("other", ["NEW", "STORE"])
    def test_are_of_one_queue_and_of_its_first_objects(self, monkeypatch, other):
        monkeypatch.setattr(throughput, "_TYPES_FENCE", 4)
        for osid, ostype, lock in ((9, 3, None), (8, 3, None), (1, 2, "W1"), (2, 2, None), (3, 1, None)):
            store(f"{osid}", osid=osid, ostype=ostype, lock=lock)
        store("elsewhere", other, 1, ostype=1)
        found = [(one.object_type, one.messages, one.reserved) for one in selectors.object_types("RENDITION")]
        assert found == [(2, 2, 1), (1, 1, 0), (3, 1, 0)]
        monkeypatch.setattr(throughput, "_MOST", 1)
        assert [one.object_type for one in selectors.object_types("RENDITION")] == [2]


class TestOutlook:
    def test_names_the_newest_free_message_of_its_object_and_queue(self):
        guid = store("A", age="9 hours")
        for name, queue, osid, age, lock in (
            ("first", "RENDITION", 5, "8 hours", None),
            ("replaces", "RENDITION", 5, "6 hours", None),
            ("second", "RENDITION", 5, "7 hours", None),
            ("held", "RENDITION", 5, "5 hours", "W1"),
            ("elsewhere", "NEW", 5, "4 hours", None),
            ("other object", "RENDITION", 6, "3 hours", None),
            ("older", "RENDITION", 5, "10 hours", None),
        ):
            store(name, queue, osid, age=age, lock=lock)
        outlook = selectors.outlook(guid)
        assert (outlook.newer, outlook.replaced_by) == (4, guid_of("replaces"))
        assert selectors.outlook(guid_of("replaces")).replaced_by is None

    def test_counts_the_services_that_have_polled_its_queue_recently(self, settings):
        settings.CP_SILENT_SECONDS = 600.0
        guid = store("A", lock="calm")
        for name, minutes, queues in (
            ("calm", 1, "NEW,RENDITION"),
            ("busy", 9, "RENDITION"),
            ("silent", 11, "RENDITION"),
            ("elsewhere", 1, "RENDITIONS,NEW"),
        ):
            CpService.objects.create(service=name, last_poll=Now() - minutes * MINUTE, queues=queues)
        outlook = selectors.outlook(guid)
        assert (outlook.pollers, outlook.is_holder_silent) == (2, False)
        assert outlook.holder_polled_at == CpService.objects.get(pk="calm").last_poll
        CpMessage.objects.filter(pk=guid).update(lock_service="silent")
        outlook = selectors.outlook(guid)
        assert outlook.is_holder_silent
        assert outlook.holder_polled_at == CpService.objects.get(pk="silent").last_poll
        CpMessage.objects.filter(pk=guid).update(lock_service="unknown")
        assert selectors.outlook(guid).holder_polled_at is None


class TestPreview:
    def test_collapses_only_messages_of_its_object(self):
        store("A", osid=5), store("older", osid=5, age="1 hour")
        store("elsewhere", "NEW", 5, age="1 hour"), store("other object", osid=6, age="1 hour")
        retry_later("waits", osid=5, age="2 hours")
        preview = selectors.preview(queues="RENDITION")
        assert (preview.guid, preview.object_id, preview.object_type, preview.collapsed) == (
            guid_of("A"),
            5,
            65_536,
            2,
        )

    def test_reads_due_messages_of_the_asked_queues(self):
        make_due(retry_later("due elsewhere", "NEW", osid=6))
        store("free", age="1 hour")
        assert selectors.preview(queues="RENDITION").guid == guid_of("free")
        assert selectors.preview(queues="NEW,RENDITION").guid == guid_of("due elsewhere")

    def test_is_the_greater_guid_of_two_with_the_same_time(self):
        low, high = (store(name, osid=int(name, 16), guid=name * 32) for name in "1F")
        due = retry_later("due", osid=7)
        make_due(due)
        for model in (CpMessage, CpDeferred):
            model.objects.update(created=OLD)
        assert selectors.preview(queues="RENDITION").guid == max(low, high, due)
        CpMessage.objects.filter(pk=high).delete()
        assert selectors.preview(queues="RENDITION").guid == max(low, due)
        assert services.get_next(queues="RENDITION", service="W1").guid == max(low, due)


class TestPaces:
    @pytest.mark.parametrize("other", ["NEW", "STORE"])
    def test_are_of_one_queue_and_of_the_last_hour(self, monkeypatch, other):
        monkeypatch.setattr(throughput, "_FENCE", 4)
        for minutes in (70, 59, 58, 6):
            log("failed", minutes=minutes)
        for _ in range(9):
            log("failed", minutes=1, queue=other)
        log("done", minutes=-1)
        pace = selectors.paces(["RENDITION"])["RENDITION"]
        assert pace.dispatched == [2, *[0] * 8, 0, 1, 0]
        assert pace.failed == [2, *[0] * 8, 0, 1, 0]
        assert (pace.total, pace.failed_in_all, pace.known) == (3, 3, 12)
