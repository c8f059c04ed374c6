"""The arguments of readers and processors, the end of an attempt by them, and its whole log."""

import re
import time
from collections.abc import Iterator

import pytest

from messages_app.message_store.extensions import Ending, Source, UnreadableData, Written, processors, readers
from messages_app.message_store.services.attempt import process_message
from messages_app.message_store.services.intake import read_message, store_message
from tests.support.stores import current, define, history_of, process, records, row_of, store

pytestmark = pytest.mark.django_db

ASKED: list[object] = []


@pytest.fixture(autouse=True)
def _extensions() -> Iterator[None]:
    ASKED.clear()
    readers.register("tests.reads")(read)
    processors.register("tests.ends", check=str)(end)
    yield
    readers.unregister("tests.reads")
    processors.unregister("tests.ends")


def read(source: Source) -> list[object]:
    ASKED.append(source)
    if source.data == "unreadable":
        raise UnreadableData("")
    if source.data == "slow":
        time.sleep(5)
    return [{"id": 1, "lines": [{"id": 2}]}]


def end(written: Written) -> object:
    ASKED.append(written)
    if written.argument == "fails":
        raise ValueError("no index")
    return {
        "ends": Ending(31, "The index is closed."),
        "ends without words": Ending(32, ""),
        "processed": Ending(10, "fine"),
        "something": "something",
    }.get(written.argument)


def log_of(identifier: str) -> list[str]:
    """Return the lines of the log of the only attempt, without its time."""
    (row,) = history_of(identifier)
    first, *lines = row.log_text.split("\n")
    assert re.fullmatch(r"Attempt of \d{4}-\d\d-\d\dT.*\+00:00\.", first)
    return lines


class TestReader:
    def test_is_given_the_message_and_its_file(self, settings, tmp_path):
        settings.MESSAGE_STORE_FILES = tmp_path
        (tmp_path / "a.csv").write_text("1")
        define(json_schema={}, reader="tests.reads")
        identifier = store("where", options={"a": 1}, file_path="a.csv")
        assert process(identifier).status == 10
        path = (tmp_path / "a.csv").resolve()
        assert [Source(identifier=identifier, data="where", path=path, options={"a": 1})] == ASKED

    def test_may_end_the_message_without_words(self):
        define(json_schema={}, reader="tests.reads")
        row = process(store("unreadable"))
        assert (row.status, row.error_message) == (25, "The data cannot be read.")

    @pytest.mark.parametrize(
        ("values", "error"),
        [
            ({"file_path": "none.json"}, "file_path does not name a file in the file store."),
            ({"data": None}, "The message has no data."),
            ({"data": "{}"}, "data must be an array of JSON objects."),
        ],
    )
    def test_of_json_says_what_it_cannot_read(self, values, error):
        define(json_schema={})
        identifier = store_message(
            read_message({"system": "crm", "entity": "customer"} | values), actor=None
        ).identifier
        row = process(identifier)
        assert (row.status, row.error_message) == (25, error)
        assert log_of(identifier) == ["Read as customer of crm.", error]


class TestProcessor:
    def test_is_given_the_records_and_the_argument(self):
        define("crm", "line", json_schema={})
        define(reader="tests.reads", json_schema={}, children={"lines": "line"}, processor="tests.ends:all")
        identifier = store("1", options={"a": 1})
        assert process(identifier).status == 10
        assert ASKED[1:] == [
            Written(
                identifier=identifier,
                system="crm",
                entity="customer",
                options={"a": 1},
                records=[("customer", "[1]", {"id": 1}), ("line", "[2]", {"id": 2})],
                argument="all",
            )
        ]
        assert log_of(identifier) == [
            "Read as customer of crm.",
            "2 records read.",
            "2 versions written, 0 ended by refresh, 0 taken back.",
            "The processor tests.ends:all has run.",
        ]

    @pytest.mark.parametrize(
        ("argument", "status", "error", "has_run"),
        [
            ("ends", 31, "The index is closed.", "has run"),
            ("ends without words", 32, "The processor {name} says so.", "has run"),
            ("fails", 20, "ValueError: no index", "failed"),
            (
                "processed",
                20,
                "The processor {name} must return None, or an Ending with error 20 or higher.",
                "has run",
            ),
            (
                "something",
                20,
                "The processor {name} must return None, or an Ending with error 20 or higher.",
                "has run",
            ),
        ],
    )
    def test_ends_the_message_and_keeps_its_records(self, argument, status, error, has_run):
        name = f"tests.ends:{argument}"
        define(json_schema={}, processor=name)
        identifier = store([{"id": 7}])
        row = process(identifier)
        error = error.format(name=name)
        assert (row.status, row.error_message) == (status, error)
        assert log_of(identifier)[2:] == [
            "1 versions written, 0 ended by refresh, 0 taken back.",
            f"The processor {name} {has_run}.",
            error,
        ]
        assert list(current()) == [("customer", "[7]")]


class TestLog:
    def test_counts_what_a_refresh_ends_and_what_is_taken_back(self):
        define(json_schema={})
        process(store([{"id": 1}, {"id": 2}, {"id": 3}]))
        refresh = store([{"id": 3}, {"id": 4}], refresh=True)
        process(refresh)
        assert log_of(refresh)[1:] == [
            "2 records read.",
            "2 versions written, 3 ended by refresh, 0 taken back.",
        ]
        assert len(records()) == 4

    def test_has_all_errors_of_data(self):
        define()
        identifier = store([{"id": 1}, 7, {"id": 1}])
        process(identifier)
        assert log_of(identifier) == [
            "Read as customer of crm.",
            "record 2: not a JSON object.",
            "record 3: the key [1] appears twice.",
        ]


class TestProcessMessage:
    def test_gives_a_message_back_that_takes_too_long(self):
        define(json_schema={}, reader="tests.reads")
        identifier = store("slow")
        assert process_message(identifier, seconds=0.25) is None
        (row,) = history_of(identifier)
        assert row.log_text == "It took longer than 0.25 seconds, and waits for the monitor."
        assert (row_of(identifier).status, records()) == (0, {})

    def test_does_not_find_a_message_by_another_identifier(self):
        outcome = process_message("123e4567-e89b-12d3-a456-426614174000")
        assert (outcome.status, outcome.errors) == (21, ["The store has no such message."])
