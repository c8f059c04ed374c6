"""The row of a stored message, column by column, the reading of its fields, and repeats."""

from datetime import UTC, datetime

import pytest

from messages_app.message_store.errors import InvalidInput
from messages_app.message_store.models import MessageProcess, MessageStore
from messages_app.message_store.services.intake import Allowed, NewMessage, read_message, store_message
from tests.support.audit_entries import GRACE

pytestmark = pytest.mark.django_db

IDENTIFIER = "123e4567-e89b-12d3-a456-426614174000"
TIME = datetime(2026, 5, 1, 10, 30, tzinfo=UTC)
FIELDS = {
    "identifier": IDENTIFIER.upper(),
    "system": "crm",
    "entity": "customer",
    "timestamp": "2026-05-01T12:30:00+02:00",
    "user": "ada",
    "refresh": True,
    "process": True,
    "options": {"a": "é"},
    "data": [{"id": 1}],
    "file_path": "in/a.json",
}
READ = NewMessage(
    identifier=IDENTIFIER,
    system="crm",
    entity="customer",
    effective=TIME,
    user="ada",
    refresh=True,
    process=True,
    options='{"a": "é"}',
    data='[{"id": 1}]',
    file_path="in/a.json",
)


class TestReadMessage:
    def test_reads_each_field(self):
        assert read_message(FIELDS) == READ

    def test_leaves_out_what_is_missing(self):
        message = read_message({"msgid": IDENTIFIER, "entity": "customer", "system": "", "options": None})
        assert message == NewMessage(identifier=IDENTIFIER, entity="customer")
        made = [read_message({"data": ""}).identifier for _ in range(2)]
        assert (len(made[0]), made[0] != made[1]) == (36, True)

    @pytest.mark.parametrize(
        ("change", "field", "code"),
        [
            ({"guid": IDENTIFIER}, "identifier", "invalid_value"),
            ({"identifier": "x"}, "identifier", "invalid_value"),
            ({"identifier": 7}, "identifier", "invalid_value"),
            ({"system": "x" * 256}, "system", "too_long"),
            ({"entity": 7}, "entity", "invalid_value"),
            ({"user": "a\0"}, "user", "invalid_value"),
            ({"refresh": "yes"}, "refresh", "invalid_value"),
            ({"process": 1}, "process", "invalid_value"),
            ({"options": "\ud800"}, "options", "invalid_value"),
            ({"data": "a\0"}, "data", "invalid_value"),
            ({"timestamp": "2026-05-01"}, "timestamp", "invalid_value"),
            ({"timestamp": 7}, "timestamp", "invalid_value"),
            ({"timestamp": "0001-12-31T00:00:00Z"}, "timestamp", "invalid_value"),
            ({"timestamp": "9999-01-01T00:00:00Z"}, "timestamp", "invalid_value"),
            ({"file_path": "../a"}, "file_path", "invalid_value"),
            ({"file_path": 7}, "file_path", "invalid_value"),
            ({"entity": None, "data": None, "file_path": None}, "entity", "required"),
            ({"nothing": 1}, "nothing", "unknown_field"),
        ],
        ids=str,
    )
    def test_refuses_an_invalid_field(self, change, field, code):
        with pytest.raises(InvalidInput) as refused:
            read_message(FIELDS | change)
        assert (refused.value.field, refused.value.code) == (field, code)

    @pytest.mark.parametrize(
        ("text", "time"),
        [
            ("0002-01-01T00:00:00", datetime(2, 1, 1, tzinfo=UTC)),
            ("9998-12-31T00:00:00Z", datetime(9998, 12, 31, tzinfo=UTC)),
            ("2026-05-01T10:30:00", TIME),
            ("2026-05-01T00:30:00-10:00", TIME),
        ],
    )
    def test_reads_a_time_without_a_zone_as_utc(self, text, time):
        assert read_message(FIELDS | {"timestamp": text}).effective == time

    def test_accepts_names_of_255_characters(self):
        assert read_message(FIELDS | {"system": "x" * 255}).system == "x" * 255

    @pytest.mark.parametrize("name", ["system", "entity", "user"])
    def test_allows_the_values_of_the_options(self, name):
        given = FIELDS[name]
        fields = {key: value for key, value in FIELDS.items() if key != name}
        two, one = Allowed(**{name: (given, "other")}), Allowed(**{name: ("other",)})
        assert read_message(FIELDS, allowed=two) == READ
        assert getattr(read_message(fields, allowed=one), name) == "other"
        for values, allowed in ((fields, two), (FIELDS, one)):
            with pytest.raises(InvalidInput, match=f"{name} must be one of") as refused:
                read_message(values, allowed=allowed)
            assert refused.value.field == name


class TestStoreMessage:
    def test_stores_each_column(self):
        before = MessageStore.objects.count()
        assert store_message(READ, actor=GRACE).is_dropped is False
        row = MessageStore.objects.values().get(pk=IDENTIFIER)
        assert row.pop("message_timestamp") > TIME
        assert row == {
            "message_identifier": IDENTIFIER,
            "source_system": "crm",
            "source_entity": "customer",
            "effective_timestamp": TIME,
            "user_name": "ada",
            "refresh": True,
            "options": '{"a": "é"}',
            "data": '[{"id": 1}]',
            "file_path": "in/a.json",
        }
        assert MessageStore.objects.count() == before + 1
        process = MessageProcess.objects.values().get(pk=IDENTIFIER)
        assert process.pop("message_identifier") == IDENTIFIER
        assert process.pop("status") == 0
        assert set(process.values()) == {None}

    def test_takes_effect_when_it_is_stored_if_it_names_no_time(self):
        store_message(NewMessage(identifier=IDENTIFIER), actor=GRACE)
        row = MessageStore.objects.get()
        assert row.effective_timestamp == row.message_timestamp > TIME
        assert (row.refresh, row.source_system, row.data) == (False, None, None)

    @pytest.mark.parametrize(
        "change",
        [
            {"system": "erp"},
            {"system": None},
            {"entity": "order"},
            {"refresh": False},
            {"options": None},
            {"data": "[]"},
            {"file_path": None},
        ],
        ids=str,
    )
    def test_says_that_a_repeat_with_another_content_differs(self, change):
        store_message(READ, actor=GRACE)
        values = {name: getattr(READ, name) for name in NewMessage.__dataclass_fields__}
        other = store_message(NewMessage(**values | change), actor=GRACE)
        same = store_message(NewMessage(**values | {"user": "ben", "effective": None}), actor=GRACE)
        assert [(one.is_dropped, one.is_same) for one in (other, same)] == [(True, False), (True, True)]

    def test_leaves_the_row_of_a_process_without_a_message(self):
        MessageProcess.objects.create(message_identifier=IDENTIFIER, status=26, error_message="why")
        assert not store_message(READ, actor=GRACE).is_dropped
        row = MessageProcess.objects.get()
        assert (row.status, row.error_message) == (26, "why")
