"""
The hard cases of docs/contributing/spec/message_store.md, "Hard cases", each by its number, by the services
and by the API.
"""

import itertools
import uuid
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.message_store import selectors
from messages_app.message_store.extensions import processors
from messages_app.message_store.models import MessageHistory, MessageProcess, MessageStore, TargetRecord
from messages_app.message_store.selectors.failures import missing_entities
from messages_app.message_store.selectors.messages import message_page
from messages_app.message_store.selectors.summary import counts_by_status
from messages_app.message_store.services import attempt as attempting
from messages_app.message_store.services import begin
from messages_app.message_store.services.attempt import process_message
from messages_app.message_store.services.monitor import fill_queue, take_back_dead
from messages_app.message_store.services.worker_loop import work_for
from tests.messages_app.message_store.callers import ByApi
from tests.support.stores import (
    current,
    define,
    define_orders,
    execute,
    history_of,
    make_held_longer,
    make_older,
    process,
    records,
    set_process,
    status_of,
    store,
)
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db(transaction=True)


MAY = datetime(2026, 5, 1, tzinfo=UTC)


class TestTheCaseOf:
    def test_1_receiver_and_monitor_at_the_same_time(self, hub):
        define()
        for number in range(10):
            identifier = store([{"id": number}])
            in_threads(
                partial(process_message, identifier),
                partial(work_for, seconds=5),
                partial(process_message, identifier),
            )
            assert status_of(identifier) == 10
            assert len(history_of(identifier)) == 1

    def test_2_a_crash_in_processing(self, hub):
        define()
        identifier = store()
        begin.take_one(identifier)
        assert hub.look(identifier)["status"] == 1
        assert (take_back_dead(), history_of(identifier)) == (0, [])
        make_held_longer(identifier, "7 hours")
        assert take_back_dead() == 1
        (dead,) = history_of(identifier)
        assert (dead.status, dead.error_message[:9]) == (20, "Abandoned")
        assert hub.look(identifier)["status"] == 0
        assert work_for(seconds=5) == 1
        assert hub.look(identifier)["status"] == 10

    def test_3_a_crash_in_the_queue(self, hub):
        define()
        identifier = store()
        assert fill_queue() == 1
        assert hub.look(identifier)["status"] == 3
        assert counts_by_status() == {3: 1}
        make_held_longer(identifier, "7 hours")
        assert take_back_dead() == 1
        assert (hub.look(identifier)["status"], len(history_of(identifier))) == (0, 1)

    def test_4_a_run_that_ends_after_its_timeout(self, hub):
        define()
        identifier = store([{"id": 1, "name": "late"}])
        late = begin.take_one(identifier)
        make_held_longer(identifier, "7 hours")
        take_back_dead()
        newer = begin.take_one(identifier)
        assert attempting.finish_attempt(late) is None
        assert (status_of(identifier), records()) == (1, {})
        assert attempting.finish_attempt(newer).status == 10
        assert [attempt.status for attempt in history_of(identifier)] == [20, 10]
        assert attempting.finish_attempt(late) is None
        assert (status_of(identifier), len(history_of(identifier))) == (10, 2)

    def test_5_two_attempts_within_a_tick(self, hub):
        define()
        identifier = store()
        process(identifier)
        soon = history_of(identifier)[0].processed_timestamp + timedelta(hours=1)
        execute("UPDATE message_history SET processed_timestamp = %s", soon)
        assert hub.reprocess(identifier) == 0
        process(identifier)
        times = [attempt.processed_timestamp for attempt in history_of(identifier)]
        assert times == [soon, soon + timedelta(microseconds=1)]

    def test_6_a_next_attempt_that_is_now(self, hub):
        define()
        identifier = store()
        set_process(identifier, status=2)
        execute("UPDATE message_process SET next_attempt_timestamp = clock_timestamp()")
        assert fill_queue() == 1

    def test_7_a_next_attempt_on_another_status(self, hub):
        define()
        done, fresh, odd = store(), store(), store()
        set_process(done, status=10, next_attempt_timestamp=MAY)
        set_process(fresh, status=0, next_attempt_timestamp=datetime(2099, 1, 1, tzinfo=UTC))
        set_process(odd, status=20, next_attempt_timestamp=MAY)
        assert fill_queue() == 1
        assert [status_of(one) for one in (done, fresh, odd)] == [10, 3, 20]

    def test_8_the_databases_clock_decides_what_is_due(self, hub):
        """The time comes from the database: a message is due at its current time, not a second later."""
        define()
        due, later = store(), store()
        set_process(due, status=2)
        set_process(later, status=2)
        execute(
            "UPDATE message_process SET next_attempt_timestamp = clock_timestamp()"
            " + CASE WHEN message_identifier = %s THEN interval '1 hour' ELSE interval '0' END",
            later,
        )
        assert fill_queue() == 1
        assert (status_of(due), status_of(later)) == (3, 2)

    @pytest.mark.parametrize("when", ["1980-01-01T00:00:00Z", "2099-01-01T00:00:00"])
    def test_9_an_effective_time_far_away(self, hub, when):
        define()
        define_orders()
        sent = hub.send(
            system="crm", entity="order", data=[{"id": 1, "customer": 9}], timestamp=when, process=True
        )
        assert sent["status"] == 2
        hub.send(system="crm", entity="customer", data=[{"id": 9}], timestamp=when, process=True)
        ((_, valid_from, valid_to),) = records()["customer", "[9]"]
        assert (valid_from.isoformat()[:19] + "Z", valid_to) == (when.rstrip("Z") + "Z", None)

    def test_10_out_of_order(self, hub):
        define()
        messages = [([{"id": 1, "name": f"v{day}"}], MAY + timedelta(days=day), False) for day in range(3)]
        messages.append(([{"id": 2}], MAY + timedelta(days=1, hours=1), True))
        identifiers = [
            store(data, timestamp=at.isoformat(), refresh=refresh) for data, at, refresh in messages
        ]
        found = []
        for order in itertools.permutations(identifiers):
            TargetRecord.objects.all().delete()
            execute("DELETE FROM entity_refresh")
            set_all_waiting()
            for identifier in order:
                assert process(identifier).status == 10
            found.append(records())
        assert all(one == found[0] for one in found)
        ends = [(version[0]["name"], version[2]) for version in found[0]["customer", "[1]"]]
        assert ends == [
            ("v0", MAY + timedelta(days=1)),
            ("v1", MAY + timedelta(days=1, hours=1)),
            ("v2", None),
        ]

    def test_11_two_messages_with_one_effective_time(self, hub):
        define()
        for order in (1, -1):
            TargetRecord.objects.all().delete()
            first = store([{"id": 1, "name": "first"}], timestamp=MAY.isoformat())
            second = store([{"id": 1, "name": "second"}], timestamp=MAY.isoformat())
            for identifier in [first, second][::order]:
                assert process(identifier).status == 10
            assert current() == {("customer", "[1]"): {"id": 1, "name": "second"}}
        execute("UPDATE message_store SET message_timestamp = %s", MAY)
        execute("DELETE FROM target_record")
        set_all_waiting()
        winner = max(first, second)
        for identifier in (winner, min(first, second)):
            process(identifier)
        assert TargetRecord.objects.get().source_message == winner

    def test_12_an_identifier_that_exists(self, hub):
        identifier = str(uuid.uuid4())
        first = hub.send(identifier=identifier, system="crm", entity="customer", data=[{"id": 1}])
        again = hub.send(msgid=identifier, system="crm", entity="customer", data=[{"id": 2}])
        assert (first["dropped"], again["dropped"]) == (False, True)
        assert MessageStore.objects.get().data == '[{"id": 1}]'
        entry = AuditEntry.objects.get(action="store_message")
        assert (entry.outcome, entry.subject_kind, entry.subject) == ("refused", "store_message", identifier)
        assert entry.details["same_content"] is False

    def test_13_forms_of_an_identifier(self, hub):
        upper = "123E4567-E89B-12D3-A456-42661417400A"
        assert hub.send(guid=upper, entity="customer")["message_identifier"] == upper.lower()
        assert hub.look(upper)["status"] == 0 if isinstance(hub, ByApi) else True
        for bad in (upper[:-1], f"{upper}0", f"{{{upper[1:-1]}}}", upper.replace("-", ""), 7, "\u017f" * 36):
            assert hub.send(identifier=bad, entity="customer") == {"refused": "identifier"}

    def test_14_missing_objects(self, hub):
        define()
        assert hub.send(system="crm", process=True, data=[])["status"] == 22
        assert hub.send(system="erp", entity="customer", process=True, data=[])["status"] == 23
        assert hub.send(system="crm", entity="supplier", process=True, data=[])["status"] == 24
        assert hub.send(entity="customer", process=True, data=[])["status"] == 10

    def test_15_an_empty_array(self, hub):
        define()
        hub.send(system="crm", entity="customer", data=[{"id": 1}], process=True)
        assert hub.send(system="crm", entity="customer", data=[], process=True)["status"] == 10
        assert len(current()) == 1
        sent = hub.send(system="crm", entity="customer", data=[], refresh=True, process=True)
        assert (sent["status"], current()) == (10, {})

    def test_16_a_refresh_with_several_entities(self, hub):
        define("crm", "order", json_schema={}, children={"lines": "line"})
        define("crm", "line", json_schema={})
        orders = [{"id": 1, "lines": [{"id": 11}]}, {"id": 2, "lines": [{"id": 21}]}]
        hub.send(system="crm", entity="order", data=orders, process=True)
        hub.send(system="crm", entity="order", data=orders[:1], refresh=True, process=True)
        assert set(current()) == {("order", "[1]"), ("line", "[11]"), ("line", "[21]")}
        _, _, closed_at = records()["order", "[2]"][0]
        assert closed_at is not None

    def test_17_an_error_that_is_too_long(self, hub):
        define(json_schema={}, references={"partner": "customer"})
        key = "ü€😀" * 100
        sent = hub.send(system="crm", entity="customer", data=[{"id": 1, "partner": key}], process=True)
        assert len(sent["error_message"]) == 255
        assert key in history_of(sent["message_identifier"])[0].log_text

    def test_18_an_unknown_identifier(self, hub):
        unknown = str(uuid.uuid4())
        assert process_message(unknown).status == 21
        assert (MessageProcess.objects.count(), MessageHistory.objects.count()) == (0, 0)
        assert hub.look(unknown)["status"] == 404

    def test_19_no_status(self, hub):
        define()
        identifier = store()
        set_process(identifier, status=None)
        other = store()
        MessageProcess.objects.filter(pk=other).delete()
        assert hub.look(identifier)["status"] == 0
        assert counts_by_status() == {0: 2}
        assert work_for(seconds=5) == 2
        assert (status_of(identifier), status_of(other)) == (10, 10)

    def test_20_a_processor_that_fails_after_writing(self, hub):
        fails = [True]

        def index(written):
            if fails[0]:
                raise OSError("the indexer is away")

        processors.register("tests.index")(index)
        try:
            define(processor="tests.index")
            sent = hub.send(system="crm", entity="customer", data=[{"id": 1}], process=True)
            before = records()
            assert (sent["status"], len(before)) == (20, 1)
            assert "the indexer is away" in sent["error_message"]
            fails[0] = False
            assert hub.reprocess(sent["message_identifier"]) == 0
            assert process(sent["message_identifier"]).status == 10
            assert records() == before
        finally:
            processors.unregister("tests.index")

    def test_21_a_reference_that_arrives_after_26(self, hub):
        define()
        define_orders()
        order = store([{"id": 1, "customer": 9}], entity="order")
        make_older(order, "41 days")
        assert process(order).status == 26
        (missing,) = missing_entities()
        assert (missing.entity, missing.given_up) == ("customer", 1)
        hub.send(system="crm", entity="customer", data=[{"id": 9}], process=True)
        assert work_for(seconds=5) == 0
        assert hub.look(order)["status"] == 26
        found = message_page(values={"status": ("26",), "missing_entity": "customer"}).rows
        assert [line.message_identifier for line in found] == [order]
        assert hub.reprocess(order) == 0
        assert work_for(seconds=5) == 1
        assert hub.look(order)["status"] == 10

    def test_22_a_message_that_is_kept_elsewhere(self, hub):
        define()
        identifier = store()
        process(identifier)
        MessageStore.objects.all().delete()
        assert hub.look(identifier)["status"] == 10
        assert selectors.message_of(identifier).orphan == "no message in the store"
        assert selectors.data_of(identifier) is None
        assert hub.reprocess(identifier) == 0
        assert process(identifier).status == 21
        assert len(history_of(identifier)) == 2


def set_all_waiting() -> None:
    execute("UPDATE message_process SET status = 0")
