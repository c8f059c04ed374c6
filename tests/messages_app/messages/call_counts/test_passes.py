from datetime import timedelta

import psycopg
import pytest
from django.db import connection

from messages_app.core.clock import database_clock
from messages_app.jobs.connections import own_dsn
from messages_app.messages.call_counts import passes
from messages_app.messages.call_counts.models import CallPass, CallRollup, CallTook, CountedCall
from messages_app.messages.call_counts.passes import coarsen_calls, count_new_calls
from messages_app.messages.models import ExternalCall, Message
from tests.support.factories import make_external_call, make_message, next_id
from tests.support.plans import faults_in, reads_of
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db
CRM, BANK = "spring-ws:http://crm.example:8080/ws", "https://bank.example/pay"


def now():
    return database_clock().replace(microsecond=0)


def call(message: Message, operation: str = CRM, *, took: float = 1.0, **columns: object) -> ExternalCall:
    ended = columns.pop("at", now())
    times = {"creation_timestamp": ended - timedelta(seconds=took), "last_update_timestamp": ended}
    return make_external_call(message, operation_name=operation, **times | columns)


def change(one: ExternalCall, state: str, at) -> None:
    ExternalCall.objects.filter(pk=one.pk).update(state=state, last_update_timestamp=at)


def end_attempt(message: Message, state: str) -> None:
    """Change the state of a message, as the hub does after an attempt."""
    Message.objects.filter(pk=message.pk).update(state="PROCESSING")
    Message.objects.filter(pk=message.pk).update(state=state)


def counts() -> dict[tuple[str, str], tuple[int, int]]:
    rows = CallRollup.objects.values_list("service_name", "external_system", "succeeded", "failed")
    sums: dict[tuple[str, str], tuple[int, int]] = {}
    for service, system, succeeded, failed in rows:
        before = sums.get((service, system), (0, 0))
        sums[service, system] = (before[0] + succeeded, before[1] + failed)
    return sums


@pytest.fixture
def started() -> None:
    count_new_calls()
    assert CallPass.objects.count() == 1


@pytest.mark.usefixtures("started")
class TestCountNewCalls:
    def test_counts_ended_calls_by_service_system_and_outcome(self):
        billing, order = make_message(), make_message(service_name="order")
        for state in ("OK", "OK", "FAILED", "PROCESSING"):
            call(billing, state=state)
        call(order, state="FAILED_END")
        call(order, BANK)
        count_new_calls()
        assert counts() == {
            ("billing", "crm.example"): (2, 1),
            ("order", "crm.example"): (0, 1),
            ("order", "bank.example"): (1, 0),
        }

    def test_counts_no_call_of_a_servlet_of_the_hub(self):
        call(make_message(), "servlet:///in/status")
        call(make_message(), BANK)
        count_new_calls()
        assert counts() == {("billing", "bank.example"): (1, 0)}

    def test_counts_each_end_once_in_its_minute(self):
        message = make_message()
        at = now().replace(second=0)
        call(message, at=at + timedelta(seconds=59))
        call(message, at=at - timedelta(seconds=1), entity_id="other")
        for _ in range(3):
            count_new_calls()
        rows = CallRollup.objects.order_by("minute").values_list("minute", "succeeded")
        assert list(rows) == [(at - timedelta(minutes=1), 1), (at, 1)]

    def test_counts_a_call_that_fails_and_then_succeeds_as_both(self):
        message = make_message()
        one = call(message, state="PROCESSING")
        steps = [("FAILED", 2), ("PROCESSING", 60), ("OK", 64)]
        begun = now()
        count_new_calls()
        for state, seconds in steps:
            change(one, state, begun + timedelta(seconds=seconds))
            count_new_calls()
        assert counts() == {("billing", "crm.example"): (1, 1)}

    def test_measures_the_time_since_processing_began(self):
        message = make_message()
        begun = now()
        one = call(message, state="PROCESSING", at=begun)
        count_new_calls()
        change(one, "OK", begun + timedelta(seconds=4))
        call(message, BANK, took=16)
        call(make_message(failed_count=1), BANK, took=64)
        count_new_calls()
        rows = CallTook.objects.order_by("step").values_list("external_system", "step", "calls")
        assert list(rows) == [("crm.example", 8, 1), ("bank.example", 16, 1)]

    def test_leaves_out_confirmations_and_calls_without_a_known_time(self):
        message = make_message()
        call(message, "confirmation", state="FAILED_END")
        endless = call(message)
        with connection.cursor() as cursor:
            endless_at = "UPDATE external_call SET last_update_timestamp = 'infinity' WHERE call_id = %s"
            cursor.execute(endless_at, [endless.pk])
        count_new_calls()
        assert counts() == {}

    def test_counts_a_call_that_a_newer_message_took_over_between_passes(self):
        one = call(make_message())
        count_new_calls()
        CallPass.objects.update(front=one.pk + 10**6, safe=one.pk + 10**6, mark=one.pk + 10**6)
        newer = make_message()
        ExternalCall.objects.filter(pk=one.pk).update(
            msg_id=newer.pk, last_update_timestamp=now() + timedelta(seconds=5)
        )
        end_attempt(newer, "OK")
        count_new_calls()
        count_new_calls()
        assert counts() == {("billing", "crm.example"): (2, 0)}

    def test_does_not_count_again_a_call_that_was_forgotten(self):
        message = make_message()
        one = call(message, at=now() - timedelta(hours=3))
        count_new_calls()
        CallPass.objects.update(
            front=one.pk + 10**6,
            safe=one.pk + 10**6,
            mark=one.pk + 10**6,
            kept_from=now() - timedelta(hours=2),
        )
        count_new_calls()
        assert CountedCall.objects.count() == 0
        end_attempt(message, "OK")
        count_new_calls()
        assert counts() == {("billing", "crm.example"): (1, 0)}

    def test_watches_open_calls_in_turn_and_forgets_deleted_ones(self, monkeypatch):
        monkeypatch.setattr(passes, "MAX_OPEN", 2)
        monkeypatch.setattr(passes, "RECENT", 0)
        message = make_message()
        calls = [call(message, state="PROCESSING", entity_id=f"e{number}") for number in range(5)]
        count_new_calls()
        for one in calls[:4]:
            change(one, "OK", now() + timedelta(seconds=9))
        calls[4].delete()
        for _ in range(4):
            count_new_calls()
        assert counts() == {("billing", "crm.example"): (4, 0)}
        assert not CountedCall.objects.exclude(state="OK").exists()

    def test_reads_many_calls_in_several_steps(self):
        message = make_message()
        for number in range(7):
            call(message, entity_id=f"e{number}")
        count_new_calls(most=3)
        assert counts() == {("billing", "crm.example"): (7, 0)}


class TestFirstPass:
    def test_begins_with_the_newest_calls_up_to_the_fence(self, monkeypatch):
        monkeypatch.setattr(passes, "MAX_OLD", 2)
        message = make_message()
        for number in range(5):
            call(message, entity_id=f"e{number}")
        count_new_calls()
        assert counts() == {("billing", "crm.example"): (2, 0)}


class TestCoarsenCalls:
    def test_keeps_the_sums_in_hours_and_days(self):
        at = now().replace(hour=12, minute=0, second=0)
        times = [at - timedelta(hours=50), at - timedelta(hours=50) + timedelta(minutes=59)]
        times += [at - timedelta(days=30), at - timedelta(days=30) + timedelta(hours=5)]
        for minute in times:
            columns = {"minute": minute, "service_name": "billing", "external_system": "crm.example"}
            CallRollup.objects.create(succeeded=1, failed=2, **columns)
            CallTook.objects.create(step=4, calls=3, **columns)
        for _ in range(2):
            coarsen_calls()
        day = (at - timedelta(days=30)).replace(hour=0)
        hours = [(day, 2, 4), (at - timedelta(hours=50), 2, 4)]
        rows = CallRollup.objects.order_by("minute").values_list("minute", "succeeded", "failed")
        assert list(rows) == hours
        took = CallTook.objects.order_by("minute").values_list("minute", "calls")
        assert list(took) == [(minute, 6) for minute, *_ in hours]


@pytest.mark.django_db(transaction=True)
class TestConcurrency:
    def test_counts_a_late_call_that_many_others_passed(self, monkeypatch):
        monkeypatch.setattr(passes, "RECENT", 2)
        count_new_calls()
        message = make_message()
        early = next_id()
        with psycopg.connect(own_dsn()) as hub:
            hub.execute(_INSERT, {"call_id": early, "msg_id": message.pk, "operation": BANK})
            for number in range(9):
                call(message, entity_id=f"e{number}")
                count_new_calls()
            hub.commit()
        for _ in range(3):
            count_new_calls()
        assert counts() == {("billing", "crm.example"): (9, 0), ("billing", "bank.example"): (1, 0)}

    def test_lets_only_one_of_several_passes_count(self):
        count_new_calls()
        message = make_message()
        for number in range(30):
            call(message, entity_id=f"e{number}")
        in_threads(*[count_new_calls] * 4)
        assert counts() == {("billing", "crm.example"): (30, 0)}

    def test_keeps_counts_and_position_together_when_a_pass_fails(self, monkeypatch):
        count_new_calls()
        call(make_message())

        def fail(*_: object, **__: object) -> None:
            raise RuntimeError("the worker ends here")

        with monkeypatch.context() as broken:
            broken.setattr(passes, "_move_position", fail)
            with pytest.raises(RuntimeError):
                count_new_calls()
        assert (counts(), CountedCall.objects.count()) == ({}, 0)
        count_new_calls()
        assert counts() == {("billing", "crm.example"): (1, 0)}

    def test_does_not_wait_for_locks_of_the_hub(self):
        count_new_calls()
        one = call(make_message())
        with psycopg.connect(own_dsn()) as hub:
            hub.execute("SELECT FROM external_call WHERE call_id = %s FOR UPDATE", [one.pk])
            in_threads(count_new_calls)
        assert counts() == {("billing", "crm.example"): (1, 0)}


_INSERT = """
INSERT INTO external_call (call_id, msg_id, operation_name, state, entity_id, msg_timestamp,
                           creation_timestamp, last_update_timestamp)
VALUES (%(call_id)s, %(msg_id)s, %(operation)s, 'OK', 'early', now(), now(), now())
"""

_MANY = """
INSERT INTO message (msg_id, correlation_id, msg_timestamp, receive_timestamp, service_name, source_system,
                     state, operation_name, payload)
SELECT id, 'c' || id, now(), now(), 'billing', 'CRM', 'OK', 'createInvoice', '<order/>'
  FROM generate_series(1, 60000) AS id;
-- An earlier test may have left a plan for the check of the foreign key that scans a small table.
ANALYZE message;
INSERT INTO external_call (call_id, msg_id, operation_name, state, entity_id, msg_timestamp,
                           creation_timestamp, last_update_timestamp)
SELECT id, id, 'http://crm.example/', 'OK', 'e' || id, now(), now(), now()
  FROM generate_series(1, 60000) AS id;
INSERT INTO message_event (msg_id, from_state, to_state, at)
SELECT id, 'PROCESSING', 'OK', now() FROM generate_series(1, 60000) AS id;
INSERT INTO counted_call (call_id, state, updated_at)
SELECT id, CASE WHEN id % 3 = 0 THEN 'FAILED' ELSE 'OK' END, now() FROM generate_series(1, 60000) AS id;
ANALYZE message, external_call, message_event, counted_call;
"""


class TestPlans:
    def test_scan_no_large_table(self):
        with connection.cursor() as cursor:
            cursor.execute(_MANY)
            cursor.execute("SELECT max(event_id) FROM message_event")
            (last,) = cursor.fetchone()
        count_new_calls()
        moved = {"front": 59_000, "safe": 55_000, "mark": 58_000}
        events = {"event_front": last - 1000, "event_safe": last - 5000, "event_mark": last - 2000}
        CallPass.objects.update(**moved, **events)
        sent: list[tuple[str, tuple]] = []
        with connection.execute_wrapper(reads_of(sent)):
            count_new_calls()
        assert len(sent) >= 4
        assert faults_in(sent) == []
