"""
The twenty-two hard cases of docs/contributing/spec/cp_queue.md, "Hard cases", through the services and
through the API.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction

from messages_app.cp_queue import selectors
from messages_app.cp_queue.models import CpDispatch, CpLostPickup, CpMessage, CpReservation
from messages_app.cp_queue.services.pickup import get_next
from tests.messages_app.cp_queue.callers import ByApi, ByServices
from tests.support.eventually import eventually
from tests.support.parameters import quick_first
from tests.support.queues import (
    guid_of,
    make_due,
    names_left,
    not_before,
    remaining_messages,
    store,
    store_many,
)
from tests.support.threads import in_threads
from tests.support.workers import database_of_tests

pytestmark = pytest.mark.django_db(transaction=True)

EMPTY = {"return_code": 0, "MessageGUID": ""}


@pytest.fixture(params=quick_first([ByApi, ByServices]), ids=["api", "services"])
def hub(request, transactional_db) -> ByServices | ByApi:
    return request.param()


@contextmanager
def being_picked(guid: str, service: str = "W2") -> Iterator[psycopg.Connection]:
    """Hold a message as another service does between its update and its commit."""
    with psycopg.connect(database_of_tests()["DATABASE_URL"]) as other:
        other.execute(
            "UPDATE oscpmqueue SET lock_service = %s, checkguid = %s WHERE messageguid = %s",
            [service, guid_of("check"), guid],
        )
        yield other


# The number of the advisory lock for which a pickup waits between its two steps.
_HELD = 6_006


@contextmanager
def held_after_reserving() -> Iterator[Callable[[], object]]:
    """Let each pickup wait after it has reserved its message, until the function is called."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION hold_pickup() RETURNS trigger LANGUAGE plpgsql AS"
            f" $$ BEGIN PERFORM pg_advisory_xact_lock({_HELD}); RETURN NULL; END $$;"
            "CREATE TRIGGER hold_pickup AFTER UPDATE ON oscpmqueue"
            " FOR EACH ROW EXECUTE FUNCTION hold_pickup()"
        )
    try:
        with psycopg.connect(database_of_tests()["DATABASE_URL"]) as other:
            other.execute("SELECT pg_advisory_xact_lock(%s)", [_HELD])
            yield other.rollback
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TRIGGER hold_pickup ON oscpmqueue; DROP FUNCTION hold_pickup()")


def is_pickup_held() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE objid = %s AND NOT granted)", [_HELD])
        return cursor.fetchone()[0]


def run_and_close(work: Callable[[], dict]) -> dict:
    try:
        return work()
    finally:
        connection.close()


class TestTheCaseOf:
    def test_1_two_workers_and_one_message(self, hub):
        guid = store("A")
        answers = in_threads(*[lambda name=name: hub.get_next(service=name) for name in ("W1", "W2")])
        assert sorted(answer["MessageGUID"] for answer in answers) == ["", guid]

    def test_2_the_loser_of_a_race_gets_nothing_though_another_is_free(self, hub):
        newest, other = store("A", osid=1), store("B", osid=2, age="1 minute")
        with being_picked(newest) as winner:
            assert hub.get_next() == EMPTY
            assert remaining_messages()[other] is None
            winner.commit()
        assert CpLostPickup.objects.get().lost == 1
        assert hub.get_next()["MessageGUID"] == other

    def test_3_many_messages_of_one_moment(self, hub):
        store_many(20)
        CpMessage.objects.update(created="2026-11-21T10:00:00Z")
        picked = [hub.get_next()["MessageGUID"] for _ in range(20)]
        assert picked == sorted(remaining_messages(), reverse=True)
        assert hub.get_next() == EMPTY

    def test_3_many_messages_of_one_moment_in_two_queues(self, hub):
        store_many(10, "RENDITION")
        store_many(10, "PAGECOUNT")
        CpMessage.objects.update(created="2026-11-21T10:00:00Z")
        picked = [hub.get_next(queues="RENDITION,PAGECOUNT")["MessageGUID"] for _ in range(20)]
        assert picked == sorted(remaining_messages(), reverse=True)

    def test_4_three_messages_of_one_object(self, hub):
        store("A", age="3 minutes")
        store("B", age="1 minute")
        store("C", age="2 minutes")
        assert hub.get_next()["MessageGUID"] == guid_of("B")
        assert remaining_messages() == {guid_of("B"): "W1"}

    def test_5_an_object_that_another_service_works_on(self, hub):
        store("A", age="1 hour", lock="W9")
        store("B")
        assert hub.get_next()["MessageGUID"] == guid_of("B")
        assert remaining_messages() == {guid_of("A"): "W9", guid_of("B"): "W1"}
        found = {message.guid: message for message in selectors.object_messages(object_id=5)}
        assert found[guid_of("A")].service == "W9"
        assert found[guid_of("B")].service == "W1"

    def test_6_a_message_created_during_the_pickup(self, hub):
        """Whenever it comes: it is collapsed before the worker reads, or left; never lost with old state."""
        for number in range(20):
            store(f"old-{number}", osid=number, age="1 minute")
            found, created = in_threads(
                hub.get_next, lambda number=number: hub.create(number, CreateRenditionMessages=True)
            )
            assert created == 1
            rows = CpMessage.objects.filter(osid=number)
            held = rows.exclude(lock_service=None)
            assert [row.pk for row in held] == [found["MessageGUID"]]
            fresh_is_held = found["MessageGUID"] != guid_of(f"old-{number}")
            assert rows.filter(lock_service=None).count() == (0 if fresh_is_held else 1)
            CpMessage.objects.all().delete()

    def test_6_a_message_created_between_reserving_and_collapsing_is_left(self, hub):
        store("old", age="1 minute")
        with held_after_reserving() as release, ThreadPoolExecutor(1) as pool:
            pickup = pool.submit(run_and_close, hub.get_next)
            assert eventually(is_pickup_held)
            store("fresh")
            release()
            assert pickup.result()["MessageGUID"] == guid_of("old")
        assert remaining_messages() == {guid_of("old"): "W1", guid_of("fresh"): None}

    def test_7_a_failure_between_reserving_and_collapsing(self, hub):
        store("A", age="1 minute")
        store("B")
        with connection.cursor() as cursor:
            cursor.execute(
                "CREATE FUNCTION refuse_delete() RETURNS trigger LANGUAGE plpgsql AS"
                " $$ BEGIN RAISE EXCEPTION 'no'; END $$;"
                "CREATE TRIGGER refuse_delete BEFORE DELETE ON oscpmqueue"
                " FOR EACH ROW EXECUTE FUNCTION refuse_delete()"
            )
        try:
            with pytest.raises(DatabaseError), transaction.atomic():
                get_next(queues="RENDITION", service="W1")
        finally:
            with connection.cursor() as cursor:
                cursor.execute("DROP TRIGGER refuse_delete ON oscpmqueue; DROP FUNCTION refuse_delete()")
        assert remaining_messages() == {guid_of("A"): None, guid_of("B"): None}
        assert not CpReservation.objects.exists()
        assert hub.get_next()["MessageGUID"] == guid_of("B")

    def test_8_a_reset_that_races_with_a_dispatch(self, hub):
        for number in range(20):
            guid = store(f"A-{number}", osid=number)
            hub.get_next()
            outcome, released = in_threads(lambda guid=guid: hub.dispatch(guid), hub.reset_service)
            assert (outcome, released) in {("done", 0), ("not_reserved", 1)}
            assert (guid in remaining_messages()) == (released == 1)
            CpMessage.objects.all().delete()

    def test_9_a_late_dispatch_after_another_has_picked_the_message(self, hub):
        guid = store("A")
        hub.get_next(service="W1")
        assert hub.reset_service("W1") == 1
        assert hub.get_next(service="W2")["MessageGUID"] == guid
        assert hub.dispatch(guid, "W1") == "not_owner"
        assert remaining_messages() == {guid: "W2"}

    def test_10_a_reset_of_an_old_message_next_to_a_newer_one(self, hub):
        store("A", age="1 hour", lock="W9")
        store("B")
        assert hub.reset_service("W9") == 1
        assert hub.get_next()["MessageGUID"] == guid_of("B")
        assert names_left("A", "B") == {"B"}

    def test_11_an_index_and_a_delete_of_one_object(self, hub):
        store("index", "FULLTEXTIDX", age="1 minute")
        store("delete", "FULLTEXTDELETE")
        queues = "FULLTEXTIDX,FULLTEXTDELETE"
        assert [hub.get_next(queues)["QueueName"] for _ in range(2)] == ["FULLTEXTDELETE", "FULLTEXTIDX"]

    def test_12_a_poison_message(self, hub, settings):
        settings.CP_MAX_ATTEMPTS, settings.CP_RETRY_SECONDS = 3, 60.0
        poison, other = store("A", osid=1), store("B", osid=2, age="1 hour")
        for outcome in ("deferred", "deferred"):
            assert hub.get_next()["MessageGUID"] == poison
            assert hub.dispatch(poison, reason="RETRY") == outcome
            assert remaining_messages()[poison] is None
            make_due(poison)
        assert hub.get_next()["MessageGUID"] == poison
        assert hub.dispatch(poison, reason="retry") == "parked"
        assert hub.get_next()["MessageGUID"] == other
        assert hub.get_next() == EMPTY
        assert not_before(poison) is None
        assert CpMessage.objects.get(pk=poison).lock_service is None

    def test_13_old_messages_under_a_steady_load(self, hub):
        store("old", osid=1, age="2 hours")
        for number in range(5):
            hub.create(10 + number, CreateRenditionMessages=True)
            assert hub.get_next()["ObjectID"] == 10 + number
        (counts,) = selectors.queue_counts(queues=["RENDITION"])
        assert counts.oldest_age > 7_000
        hub.create(1, CreateRenditionMessages=True)
        assert hub.get_next()["ObjectID"] == 1
        assert names_left("old") == set()

    def test_14_a_message_from_the_future(self, hub):
        store("A", osid=1, age="-1 hour")
        hub.create(2, CreateRenditionMessages=True)
        (counts,) = selectors.queue_counts(queues=["RENDITION"])
        assert counts.is_from_future
        assert hub.get_next()["MessageGUID"] == guid_of("A")

    def test_15_a_worker_of_two_queues(self, hub):
        store("A", "PAGECOUNT", osid=1, age="1 minute")
        store("B", "RENDITION", osid=2, age="2 minutes")
        store("C", "PAGECOUNT", osid=3, age="3 minutes")
        found = [hub.get_next("RENDITION,PAGECOUNT")["QueueName"] for _ in range(3)]
        assert found == ["PAGECOUNT", "RENDITION", "PAGECOUNT"]

    def test_16_an_empty_answer(self, hub):
        assert hub.get_next() == EMPTY

    def test_17_a_creation_of_nothing(self, hub):
        assert hub.create() == 0
        assert not CpMessage.objects.exists()

    def test_18_the_same_creation_twice(self, hub):
        flags = {"CreateFulltextIdxMessages": True, "CreateRenditionMessages": True}
        assert [hub.create(**flags), hub.create(**flags)] == [2, 2]
        assert CpMessage.objects.count() == 4
        assert CpMessage.objects.values("created").distinct().count() == 2
        hub.get_next()
        assert CpMessage.objects.filter(queuename="RENDITION").count() == 1

    def test_19_one_object_of_two_types(self, hub):
        store("A", age="1 minute", ostype=65_536)
        store("B", ostype=131_072)
        assert hub.get_next()["ObjectType"] == 131_072
        assert names_left("A", "B") == {"B"}

    def test_20_names_that_differ_a_little(self, hub):
        guid = store("A", lock="W1")
        assert [hub.reset_service(name) for name in ("w1", "W1 ", " W1")] == [0, 0, 0]
        assert hub.dispatch(guid, "w1") == "not_owner"
        assert remaining_messages() == {guid: "W1"}
        assert hub.reset_service("W1") == 1

    def test_21_a_huge_queue(self, hub):
        store_many(50_000)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE oscpmqueue")
        newest = CpMessage.objects.latest("created").pk
        assert hub.get_next()["MessageGUID"] == newest
        assert CpMessage.objects.count() == 50_000

    def test_22_a_worker_that_died(self, hub):
        guid = store("A", age="1 day", lock="W9")
        hub.get_next(service="W1")
        (dead,) = [state for state in selectors.service_states() if state.service == "W9"]
        assert (dead.reserved, dead.since_unknown, dead.is_probably_dead) == (1, 1, True)
        assert hub.reset(guid) == "released"
        assert hub.get_next(service="W1")["MessageGUID"] == guid


class TestDispatch:
    def test_is_refused_for_an_unknown_message(self, hub):
        assert hub.dispatch(guid_of("A")) == "not_found"

    def test_is_refused_for_a_free_message(self, hub):
        assert hub.dispatch(store("A")) == "not_reserved"
        assert names_left("A") == {"A"}

    def test_finds_nothing_the_second_time(self, hub):
        guid = store("A")
        hub.get_next()
        assert [hub.dispatch(guid), hub.dispatch(guid)] == ["done", "not_found"]

    def test_keeps_the_reason_of_a_failure_in_the_log(self, hub):
        guid = store("A")
        hub.get_next()
        assert hub.dispatch(guid.lower(), reason="  no converter  ") == "failed"
        line = CpDispatch.objects.get()
        assert (line.messageguid, line.reason, line.service) == (guid, "no converter", "W1")
        assert line.reserved_at is not None
        assert not remaining_messages()

    def test_needs_the_token_of_a_fenced_reservation(self, hub):
        guid = store("A")
        old = hub.get_next(WantToken=True)["Token"]
        hub.reset_service("W1")
        new = hub.get_next(WantToken=True)["Token"]
        refused = [hub.dispatch(guid, Token=old), hub.dispatch(guid, Token="0" * 32), hub.dispatch(guid)]
        assert refused == ["lease_lost"] * 3
        assert remaining_messages() == {guid: "W1"}
        assert hub.dispatch(guid, Token=new) == "done"

    def test_does_not_change_created_for_a_retry(self, hub):
        guid = store("A", age="1 hour")
        before = CpMessage.objects.get(pk=guid).created
        hub.get_next()
        assert hub.dispatch(guid, reason="Retry") == "deferred"
        message = CpMessage.objects.get(pk=guid)
        assert (message.created, message.lock_service, message.checkguid) == (before, None, None)
