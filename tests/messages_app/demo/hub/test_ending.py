"""Acceptance cases 7, 8 and 21 of docs/spec/cleverbus.md, "Acceptance cases"."""

import pytest

from messages_app.demo import failures
from messages_app.demo.hub import attempt_end
from messages_app.messages.models import MessageEvent
from messages_app.shared.message_states import MessageState
from tests.messages_app.demo.hub.playing import ago, done, fresh, state_of, stored

pytestmark = pytest.mark.django_db


class TestFail:
    def test_gives_three_more_attempts(self, stage):
        message = stored(MessageState.PROCESSING)
        told = []
        for _ in range(4):
            done(attempt_end.fail(stage, fresh(message), failures.TIMEOUT))
            told.append((state_of(message), fresh(message).failed_count))
        assert told == [
            (MessageState.PARTLY_FAILED, 1),
            (MessageState.PARTLY_FAILED, 2),
            (MessageState.PARTLY_FAILED, 3),
            (MessageState.FAILED, 4),
        ]

    def test_gives_none_after_a_fatal_error(self, stage):
        message = stored(MessageState.PROCESSING)
        done(attempt_end.fail(stage, message, failures.INVALID_INPUT))
        row = fresh(message)
        assert (row.state, row.failed_count, row.failed_error_code) == (MessageState.FAILED, 1, "E102")
        first, trace = row.failed_desc.split("\n", 1)
        assert first.startswith("E102: validation error (com.example.hub.api.ValidationException: ")
        assert "\tat " in trace

    def test_continues_from_the_count_that_a_restart_left(self, stage):
        message = stored(MessageState.PROCESSING, failed_count=4)
        done(attempt_end.fail(stage, message, failures.TIMEOUT))
        assert (state_of(message), fresh(message).failed_count) == (MessageState.FAILED, 5)

    def test_overwrites_a_cancel(self, stage):
        copy = stored(MessageState.PROCESSING)
        type(copy).objects.filter(pk=copy.pk).update(state=MessageState.CANCEL)
        done(attempt_end.fail(stage, copy, failures.TIMEOUT))
        assert state_of(copy) == MessageState.PARTLY_FAILED


class TestSucceed:
    def test_keeps_the_old_error(self, stage):
        message = stored(MessageState.PROCESSING, failed_count=2, failed_error_code="E103", failed_desc="x")
        done(attempt_end.succeed(stage, message))
        row = fresh(message)
        assert (row.state, row.failed_count, row.failed_error_code) == (MessageState.OK, 2, "E103")
        assert row.last_process_timestamp > ago(10)

    def test_is_written_into_the_history_as_the_hub_s(self, stage):
        message = stored(MessageState.PROCESSING)
        done(attempt_end.succeed(stage, message))
        event = MessageEvent.objects.get(msg_id=message.pk)
        assert (event.from_state, event.to_state, event.actor) == ("PROCESSING", "OK", None)
