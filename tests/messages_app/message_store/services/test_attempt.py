import pytest

from messages_app.message_store.extensions import Ending, UnreadableData, processors, readers
from messages_app.message_store.models import MessageLine, UnresolvedReference
from messages_app.message_store.services.attempt import process_message
from messages_app.message_store.services.messages import reprocess_message
from messages_app.message_store.services.worker_loop import work_for
from messages_app.shared.store_states import Status
from tests.support.stores import (
    ADA,
    current,
    define,
    define_orders,
    history_of,
    make_older,
    process,
    records,
    row_of,
    status_of,
    store,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def extension():
    """Give a function that registers a reader or processor for this test."""
    made = []

    def register(registry, name, one):
        registry.register(name)(one)
        made.append((registry, name))

    yield register
    for registry, name in made:
        registry.unregister(name)


class TestProcessMessage:
    def test_writes_the_records(self):
        define()
        identifier = store([{"id": 1, "name": "Ada"}, {"id": 2}])
        row = process(identifier)
        assert (row.status, row.error_message, row.next_attempt_timestamp) == (10, None, None)
        assert current() == {("customer", "[1]"): {"id": 1, "name": "Ada"}, ("customer", "[2]"): {"id": 2}}
        (attempt,) = history_of(identifier)
        assert (attempt.status, attempt.processed_timestamp) == (10, row.processed_timestamp)
        assert "2 records read" in attempt.log_text
        line = MessageLine.objects.get()
        assert (line.status, line.attempts, line.claimed_at) == (10, 1, None)
        assert line.last_ended_at > line.last_started_at

    def test_does_not_write_a_message_with_an_error_and_logs_all_errors(self):
        define()
        identifier = store([{"id": 1}, {"id": "x"}, {"name": 3}, 7, {"id": 1}])
        row = process(identifier)
        assert row.status == Status.DATA_INVALID
        assert row.error_message.startswith("record 2: $.id:")
        log = history_of(identifier)[0].log_text
        assert all(f"record {number}" in log for number in (2, 3, 4, 5))
        assert "twice" in log
        assert records() == {}

    @pytest.mark.parametrize("data", ["no json", '{"id": 1}', "[NaN]", '[{"id": 1, "id": 2}]', "[" * 99])
    def test_ends_in_25_for_data_that_are_not_an_array_of_objects(self, data):
        define()
        assert process(store(data)).status == Status.DATA_INVALID

    @pytest.mark.parametrize("key", [None, True, 1.5, [], "x" * 600])
    def test_ends_in_25_for_an_invalid_key(self, key):
        define(json_schema={})
        assert process(store([{"id": key}])).status == Status.DATA_INVALID

    def test_ends_in_22_for_options_that_are_not_an_object(self):
        define()
        assert process(store(options="[1]")).status == Status.MESSAGE_INVALID

    def test_lets_a_message_wait_for_missing_references(self):
        define()
        define_orders()
        order = store([{"id": 5, "customer": 1}, {"id": 6, "customer": 2}], entity="order")
        row = process(order)
        assert row.status == Status.REQUIRES_REPROCESSING
        assert row.error_message == "There is no customer [1] yet."
        assert row.next_attempt_timestamp > row.processed_timestamp
        assert "customer [2]" in history_of(order)[0].log_text
        assert UnresolvedReference.objects.count() == 2
        assert records() == {}

    def test_wakes_a_message_when_all_its_references_have_arrived(self):
        define()
        define_orders()
        order = store([{"id": 5, "customer": 1}, {"id": 6, "customer": 2}], entity="order")
        due = process(order).next_attempt_timestamp
        process(store([{"id": 1}]))
        assert row_of(order).next_attempt_timestamp == due
        process(store([{"id": 2}]))
        assert row_of(order).next_attempt_timestamp < due
        assert work_for(seconds=10) == 1
        assert status_of(order) == 10
        assert not UnresolvedReference.objects.exists()

    def test_finds_a_reference_within_the_message(self):
        define(json_schema={}, references={"partner": "customer"})
        assert process(store([{"id": 1, "partner": 2}, {"id": 2, "partner": [1, 2]}])).status == 10

    def test_gives_up_on_a_message_that_is_too_old(self):
        define()
        define_orders()
        order = store([{"id": 5, "customer": 1}], entity="order")
        make_older(order, "41 days")
        row = process(order)
        assert (row.status, row.next_attempt_timestamp) == (Status.REPROCESS_TIMEOUT, None)
        assert UnresolvedReference.objects.count() == 1

    def test_writes_children_to_their_entity(self):
        define("crm", "order", json_schema={}, children={"lines": "line"})
        define("crm", "line", json_schema={}, key_fields=["order", "number"])
        data = [{"id": 5, "lines": [{"order": 5, "number": 1}, {"order": 5, "number": 2}]}]
        assert process(store(data, entity="order")).status == 10
        assert set(current()) == {("order", "[5]"), ("line", "[5,1]"), ("line", "[5,2]")}
        assert current()["order", "[5]"] == {"id": 5}

    def test_ends_the_version_before_it_among_those_of_other_records(self):
        define()
        for hour, key, name in ((1, 1, "Ada"), (2, 2, "Ben"), (3, 1, "Ada II"), (4, 2, "Ben II")):
            time = f"2026-11-02T0{hour}:00:00Z"
            process(store([{"id": key, "name": name}], timestamp=time))
        spans = {
            key: [(data["name"], begun.hour, ended and ended.hour) for data, begun, ended in versions]
            for (_, key), versions in records().items()
        }
        assert spans == {
            "[1]": [("Ada", 1, 3), ("Ada II", 3, None)],
            "[2]": [("Ben", 2, 4), ("Ben II", 4, None)],
        }

    def test_reads_by_a_registered_reader(self, extension):
        extension(readers, "tests.csv", lambda source: [{"id": int(part)} for part in source.data.split(";")])
        define(reader="tests.csv")
        assert process(store("1;2;3")).status == 10
        assert len(current()) == 3

    def test_corrects_the_record_of_a_message_that_is_processed_again_by_a_repaired_reader(self, extension):
        names = ["Adda"]
        extension(readers, "tests.names", lambda source: [{"id": 1, "name": names[0]}])
        define(reader="tests.names")
        identifier = store("1")
        process(identifier)
        assert current() == {("customer", "[1]"): {"id": 1, "name": "Adda"}}
        names[0] = "Ada"
        reprocess_message(identifier=identifier, actor=ADA, reason="the reader is repaired")

        assert process(identifier).status == 10
        assert current() == {("customer", "[1]"): {"id": 1, "name": "Ada"}}
        assert len(records()["customer", "[1]"]) == 1

    def test_ends_in_25_for_unreadable_data_and_in_20_for_defects_of_a_reader(self, extension):
        def read(source):
            raise UnreadableData("No table.") if source.data == "bad" else KeyError("x")

        extension(readers, "tests.bad", read)
        define(reader="tests.bad")
        row = process(store("bad"))
        assert (row.status, row.error_message) == (25, "No table.")
        row = process(store("worse"))
        assert (row.status, row.error_message) == (20, "KeyError: 'x'")

    def test_ends_with_the_result_of_a_processor(self, extension):
        extension(processors, "tests.ends", lambda written: Ending(31, "The index is closed."))
        define(processor="tests.ends")
        row = process(store())
        assert (row.status, row.error_message) == (31, "The index is closed.")
        assert len(current()) == 1

    def test_rejects_a_success_status_in_the_ending_of_a_processor(self, extension):
        extension(processors, "tests.odd", lambda written: Ending(10, "fine"))
        define(processor="tests.odd")
        assert process(store()).status == 20

    def test_answers_none_for_a_message_that_does_not_wait(self):
        define()
        identifier = store()
        process(identifier)
        assert process_message(identifier) is None
        assert len(history_of(identifier)) == 1
