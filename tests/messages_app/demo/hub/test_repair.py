"""Acceptance cases 19 and 20 of docs/contributing/spec/cleverbus.md, "Acceptance cases"."""

from collections import Counter

import pytest

from messages_app.demo.hub import repair
from messages_app.messages.models import ExternalCall, Message
from messages_app.shared.message_states import ExternalCallState, MessageState
from tests.messages_app.demo.hub.playing import ago, done, fresh, state_of, stored
from tests.support.factories import make_external_call

pytestmark = pytest.mark.django_db
NEW, IN_QUEUE, PROCESSING = MessageState.NEW, MessageState.IN_QUEUE, MessageState.PROCESSING


def repaired() -> int:
    return Message.objects.filter(state=MessageState.PARTLY_FAILED).count()


class TestRepair:
    def test_takes_fifty_messages_in_a_run_from_every_state(self, stage, openhub):
        for state, count in Counter({PROCESSING: 70, NEW: 30, IN_QUEUE: 28}).items():
            for _ in range(count):
                stored(state, age=301)
        counts = []
        for _ in range(3):
            done(repair.repair_messages(stage))
            counts.append(repaired())
        assert counts == [50, 100, 128]

    def test_counts_it_as_a_failure_without_a_text(self, stage):
        message = stored(PROCESSING, age=301, failed_count=1)
        done(repair.repair_messages(stage))
        row = fresh(message)
        assert (row.state, row.failed_count, row.failed_error_code) == (MessageState.PARTLY_FAILED, 2, None)

    def test_gives_up_at_the_limit(self, stage):
        message = stored(PROCESSING, age=301, failed_count=3)
        done(repair.repair_messages(stage))
        row = fresh(message)
        assert (row.state, row.failed_count, row.failed_error_code) == (MessageState.FAILED, 4, "E116")

    @pytest.mark.parametrize(
        ("state", "columns"),
        [
            (PROCESSING, {"start_process_timestamp": None}),
            (PROCESSING, {"age": 299}),
            (NEW, {}),
            (MessageState.WAITING, {}),
            (MessageState.WAITING_FOR_RES, {}),
        ],
    )
    def test_never_checks_others(self, stage, state, columns):
        message = stored(state, **({"age": 900} | columns))
        done(repair.repair_messages(stage))
        assert state_of(message) == state

    def test_frees_external_calls_in_three_runs(self, stage):
        message = stored(MessageState.OK)
        for _ in range(119):
            make_external_call(
                message, state=ExternalCallState.PROCESSING, last_update_timestamp=ago(301), failed_count=1
            )
        counts = []
        for _ in range(3):
            done(repair.repair_messages(stage))
            counts.append(ExternalCall.objects.filter(state=ExternalCallState.FAILED, failed_count=1).count())
        assert counts == [50, 100, 119]
