from datetime import timedelta

import pytest
from django.utils import timezone

from messages_app.demo.hub import processing
from messages_app.messages.models import Message
from messages_app.shared.message_states import MessageState
from tests.messages_app.demo.hub.playing import ago, done, fresh, make_stage, state_of, stored
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db


class TestTake:
    @pytest.mark.parametrize("state", [MessageState.PARTLY_FAILED, MessageState.POSTPONED])
    def test_starts_what_a_poll_takes(self, stage, state):
        message = stored(state, failed_count=2)
        taken = processing.take_message(stage, message.pk)
        row = fresh(message)
        assert taken.state == row.state == MessageState.PROCESSING
        assert (row.failed_count, row.node_id) == (2, 1)
        just_now = timezone.now() - timedelta(seconds=10)
        assert row.start_process_timestamp > just_now
        assert row.last_process_timestamp > just_now

    def test_checks_the_state_again(self, stage):
        message = stored(MessageState.PARTLY_FAILED)
        Message.objects.filter(pk=message.pk).update(state=MessageState.CANCEL)
        assert processing.take_message(stage, message.pk) is None
        assert state_of(message) == MessageState.CANCEL

    def test_skips_a_message_that_no_longer_exists(self, stage):
        assert processing.take_message(stage, 1) is None

    def test_puts_it_into_the_queue_if_there_is_one(self, stage, openhub):
        message = stored(MessageState.POSTPONED)
        processing.take_message(stage, message.pk)
        row = fresh(message)
        assert row.state == MessageState.IN_QUEUE
        assert row.start_in_queue_timestamp > ago(10)
        assert row.start_process_timestamp < ago(100)

    @pytest.mark.django_db(transaction=True)
    def test_returns_it_to_only_one_of_two(self):
        message = stored(MessageState.PARTLY_FAILED)

        def work() -> bool:
            return processing.take_message(make_stage(), message.pk) is not None

        assert sorted(in_threads(work, work)) == [False, True]


class TestBegin:
    def test_drops_a_message_cancelled_in_the_queue(self, stage, openhub):
        message = stored(MessageState.CANCEL)
        assert processing.begin_message(stage, message.pk, {MessageState.IN_QUEUE}) is None
        assert state_of(message) == MessageState.CANCEL


class TestAdmit:
    """Acceptance case 16 of docs/contributing/spec/cleverbus.md, "Acceptance cases"."""

    def behind_another(self, age: float) -> Message:
        stored(MessageState.FAILED, age=age + 10, values=("V",), guaranteed_order=True)
        return stored(MessageState.PROCESSING, age=age, values=("V",), guaranteed_order=True)

    def test_fails_a_message_that_a_poll_finds_older_than_the_limit(self, stage):
        message = self.behind_another(301)
        assert not done(processing.admit_message(stage, message, is_polled=True))
        row = fresh(message)
        assert (row.state, row.failed_error_code, row.failed_count) == (MessageState.FAILED, "E121", 1)
        assert row.failed_desc.startswith("E121: message waited too long in state POSTPONED (com.")

    @pytest.mark.parametrize(("age", "is_polled"), [(290, True), (301, False)])
    def test_puts_back_younger_and_new_messages(self, stage, age, is_polled):
        message = self.behind_another(age)
        assert not done(processing.admit_message(stage, message, is_polled=is_polled))
        assert state_of(message) == MessageState.POSTPONED

    def test_lets_the_first_message_continue(self, stage):
        message = stored(MessageState.PROCESSING, values=("V",), guaranteed_order=True)
        assert done(processing.admit_message(stage, message, is_polled=True))
