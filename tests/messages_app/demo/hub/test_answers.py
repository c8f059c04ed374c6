from dataclasses import replace

import pytest

from messages_app.demo.hub import poll
from messages_app.demo.hub.play import Stage
from messages_app.messages.models import Message
from messages_app.shared.message_states import MessageState
from tests.messages_app.demo.hub.playing import TIMING, ago, done, make_stage, settle, state_of, stored

pytestmark = pytest.mark.django_db
WAITING_FOR_RES = MessageState.WAITING_FOR_RES


@pytest.fixture
def stage(db) -> Stage:
    # Answers come after 50 to 600 ms, and none after three seconds: time for a busy machine.
    return make_stage(timing=replace(TIMING, work=100.0))


def waiting(**columns: object) -> Message:
    # Its correlation id is one that is answered.
    return stored(WAITING_FOR_RES, **({"operation_name": "createWorkOrder", "age": 1.0} | columns))


class TestAnswer:
    def test_lets_the_message_continue_to_its_end(self, stage):
        message = waiting(correlation_id="answered")
        done(poll.give_answers(stage))
        settle(stage)
        assert state_of(message) == MessageState.OK

    def test_never_comes_late_or_where_no_one_answers(self, stage):
        late = waiting(correlation_id="answered", last_process_timestamp=ago(301))
        other = waiting(operation_name="postPayment")
        done(poll.give_answers(stage))
        settle(stage)
        assert state_of(late) == state_of(other) == WAITING_FOR_RES

    def test_finds_it_cancelled(self, stage):
        message = waiting(correlation_id="answered")
        done(poll.give_answers(stage))
        Message.objects.filter(pk=message.pk).update(state=MessageState.CANCEL)
        settle(stage)
        assert state_of(message) == MessageState.CANCEL
