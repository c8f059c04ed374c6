"""An action on one message or queue leaves all others as they are."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from messages_app.audit.models import AuditEntry
from messages_app.cp_queue.models import (
    CpDeferred,
    CpDispatch,
    CpFence,
    CpLostPickup,
    CpPause,
    CpReservation,
    CpRetry,
    CpService,
)
from messages_app.cp_queue.services import operators
from messages_app.cp_queue.services.dispatch import dispatch_message
from messages_app.cp_queue.services.operators import (
    delete_message,
    forget_old_log,
    pause_queue,
    resume_queue,
    send_on,
)
from messages_app.cp_queue.services.pickup import get_next
from messages_app.cp_queue.services.reset import reset_message, reset_service
from tests.support.queues import ADA, guid_of, names_left, remaining_messages, store

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


def retry_later(name: str, queue: str, osid: int) -> None:
    """Store a message that a service has dispatched with RETRY."""
    guid = store(name, queue, osid, lock="W1")
    assert dispatch_message(guid=guid, service="W1", reason="RETRY").outcome == "deferred"


@pytest.fixture
def messages() -> None:
    """Store two free messages, three deferred ones of two queues, and fences of these queues."""
    store("A", osid=1), store("B", osid=2)
    retry_later("C", "RENDITION", 3), retry_later("D", "RENDITION", 4), retry_later("E", "PAGECOUNT", 5)
    for queue in ("RENDITION", "PAGECOUNT"):
        CpFence.objects.create(queuename=queue, high=Now(), checked_at=Now() - DAY, seconds=9)


def retried() -> set[str]:
    """Return the names of the messages whose attempts are counted."""
    guids = set(CpRetry.objects.values_list("messageguid", flat=True))
    return {name for name in "ABCDE" if guid_of(name) in guids}


def fences() -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for queue, seconds in CpFence.objects.order_by("pk").values_list("queuename", "seconds"):
        found.setdefault(queue, []).append(seconds)
    return found


@pytest.mark.usefixtures("messages")
class TestDelete:
    @pytest.mark.parametrize(("name", "left", "counted"), [("A", "BCDE", "CDE"), ("C", "ABDE", "DE")])
    def test_removes_one_message_and_its_attempts(self, name, left, counted):
        delete_message(guid=guid_of(name), actor=ADA)
        assert names_left(*"ABCDE") == set(left)
        assert retried() == set(counted)
        details = AuditEntry.objects.get(subject=guid_of(name)).details
        assert (details["queue"], details["osid"]) == ("RENDITION", {"A": "1", "C": "3"}[name])


@pytest.mark.usefixtures("messages")
class TestSendOn:
    def test_frees_one_deferred_message_and_lets_pickups_read_its_queue_again(self):
        send_on(guid=guid_of("C"), actor=ADA)
        assert set(CpDeferred.objects.values_list("messageguid", flat=True)) == {guid_of("D"), guid_of("E")}
        assert names_left(*"ABCDE") == set("ABCDE")
        assert retried() == {"D", "E"}
        assert fences() == {"RENDITION": [9, 0], "PAGECOUNT": [9]}

    def test_makes_no_fence_for_a_queue_without_one(self):
        CpFence.objects.filter(queuename="PAGECOUNT").delete()
        send_on(guid=guid_of("E"), actor=ADA)
        assert fences() == {"RENDITION": [9]}


@pytest.mark.usefixtures("messages")
class TestReset:
    def test_ends_one_reservation_and_lets_pickups_read_its_queue_again(self):
        for _ in range(2):
            get_next(queues="RENDITION", service="W1")
        assert remaining_messages()[guid_of("A")] == remaining_messages()[guid_of("B")] == "W1"
        CpFence.objects.all().delete()
        for queue in ("RENDITION", "PAGECOUNT"):
            CpFence.objects.create(queuename=queue, checked_at=Now() - DAY, seconds=9)
        reset_message(guid=guid_of("A"), actor=ADA)
        assert remaining_messages()[guid_of("A")] is None
        assert remaining_messages()[guid_of("B")] == "W1"
        assert CpReservation.objects.get().messageguid == guid_of("B")
        assert fences() == {"RENDITION": [9, 0], "PAGECOUNT": [9]}


class TestResumeQueue:
    def test_resumes_one_queue_once(self):
        for queue in ("RENDITION", "PAGECOUNT"):
            assert pause_queue(queue=queue, actor=ADA, reason=f"broken {queue}")
        assert not pause_queue(queue="RENDITION", actor=ADA, reason="again")
        assert CpPause.objects.get(pk="RENDITION").reason == "broken RENDITION"
        assert resume_queue(queue="RENDITION", actor=ADA)
        assert not resume_queue(queue="RENDITION", actor=ADA)
        assert CpPause.objects.get().queuename == "PAGECOUNT"


class TestForgetOldLog:
    def test_removes_services_that_have_not_polled_for_a_month_and_hold_nothing(self):
        for name, days in (("gone", 31), ("holding", 31), ("quiet", 29)):
            CpService.objects.create(service=name, last_poll=Now() - days * DAY, queues="RENDITION")
        store("A", lock="holding"), store("B", lock="quiet"), store("C")
        forget_old_log()
        assert set(CpService.objects.values_list("service", flat=True)) == {"holding", "quiet"}
        store("D", lock="gone")
        reset_service(service="quiet", actor=ADA)
        forget_old_log()
        assert set(CpService.objects.values_list("service", flat=True)) == {"holding", "quiet"}

    def test_removes_dispatches_in_batches_up_to_the_age_of_the_settings(self, settings, monkeypatch):
        settings.CP_LOG_DAYS = 10
        monkeypatch.setattr(operators, "_BATCH", 2)
        for days in (12, 11, 11, 9, 1):
            guid = store(f"days-{days}-{CpDispatch.objects.count()}", lock="W1")
            dispatch_message(guid=guid, service="W1", reason="OK")
            CpDispatch.objects.filter(messageguid=guid).update(at=Now() - days * DAY)
        assert forget_old_log() == 3
        assert CpDispatch.objects.filter(at__gt=Now() - 10 * DAY).count() == CpDispatch.objects.count() == 2

    def test_keeps_lost_pickups_of_a_week(self):
        for days in (7.1, 6.9):
            hour = Now() - days * DAY
            CpLostPickup.objects.create(queuename="RENDITION", hour=hour, service="W1", lost=days * 10)
        forget_old_log()
        assert CpLostPickup.objects.get().lost == 69
