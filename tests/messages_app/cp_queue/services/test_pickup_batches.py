"""
Batches: several messages are reserved or dispatched by one call, each as by a call of its own.

Source: docs/contributing/spec/cp_queue.md, "Batches".
"""

import os
import signal
import subprocess
import sys

import psycopg
import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from messages_app.cp_queue.errors import MessageConflict, MessageNotFound, TokenLost
from messages_app.cp_queue.models import CpDispatch, CpLostPickup, CpMessage, CpReservation, CpRetry
from messages_app.cp_queue.parameters import InvalidParameter
from messages_app.cp_queue.services.dispatch import Dispatched, Result, dispatch_many
from messages_app.cp_queue.services.operators import pause_queue
from messages_app.cp_queue.services.pickup import get_next, get_next_many
from messages_app.cp_queue.services.reset import reset_service
from tests.support.queues import ADA, guid_of, make_due, names_left, remaining_messages, store, store_many
from tests.support.threads import in_threads
from tests.support.workers import database_of_tests

pytestmark = pytest.mark.django_db(transaction=True)

# A client that reserves ten messages, says so, and then only waits.
CLIENT = """
import django, time
django.setup()
from messages_app.cp_queue.services.pickup import get_next_many
print(len(get_next_many(queues="RENDITION", service="lost", count=10)), flush=True)
time.sleep(600)
"""


def pick(count: int = 100, queues: str = "RENDITION", service: str = "W1", **more: bool) -> list[str]:
    found = get_next_many(queues=queues, service=service, count=count, **more)
    return [picked.guid for picked in found]


def dispatch(*results: tuple[str, str] | tuple[str, str, str], service: str = "W1") -> list[object]:
    """Dispatch messages; return the outcome of each, or the class of its refusal."""
    given = [
        Result(guid=guid, reason=reason, token=token[0] if token else None)
        for guid, reason, *token in results
    ]
    ended = dispatch_many(service=service, results=given)
    return [one.outcome if isinstance(one, Dispatched) else type(one) for one in ended]


class TestGetNextMany:
    def test_returns_the_newest_of_all_queues_in_order(self):
        names = [
            ("A", "R", "3 minutes"),
            ("B", "F", "2 minutes"),
            ("C", "R", "1 minute"),
            ("D", "F", "1 hour"),
        ]
        for osid, (name, queue, age) in enumerate(names):
            store(name, queue, osid, age=age)
        assert pick(3, "R,F") == [guid_of("C"), guid_of("B"), guid_of("A")]
        assert remaining_messages() == {
            guid_of("A"): "W1",
            guid_of("B"): "W1",
            guid_of("C"): "W1",
            guid_of("D"): None,
        }

    def test_collapses_each_object_and_queue(self):
        for name, queue, osid, age in [
            ("A", "R", 5, "1 minute"),
            ("B", "R", 5, "2 minutes"),
            ("C", "R", 7, "3 minutes"),
            ("D", "F", 5, "4 minutes"),
            ("E", "R", 7, "5 minutes"),
        ]:
            store(name, queue, osid, age=age)
        store("held", "R", 5, age="1 hour", lock="W9")
        picked = get_next_many(queues="R,F", service="W1", count=100)
        assert [(one.guid, one.collapsed) for one in picked] == [
            (guid_of("A"), 1),
            (guid_of("C"), 1),
            (guid_of("D"), 0),
        ]
        assert names_left("A", "B", "C", "D", "E", "held") == {"A", "C", "D", "held"}

    def test_reserves_each_with_its_own_token(self):
        store_many(3)
        picked = get_next_many(queues="RENDITION", service="W1", count=3, wants_token=True)
        tokens = dict(CpMessage.objects.values_list("messageguid", "checkguid"))
        assert {one.guid: one.token for one in picked} == tokens
        assert len(set(tokens.values())) == 3
        assert CpReservation.objects.filter(is_fenced=True, service="W1").count() == 3

    def test_passes_over_what_another_service_is_reserving(self):
        newest, other = store("A", osid=1), store("B", osid=2, age="1 minute")
        with psycopg.connect(database_of_tests()["DATABASE_URL"]) as winner:
            winner.execute("UPDATE oscpmqueue SET lock_service = 'W2' WHERE messageguid = %s", [newest])
            assert pick() == [other]
            assert pick() == []
            winner.commit()
        assert CpLostPickup.objects.get().lost == 1

    def test_brings_back_due_messages(self):
        guid = store("A")
        pick()
        dispatch((guid, "RETRY"))
        assert pick() == []
        make_due(guid)
        assert pick() == [guid]

    def test_returns_no_messages_of_a_paused_queue(self):
        store("A")
        pause_queue(queue="RENDITION", actor=ADA)
        assert pick() == []

    @pytest.mark.parametrize("count", [0, -1, 101])
    def test_refuses_another_number(self, count):
        store("A")
        with pytest.raises(InvalidParameter) as refused:
            pick(count)
        assert refused.value.field == "Count"
        assert remaining_messages() == {guid_of("A"): None}


class TestDispatchMany:
    def test_ends_each_as_a_dispatch_does(self):
        done, failed, again = store("A", lock="W1"), store("B", lock="W1"), store("C", lock="W1")
        assert dispatch((done, "ok"), (failed, " no file "), (again, "retry")) == [
            "done",
            "failed",
            "deferred",
        ]
        log = dict(CpDispatch.objects.values_list("messageguid", "reason"))
        assert log == {done: "ok", failed: "no file", again: "retry"}
        assert remaining_messages() == {again: None}
        assert CpRetry.objects.get().attempts == 1

    def test_one_refusal_does_not_affect_the_others(self):
        good, other, free = store("A", lock="W1"), store("B", lock="W2"), store("C")
        answers = dispatch(
            ("0" * 32, "OK"), (other, "OK"), ("x", "OK"), (free, "OK"), (good, ""), (good, "OK")
        )
        assert answers == [
            MessageNotFound,
            MessageConflict,
            InvalidParameter,
            MessageConflict,
            InvalidParameter,
            "done",
        ]
        assert remaining_messages() == {other: "W2", free: None}

    def test_finds_nothing_for_a_repeated_message(self):
        guid = store("A", lock="W1")
        assert dispatch((guid, "OK"), (guid, "RETRY")) == ["done", MessageNotFound]
        assert CpDispatch.objects.count() == 1

    def test_takes_either_case_of_a_guid(self):
        guid = store("A", lock="W1")
        assert dispatch((guid.lower(), "OK")) == ["done"]

    def test_needs_the_token_of_each_fenced_reservation(self):
        store_many(2)
        first, second = get_next_many(queues="RENDITION", service="W1", count=2, wants_token=True)
        answers = dispatch((first.guid, "OK", second.token), (second.guid, "OK", second.token.lower()))
        assert answers == [TokenLost, "done"]
        assert dispatch((first.guid, "OK")) == [TokenLost]
        assert dispatch((first.guid, "OK", first.token)) == ["done"]

    def test_refuses_an_invalid_service_and_too_many(self):
        guid = store("A", lock="W1")
        for service, number, field in (("", 1, "ServiceName"), ("W1", 101, "messages")):
            with pytest.raises(InvalidParameter) as refused:
                dispatch(*[(guid, "OK")] * number, service=service)
            assert refused.value.field == field
        assert remaining_messages() == {guid: "W1"}


class TestAtTheSameTime:
    def test_services_get_every_message_once(self):
        store_many(600)

        def pull(service: str) -> list[str]:
            pulled, empty = [], 0
            while empty < 20:
                guids = pick(20, service=service)
                empty = 0 if guids else empty + 1
                pulled += guids
            return pulled

        pulled = in_threads(*[lambda name=f"W{number}": pull(name) for number in range(6)])
        assert sorted(guid for guids in pulled for guid in guids) == sorted(remaining_messages())
        holders = remaining_messages()
        assert all(holders[guid] == f"W{number}" for number, guids in enumerate(pulled) for guid in guids)

    def test_batches_and_single_pickups_share_the_queue(self):
        store_many(300)

        def pull_one() -> list[str]:
            pulled, empty = [], 0
            while empty < 50:
                one = get_next(queues="RENDITION", service="single")
                empty = 0 if one else empty + 1
                pulled += [one.guid] if one else []
            return pulled

        def pull_many() -> list[str]:
            pulled, empty = [], 0
            while empty < 50:
                guids = pick(7, service="batch")
                empty = 0 if guids else empty + 1
                pulled += guids
            return pulled

        one, many = in_threads(pull_one, pull_many)
        assert sorted(one + many) == sorted(remaining_messages())

    def test_dispatches_and_resets_of_one_service_do_not_block_each_other(self):
        for _ in range(5):
            store_many(100)
            results = [(guid, "OK") for guid in pick()]
            answers = in_threads(
                lambda: dispatch(*results),  # noqa: B023 (in this turn)
                lambda: reset_service(service="W1", actor=ADA),
                lambda: dispatch(*reversed(results)),  # noqa: B023 (in this turn)
            )
            assert not [answer for answer in answers if isinstance(answer, Exception)]
            freed = sum(service is None for service in remaining_messages().values())
            assert freed == answers[1]
            assert answers[0].count("done") + answers[2].count("done") + freed == 100
            CpMessage.objects.all().delete()

    @pytest.mark.slow
    def test_a_killed_client_keeps_its_messages_until_a_reset(self):
        store_many(30)
        environment = os.environ | database_of_tests()
        client = subprocess.Popen(
            [sys.executable, "-c", CLIENT], stdout=subprocess.PIPE, env=environment, text=True
        )
        assert client.stdout.readline() == "10\n"
        client.send_signal(signal.SIGKILL)
        client.wait()
        others = pick()
        assert len(others) == 20
        assert set(dispatch(*[(guid, "OK") for guid in others])) == {"done"}
        assert set(remaining_messages().values()) == {"lost"}
        assert reset_service(service="lost", actor=ADA) == 10
        assert len(pick()) == 10


# Messages as (queue, object, seconds of age), and the sizes of the batches.
MESSAGES = st.lists(st.tuples(st.sampled_from(["R", "F"]), st.integers(1, 4), st.integers(0, 9)), max_size=12)


class TestAProperty:
    @settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
    @given(messages=MESSAGES, counts=st.lists(st.integers(1, 5), min_size=1, max_size=4))
    def test_batches_hand_out_what_single_pickups_would(self, messages, counts):
        """Each object and queue once, by its newest message, the newest first."""
        with connection.cursor() as cursor:
            cursor.execute("TRUNCATE oscpmqueue, cp_reservation, cp_retry, cp_deferred")
        for number, (queue, osid, age) in enumerate(messages):
            store(f"{number}", queue, osid, age=f"{age} hours")
        newest = {}
        for message in CpMessage.objects.order_by("-created", "-messageguid"):
            newest.setdefault((message.queuename, message.osid), message.messageguid)
        picked: list[str] = []
        while guids := pick(counts[len(picked) % len(counts)], "R,F"):
            picked += guids
        assert picked == list(newest.values())
        assert set(remaining_messages()) == set(picked)
