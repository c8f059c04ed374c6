"""
A service gets the right message; others are deleted or stay.

Source: docs/contributing/spec/cp_queue.md, "Pickup".
"""

import time
from collections.abc import Iterator
from functools import partial

import psycopg
import pytest
from django.db import connection

from messages_app.cp_queue.models import CpLostPickup, CpMessage, CpReservation, CpService
from messages_app.cp_queue.parameters import InvalidParameter
from messages_app.cp_queue.services.dispatch import dispatch_message
from messages_app.cp_queue.services.pickup import get_next
from tests.support.queues import guid_of, make_due, names_left, remaining_messages, store, store_many
from tests.support.threads import in_threads
from tests.support.workers import database_of_tests

pytestmark = pytest.mark.django_db(transaction=True)

TAKE_TURN = "SELECT pg_advisory_lock(hashtextextended('cp_turn:RENDITION', 0))"


def picked(queues: str = "RENDITION", service: str = "W1") -> str | None:
    found = get_next(queues=queues, service=service)
    return found and found.guid


@pytest.fixture
def another_session() -> Iterator[psycopg.Connection]:
    with psycopg.connect(database_of_tests()["DATABASE_URL"], autocommit=True) as session:
        yield session


@pytest.fixture
def example() -> None:
    """The worked example of 3.4."""
    store("A", "R", 5, age="6 minutes")
    store("B", "R", 5, age="1 minute")
    store("C", "R", 7, age="3 minutes")
    store("D", "R", 5, age="1 hour", lock="W9")
    store("E", "F", 5, age="0")


class TestGetNext:
    def test_returns_the_newest_and_collapses_its_object(self, example):
        assert picked("R") == guid_of("B")
        assert names_left("A", "B", "C", "D", "E") == {"B", "C", "D", "E"}
        assert remaining_messages()[guid_of("D")] == "W9"

    def test_returns_the_newest_over_all_queues(self, example):
        found = get_next(queues="R,F", service="W1")
        assert (found.guid, found.queue, found.collapsed) == (guid_of("E"), "F", 0)
        assert names_left("A", "B") == {"A", "B"}
        assert picked("R", "W2") == guid_of("B")

    def test_returns_nothing_if_nothing_is_free(self):
        store("A", lock="W9")
        assert picked() is None
        assert not CpLostPickup.objects.exists()

    def test_returns_the_highest_guid_of_equal_times(self):
        low, high = store("low", osid=1, guid="0" * 32), store("high", osid=2, guid="F" * 32)
        with connection.cursor() as cursor:
            cursor.execute("UPDATE oscpmqueue SET created = '2026-11-21T10:00:00Z'")
        assert [picked(), picked(), picked()] == [high, low, None]

    def test_notes_the_reservation_next_to_the_vendors_columns(self):
        store("A", age="1 minute")
        store("B")
        found = get_next(queues="RENDITION", service="W1", wants_token=True)
        message, reservation = CpMessage.objects.get(), CpReservation.objects.get()
        assert message.lock_service == reservation.service == "W1"
        assert message.checkguid == reservation.checkguid == found.token
        assert (reservation.collapsed, reservation.is_fenced) == (1, True)

    def test_returns_no_token_that_was_not_requested(self):
        store("A")
        assert get_next(queues="RENDITION", service="W1").token is None

    def test_records_services_with_the_queues_of_their_polls(self):
        get_next(queues=" PAGECOUNT ,RENDITION,,PAGECOUNT", service="W1")
        assert CpService.objects.get().queues == "PAGECOUNT,RENDITION"

    def test_brings_back_due_messages_before_it_selects_one(self):
        store("old", osid=1, age="1 hour")
        newer = store("newer", osid=2, age="1 minute")
        assert picked() == newer
        dispatch_message(guid=newer, service="W1", reason="RETRY")
        make_due(newer)
        assert picked() == newer

    def test_collapses_messages_that_wait_after_a_retry(self):
        old = store("old", age="1 minute")
        picked()
        dispatch_message(guid=old, service="W1", reason="RETRY")
        store("new")
        found = get_next(queues="RENDITION", service="W1")
        assert (found.guid, found.collapsed) == (guid_of("new"), 1)
        assert remaining_messages() == {found.guid: "W1"}

    @pytest.mark.parametrize(
        "queues", ["", " , ,", "x" * 129, "a\nb", "a\0b", ",".join(map(str, range(101)))]
    )
    def test_refuses_a_list_of_no_queues(self, queues):
        with pytest.raises(InvalidParameter) as refused:
            get_next(queues=queues, service="W1")
        assert refused.value.field == "QueueNames"
        assert not CpService.objects.exists()

    @pytest.mark.parametrize("service", ["", "  ", "x" * 129, "a\nb", "a\0b"])
    def test_refuses_an_invalid_name(self, service):
        with pytest.raises(InvalidParameter):
            get_next(queues="RENDITION", service=service)


class TestTurns:
    """Pickups of one message at a queue take turns. Source: docs/contributing/spec/cp_queue.md, "Pickup"."""

    def test_let_services_that_poll_together_get_messages(self):
        store_many(400)

        def pick_fifty(service: str) -> int:
            return sum(picked(service=service) is not None for _ in range(50))

        taken = sum(in_threads(*(partial(pick_fifty, f"W{number}") for number in range(8))))
        # On a busy machine a turn may last longer than a pickup waits, so that a pickup can be lost.
        assert 380 <= taken <= 400
        assert sum(each.lost for each in CpLostPickup.objects.all()) == 400 - taken

    def test_never_deadlock_if_services_list_queues_in_another_order(self):
        def pick_fifty(queues: str, service: str) -> int:
            return sum(picked(queues, service) is not None for _ in range(50))

        def seconds_of(*lists: str) -> float:
            for queue in lists[0].split(","):
                store_many(100, queue)
            began = time.monotonic()
            taken = in_threads(*(partial(pick_fifty, queues, f"W{n}") for n, queues in enumerate(lists * 2)))
            seconds = time.monotonic() - began
            assert 180 <= sum(taken) <= 200
            return seconds

        same_order = other_order = 0.0
        for n in range(4):
            same_order += seconds_of(f"A{n},B{n}", f"A{n},B{n}")
            other_order += seconds_of(f"C{n},D{n}", f"D{n},C{n}")
        # A deadlock would last for as long as a pickup waits, 0.1 s, again and again.
        assert other_order < 3 * same_order

    def test_slow_reads_are_abandoned_after_100_ms(self, another_session):
        guid = store("A")
        another_session.execute(TAKE_TURN)
        began = time.monotonic()
        assert picked() == guid
        assert 0.09 < time.monotonic() - began < 2

    def test_do_not_delay_other_queues(self, another_session):
        guids = {store(f"A{osid}", "FULLTEXTIDX", osid) for osid in range(5)}
        another_session.execute(TAKE_TURN)
        seconds = []
        for _ in range(5):
            began = time.monotonic()
            guids.remove(picked("FULLTEXTIDX"))
            seconds.append(time.monotonic() - began)
        # The fastest, because a busy machine delays a pickup, too.
        assert min(seconds) < 0.09
