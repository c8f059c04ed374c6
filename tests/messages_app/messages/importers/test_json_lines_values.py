"""Every kind of value of a line, just within its limit and just beyond."""

import json
from datetime import UTC, datetime

import pytest

from messages_app.messages.importers.json_lines import LineRefused, message_row
from messages_app.shared.message_states import MessageState
from tests.messages_app.messages.importers.test_json_lines import LEAST, NOON, row_of

# Each value differs from all others, and from the default of its column.
ALL = {
    "msg_id": 4001,
    "correlation_id": "c-2",
    "source_system": "shop",
    "service_name": "a service",
    "operation_name": "an operation",
    "payload": "<payload/>",
    "msg_timestamp": "2026-10-31T08:01:00+02:00",
    "receive_timestamp": "2026-10-31T08:02:00Z",
    "start_process_timestamp": "2026-10-31T08:03:00Z",
    "last_process_timestamp": "2026-10-31T08:04:00Z",
    "state": "FAILED",
    "failed_count": 5,
    "failed_error_code": "E103",
    "parent_msg_id": 4002,
    "parent_binding_type": "HARD",
    "process_id": "a process",
    "object_id": "an object",
    "entity_type": "an entity",
    "guaranteed_order": True,
    "exclude_failed_state": False,
}


def reason_of(line: bytes) -> str:
    with pytest.raises(LineRefused) as refused:
        message_row(line, loaded_at=NOON)
    return str(refused.value)


def reason_of_value(**columns: object) -> str:
    return reason_of(json.dumps(LEAST | columns).encode())


class TestMessageRow:
    def test_has_each_value_in_its_own_column(self):
        times = {
            "msg_timestamp": datetime(2026, 10, 31, 6, 1, tzinfo=UTC),
            "receive_timestamp": datetime(2026, 10, 31, 8, 2, tzinfo=UTC),
            "start_process_timestamp": datetime(2026, 10, 31, 8, 3, tzinfo=UTC),
            "last_process_timestamp": datetime(2026, 10, 31, 8, 4, tzinfo=UTC),
        }
        assert row_of(**ALL) == ALL | times | {"source_system": "SHOP"}

    def test_has_only_the_given_columns_and_the_defaults(self):
        assert row_of() == LEAST | {
            "source_system": "CRM",
            "state": "NEW",
            "receive_timestamp": NOON,
            "msg_timestamp": datetime(2026, 10, 31, 6, tzinfo=UTC),
        }

    def test_has_no_binding_without_a_parent(self):
        assert "parent_binding_type" not in row_of()
        assert "parent_binding_type" not in row_of(parent_msg_id=None)
        assert row_of(parent_msg_id=None, parent_binding_type=None)["parent_binding_type"] is None
        assert row_of(parent_msg_id=7, parent_binding_type=None)["parent_binding_type"] == "SOFT"
        assert row_of(parent_binding_type="HARD")["parent_binding_type"] == "HARD"

    def test_may_have_null_and_empty_text_where_the_column_may(self):
        row = row_of(object_id=None, process_id="", entity_type=" ")
        assert (row["object_id"], row["process_id"], row["entity_type"]) == (None, "", " ")
        assert reason_of_value(payload=" \n") == "payload must not be empty."
        assert reason_of_value(service_name="") == "service_name must not be empty."

    @pytest.mark.parametrize("state", MessageState)
    def test_may_have_every_state(self, state):
        assert row_of(state=state)["state"] == state

    @pytest.mark.parametrize(
        ("name", "most"), [("source_system", 15), ("correlation_id", 100), ("failed_error_code", 5)]
    )
    def test_has_texts_that_fit_their_column(self, name, most):
        assert str(row_of(**{name: "a" * most})[name]).lower() == "a" * most
        long = reason_of_value(**{name: "a" * (most + 1)})
        assert long == f"{name} is {most + 1} characters long, {most} is the limit."

    @pytest.mark.parametrize(
        ("name", "lowest", "highest"),
        [("failed_count", 0, 2**31 - 1), ("msg_id", 1, None), ("parent_msg_id", 1, None)],
    )
    def test_has_numbers_within_their_limits(self, name, lowest, highest):
        words = reason_of_value(**{name: lowest - 1})
        assert words.startswith(f"{name} must be from {lowest} to ")
        most = int(words.rpartition(" ")[2].removesuffix("."))
        assert highest in {None, most}
        assert (row_of(**{name: lowest})[name], row_of(**{name: most})[name]) == (lowest, most)
        assert reason_of_value(**{name: most + 1}) == words

    def test_has_times_within_the_years_of_a_hub(self):
        words = reason_of_value(msg_timestamp="1000-01-01T00:00:00Z")
        first, last = (int(word.strip(".")) for word in words.split() if word.strip(".").isdigit())
        assert words == f"msg_timestamp must be between {first} and {last}."
        for year in (first, last):
            at = row_of(msg_timestamp=f"{year}-07-01T00:00:00Z")["msg_timestamp"]
            assert at == datetime(year, 7, 1, tzinfo=UTC)
        for year in (first - 1, last + 1):
            assert reason_of_value(msg_timestamp=f"{year}-07-01T00:00:00Z") == words


class TestLine:
    @pytest.mark.parametrize(
        ("line", "reason"),
        [
            (b"\xff", "the line is not UTF-8."),
            (b"[1]", "not a JSON object."),
            (b'{"payload": 1, "state": "a", "state": "b"}', "'state' is there twice."),
            (b'{"a": 1, "b": {"x": 1, "x": 2}}', "'x' is there twice."),
            (b"[" * 100_000, "not JSON that a message can have."),
            (b'{"a"', "not JSON: Expecting ':' delimiter (column 5)."),
        ],
    )
    def test_is_refused_with_the_fault(self, line, reason):
        assert reason_of(line) == reason

    def test_may_begin_with_a_byte_order_mark(self):
        assert message_row(b"\xef\xbb\xbf" + json.dumps(LEAST).encode(), loaded_at=NOON)["state"] == "NEW"
