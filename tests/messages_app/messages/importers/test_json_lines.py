import json
from datetime import UTC, datetime

import pytest

from messages_app.messages.importers.json_lines import LineRefused, message_row

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
LEAST = {
    "correlation_id": "c-1",
    "source_system": "crm",
    "service_name": "customer",
    "operation_name": "createCustomer",
    "payload": "<a/>",
    "msg_timestamp": "2026-10-31T08:00:00+02:00",
}


def row_of(**columns: object) -> dict[str, object]:
    return message_row(json.dumps(LEAST | columns).encode(), loaded_at=NOON)


class TestMessageRow:
    def test_adds_the_defaults_of_the_hub(self):
        row = row_of()
        assert row["state"] == "NEW"
        assert row["receive_timestamp"] == NOON
        assert row["source_system"] == "CRM"
        assert row["msg_timestamp"].isoformat() == "2026-10-31T06:00:00+00:00"

    def test_makes_a_child_soft_by_default(self):
        assert row_of(parent_msg_id=7)["parent_binding_type"] == "SOFT"
        assert row_of(parent_msg_id=7, parent_binding_type="HARD")["parent_binding_type"] == "HARD"

    @pytest.mark.parametrize("missing", sorted(LEAST))
    def test_rejects_a_missing_column(self, missing):
        line = json.dumps({name: value for name, value in LEAST.items() if name != missing}).encode()
        with pytest.raises(LineRefused, match=f"{missing} is missing"):
            message_row(line, loaded_at=NOON)

    @pytest.mark.parametrize(
        ("columns", "reason"),
        [
            ({"colour": "red"}, "'colour' is not a column"),
            ({"service": "customer"}, "'service' is not a column"),
            ({"payload": None}, "payload must not be null"),
            ({"payload": {"a": 1}}, "payload must be text"),
            ({"payload": ""}, "payload must not be empty"),
            ({"payload": "a\x00b"}, "payload holds a character"),
            ({"payload": "\ud800"}, "payload holds a character"),
            ({"source_system": "A" * 16}, "source_system is 16 characters long, 15 is the limit"),
            ({"state": "DONE"}, "state must be one of"),
            ({"parent_binding_type": "FIRM"}, "parent_binding_type must be one of"),
            ({"failed_count": "3"}, "failed_count must be a whole number"),
            ({"failed_count": True}, "failed_count must be a whole number"),
            ({"failed_count": 1.5}, "failed_count must be a whole number"),
            ({"failed_count": -1}, "failed_count must be from 0"),
            ({"failed_count": 2**31}, "failed_count must be from 0"),
            ({"msg_id": 0}, "msg_id must be from 1"),
            ({"msg_id": 2**63}, "msg_id must be from 1"),
            ({"guaranteed_order": 1}, "guaranteed_order must be true or false"),
            ({"msg_timestamp": 5}, "msg_timestamp must be an ISO 8601 time"),
            ({"msg_timestamp": "yesterday"}, "msg_timestamp must be an ISO 8601 time"),
            ({"msg_timestamp": "2026-10-31T08:00:00"}, "msg_timestamp has no offset"),
            ({"msg_timestamp": "0001-01-01T00:00:00+00:00"}, "msg_timestamp must be between"),
        ],
    )
    def test_names_the_invalid_field(self, columns, reason):
        with pytest.raises(LineRefused, match=reason):
            row_of(**columns)

    @pytest.mark.parametrize(
        "line",
        [
            b"{",
            b"[1]",
            b'"text"',
            b"\xff",
            b"[" * 100_000,
            b'{"failed_count": ' + b"9" * 5000 + b"}",
            b'{"payload": "a", "payload": "b"}',
        ],
    )
    def test_rejects_an_invalid_object(self, line):
        with pytest.raises(LineRefused):
            message_row(line, loaded_at=NOON)
