import threading
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from django.db import connection

from messages_app.business_keys import passes
from messages_app.business_keys.models import BusinessKey, KeyDefinition, KeyPass, ReadMessage
from messages_app.business_keys.passes import extract_new_keys
from messages_app.jobs.connections import own_dsn
from messages_app.messages.models import Message
from tests.support.factories import NOON, make_message, message_columns, next_id
from tests.support.plans import faults_in, reads_of
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db


def define(path: str = "//order/id", **columns: object) -> KeyDefinition:
    values = {"service_name": "billing", "operation_name": "createInvoice", "name": "order"} | columns
    return KeyDefinition.objects.create(path=path, **values)


def order(number: str) -> str:
    return f"<order xmlns='urn:o'><id>{number}</id></order>"


def rows() -> list[tuple[str, int]]:
    return list(BusinessKey.objects.order_by("msg_id", "value").values_list("value", "msg_id"))


def counts(definition: KeyDefinition) -> tuple[int, int, int, int]:
    definition.refresh_from_db()
    return definition.read, definition.unreadable, definition.missing, definition.unusable


@pytest.fixture
def started() -> None:
    """Begin after the messages that are there."""
    extract_new_keys()
    assert KeyPass.objects.count() == 1


@pytest.mark.usefixtures("started")
class TestExtractNewKeys:
    def test_stores_the_values_of_new_messages(self):
        define()
        message = make_message(payload=order("N004711"))
        assert extract_new_keys() == 1
        assert rows() == [("N004711", message.pk)]
        stored = BusinessKey.objects.get()
        assert stored.receive_timestamp == message.receive_timestamp

    def test_reads_only_operations_with_an_active_definition(self):
        define(active=False)
        define(operation_name="cancelInvoice")
        make_message(payload=order("N1"))
        assert extract_new_keys() == 0
        assert rows() == []

    def test_reads_and_counts_each_message_once(self):
        definition = define()
        make_message(payload=order("N1"))
        make_message(payload="not XML")
        assert [extract_new_keys() for _ in range(3)] == [2, 0, 0]
        assert counts(definition) == (2, 1, 0, 0)

    def test_stores_a_value_in_the_month_of_its_message_in_utc(self):
        define()
        midnight = datetime(2025, 3, 1, tzinfo=UTC)
        moments = (midnight - timedelta(microseconds=1), midnight)
        for number, moment in enumerate(moments):
            make_message(payload=order(f"N{number}"), receive_timestamp=moment)
        extract_new_keys()
        with connection.cursor() as cursor:
            cursor.execute("SELECT tableoid::regclass::text FROM business_key ORDER BY value")
            names = [name.rpartition(".")[2] for (name,) in cursor.fetchall()]
        assert names == ["business_key_2025_02", "business_key_2025_03"]

    def test_takes_all_values_of_a_message_and_several_keys(self):
        one, two = define("//id"), define("//customer/@no", name="customer")
        message = make_message(payload="<o><id>2</id><id>1</id><id>2</id><customer no='C 7'/></o>")
        extract_new_keys()
        stored = BusinessKey.objects.order_by("definition_id", "value")
        assert [(row.definition_id, row.value) for row in stored] == [
            (one.pk, "1"),
            (one.pk, "2"),
            (two.pk, "C 7"),
        ]
        assert {row.msg_id for row in stored} == {message.pk}

    def test_counts_faults_of_payloads_and_paths_and_continues(self):
        bad, missing = define("//x[", name="bad"), define("//order/none", name="missing")
        good, json = define(), define("$.order", name="json")
        make_message(payload="<order><id>N1</id>")
        last = make_message(payload=order("N2"))
        extract_new_keys()
        assert rows() == [("N2", last.pk)]
        assert counts(good) == (2, 1, 0, 0)
        assert counts(missing) == (2, 1, 1, 0)
        assert counts(bad) == (2, 2, 0, 0)
        assert counts(json) == (2, 2, 0, 0)
        assert (missing.problem, missing.problem_msg_id) == ("The path finds no value.", last.pk)
        assert bad.problem.startswith("Bad path. This is not a valid XPath")

    def test_counts_values_that_cannot_be_stored(self):
        definition = define("$.id")
        make_message(payload='{"id": "a\\u0000b"}')
        make_message(payload='{"id": "\\ud800"}')
        make_message(payload='{"id": "' + "x" * 201 + '"}')
        message = make_message(payload='{"id": 4711.50}')
        extract_new_keys()
        assert rows() == [("4711.50", message.pk)]
        assert counts(definition) == (4, 0, 0, 3)

    def test_does_not_read_a_payload_that_is_too_large(self):
        definition = define("//id")
        make_message(payload=f"<o><id>1</id>{'x' * 1_000_000}</o>")
        extract_new_keys()
        assert counts(definition) == (1, 1, 0, 0)
        assert definition.problem == "The payload is too large."

    def test_reads_many_messages_in_several_steps(self):
        define()
        ids = [make_message(payload=order(f"N{number}")).pk for number in range(7)]
        assert extract_new_keys(most=3) == 7
        assert rows() == [(f"N{number}", msg_id) for number, msg_id in enumerate(ids)]

    def test_holds_a_limited_number_of_bytes(self, monkeypatch):
        monkeypatch.setattr(passes, "MAX_BYTES", 100)
        define()
        ids = [make_message(payload=order(f"N{number}")).pk for number in range(5)]
        assert extract_new_keys() == 5
        assert [msg_id for _, msg_id in rows()] == ids

    def test_skips_messages_of_other_operations_that_fill_a_step(self):
        define()
        for _ in range(6):
            make_message(operation_name="other")
        message = make_message(payload=order("N1"))
        assert extract_new_keys(most=3) == 1
        assert rows() == [("N1", message.pk)]

    def test_stores_times_of_every_month_and_of_none(self):
        define()
        make_message(payload=order("N1"), receive_timestamp=datetime(2001, 2, 3, tzinfo=NOON.tzinfo))
        make_message(payload=order("N2"), receive_timestamp=datetime(1969, 2, 3, tzinfo=NOON.tzinfo))
        extract_new_keys()
        with connection.cursor() as cursor:
            cursor.execute("SELECT value, tableoid::regclass::text FROM business_key ORDER BY value")
            assert cursor.fetchall() == [("N1", "business_key_2001_02"), ("N2", "business_key_other")]

    def test_deletes_the_values_of_a_deleted_definition(self):
        definition = define()
        make_message(payload=order("N1"))
        extract_new_keys()
        KeyDefinition.objects.update(deleted_at=NOON)
        extract_new_keys()
        assert rows() == []
        extract_new_keys()
        assert not KeyDefinition.objects.filter(pk=definition.pk).exists()


class TestFirstPass:
    def test_begins_with_the_next_message(self):
        define()
        make_message(payload=order("N1"))
        assert extract_new_keys() == 0
        message = make_message(payload=order("N2"))
        assert extract_new_keys() == 1
        assert rows() == [("N2", message.pk)]


@pytest.mark.django_db(transaction=True)
class TestConcurrency:
    def test_reads_a_message_that_is_committed_after_later_ones(self):
        extract_new_keys()
        define()
        early = next_id()
        with psycopg.connect(own_dsn()) as hub:
            insert_message(hub, early, order("early"))
            late = make_message(payload=order("late"))
            assert extract_new_keys() == 1
            hub.commit()
        assert extract_new_keys() == 1
        assert rows() == [("early", early), ("late", late.pk)]

    def test_reads_a_late_message_that_many_others_passed(self, monkeypatch):
        monkeypatch.setattr(passes, "RECENT", 2)
        extract_new_keys()
        definition = define()
        early = next_id()
        with psycopg.connect(own_dsn()) as hub:
            insert_message(hub, early, order("early"))
            for number in range(9):
                make_message(payload=order(f"N{number}"))
                extract_new_keys()
            hub.commit()
        for _ in range(3):
            extract_new_keys()
        assert ("early", early) in rows()
        assert counts(definition) == (10, 0, 0, 0)
        assert ReadMessage.objects.count() <= 4

    def test_lets_only_one_of_several_passes_read(self):
        extract_new_keys()
        definition = define()
        for number in range(30):
            make_message(payload=order(f"N{number}"))
        answers = in_threads(*[extract_new_keys] * 4)
        assert sorted(answers)[-1] == 30
        assert sum(answers) == 30
        assert counts(definition) == (30, 0, 0, 0)

    def test_keeps_values_position_and_counts_together_when_a_pass_fails(self, monkeypatch):
        extract_new_keys()
        definition = define()
        make_message(payload=order("N1"))

        def fail(*_: object, **__: object) -> None:
            raise RuntimeError("the worker ends here")

        with monkeypatch.context() as broken:
            broken.setattr(passes, "_move_position", fail)
            with pytest.raises(RuntimeError):
                extract_new_keys()
        assert (rows(), counts(definition)) == ([], (0, 0, 0, 0))
        assert extract_new_keys() == 1
        assert counts(definition) == (1, 0, 0, 0)

    def test_does_not_wait_for_locks_of_the_hub_and_takes_none(self):
        extract_new_keys()
        define()
        message = make_message(payload=order("N1"))
        with psycopg.connect(own_dsn()) as hub:
            hub.execute("SELECT FROM message WHERE msg_id = %s FOR UPDATE", [message.pk])
            worker = threading.Thread(target=lambda: in_threads(extract_new_keys))
            worker.start()
            worker.join(timeout=20)
            assert not worker.is_alive()
        assert rows() == [("N1", message.pk)]


def insert_message(hub: psycopg.Connection, msg_id: int, payload: str) -> None:
    columns = message_columns(msg_id, payload=payload)
    names = ", ".join(columns)
    hub.execute(
        f"INSERT INTO message ({names}) VALUES ({', '.join(['%s'] * len(columns))})", list(columns.values())
    )


_MANY = """
INSERT INTO message (msg_id, correlation_id, msg_timestamp, receive_timestamp, service_name, source_system,
                     state, operation_name, payload)
SELECT id, 'c' || id, %(noon)s, %(noon)s, 'billing', 'CRM', 'OK', 'createInvoice', '<order/>'
  FROM generate_series(1, 60000) AS id
"""


class TestPlans:
    @pytest.fixture
    def many(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(_MANY, {"noon": NOON - timedelta(days=1)})
            cursor.execute("ANALYZE message")

    @pytest.mark.usefixtures("many")
    def test_scan_no_large_table(self):
        define("//id")
        extract_new_keys()
        KeyPass.objects.update(front=59_000, safe=55_000, mark=58_000)
        sent: list[tuple[str, tuple]] = []
        with connection.execute_wrapper(reads_of(sent)):
            extract_new_keys()
        assert len(sent) >= 4
        assert faults_in(sent) == []
        assert Message.objects.count() == 60_000
