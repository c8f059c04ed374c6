"""Each member of a body has the value of its own column or figure."""

from datetime import UTC, datetime

import pytest

from messages_app.core.representation import represent_value
from messages_app.message_store.api import serializers
from messages_app.message_store.models import MessageHistory, MessageLine, MessageProcess, MessageStore
from messages_app.message_store.retry_times import Timing, Wait
from messages_app.message_store.selectors.explanation import Explanation, MissingKey
from messages_app.message_store.selectors.messages import ListedMessage
from messages_app.message_store.services.dry_run import DryRun, Effect, RecordChange
from messages_app.message_store.services.intake import Stored
from messages_app.message_store.services.records import Key
from tests.support.distinct_rows import check_body, distinct_members


def at(minute: int) -> datetime:
    return datetime(2026, 11, 2, 12, minute, tzinfo=UTC)


def listed_message(**of_line: object) -> ListedMessage:
    """Return a message whose columns of three tables all differ."""
    columns: dict[str, object] = {
        "number": 31,
        "message_identifier": "m-1",
        "has_store": False,
        "has_process": True,
        "message_timestamp": at(1),
        "source_system": "system of the line",
        "source_entity": "entity of the line",
        "status": 26,
        "next_attempt_timestamp": at(2),
        "claimed_at": at(3),
        "attempts": 32,
        "abandoned": 33,
        "last_started_at": at(4),
        "last_ended_at": at(5),
        "muted_at": at(6),
    }
    return ListedMessage(
        line=MessageLine(**columns | of_line),
        store=MessageStore(
            message_identifier="m-1",
            source_system="crm",
            source_entity="customer",
            message_timestamp=at(7),
            effective_timestamp=at(8),
            user_name="grace",
            refresh=True,
            options="{}",
            data="[]",
            file_path="/in/a.json",
        ),
        process=MessageProcess(
            message_identifier="m-1",
            status=26,
            processed_timestamp=at(9),
            next_attempt_timestamp=at(10),
            error_message="no such customer",
        ),
    )


PROGRESS = {
    "message_identifier": "m-1",
    "status": 26,
    "status_name": "reprocess timeout",
    "status_class": "error",
    "processed_timestamp": "2026-11-02T12:09:00Z",
    "next_attempt_timestamp": "2026-11-02T12:10:00Z",
    "error_message": "no such customer",
    "muted_at": "2026-11-02T12:06:00Z",
}


class TestMessages:
    def test_have_each_value_of_its_own_column(self):
        message = listed_message()
        assert represent_value(serializers.StoreMessageSerializer, message) == PROGRESS | {
            "number": 31,
            "source_system": "crm",
            "source_entity": "customer",
            "message_timestamp": "2026-11-02T12:07:00Z",
            "effective_timestamp": "2026-11-02T12:08:00Z",
            "user_name": "grace",
            "refresh": True,
            "file_path": "/in/a.json",
            "attempts": 32,
            "orphan": message.orphan,
        }
        assert message.orphan

    @pytest.mark.parametrize("is_same", [True, False])
    def test_that_were_dropped_say_whether_their_content_is_the_same(self, is_same):
        members = distinct_members(Stored, is_dropped=True, is_same=is_same)
        body = represent_value(serializers.StoredSerializer, (Stored(**members), listed_message()))
        assert body == PROGRESS | {"dropped": True, "same_content": is_same}

    def test_that_were_stored_say_nothing_about_another_content(self):
        members = distinct_members(Stored, is_dropped=False, is_same=True)
        body = represent_value(serializers.StoredSerializer, (Stored(**members), listed_message()))
        assert body == PROGRESS | {"dropped": False}


class TestAttempts:
    def test_have_each_value_of_its_own_column(self):
        check_body(
            serializers.AttemptSerializer,
            MessageHistory,
            also={"status_name": "reprocess timeout"},
            status=26,
        )

    def test_of_a_dry_run(self):
        record = RecordChange(key=Key("customer", '["c-1"]'), effect=Effect.CHANGED, fields=("name", "city"))
        members = distinct_members(DryRun, status=26, errors=["e1", "e2"], records=[record])
        assert represent_value(serializers.RehearsalSerializer, DryRun(**members)) == {
            "status": 26,
            "status_name": "reprocess timeout",
            "errors": ["e1", "e2"],
            "records": [
                {
                    "entity": "customer",
                    "record_key": '["c-1"]',
                    "effect": "changed",
                    "fields_that_differ": ["name", "city"],
                }
            ],
            "ended": members["ended"],
            "taken_back": members["taken_back"],
        }
        assert members["ended"] != members["taken_back"]


class TestExplanations:
    def test_have_each_figure_of_its_own(self):
        wait = Wait(**{name: float(place) for place, name in enumerate(Wait.__annotations__, start=2)})
        timing = Timing(**distinct_members(Timing))
        explanation = Explanation(
            summary="It waits for a customer.",
            next_attempt=at(1),
            wait=wait,
            timing=timing,
            missing=[MissingKey("customer", '["c-1"]'), MissingKey("country", '["cz"]')],
            gives_up_at=at(2),
        )
        assert represent_value(serializers.ExplainedSerializer, explanation) == {
            "summary": "It waits for a customer.",
            "next_attempt": "2026-11-02T12:01:00Z",
            "wait": {
                "age": wait.age,
                "duration": wait.duration,
                "raw": wait.raw,
                "floor": wait.floor,
                "seconds": wait.seconds,
                "cap": wait.cap,
            },
            "missing": [
                {"entity": "customer", "record_key": '["c-1"]'},
                {"entity": "country", "record_key": '["cz"]'},
            ],
            "gives_up_at": "2026-11-02T12:02:00Z",
        }
