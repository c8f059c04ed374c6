import pytest

from messages_app.demo.hub import processing
from messages_app.messages.models import ExternalCall, Message
from messages_app.shared.message_states import MessageState, ParentBinding
from tests.messages_app.demo.hub.playing import ago, done, fresh, settle, state_of, stored

pytestmark = pytest.mark.django_db
OK, PROCESSING, WAITING = MessageState.OK, MessageState.PROCESSING, MessageState.WAITING


def run(stage, **columns: object) -> Message:
    """Store a message as the hub has just taken it, and let a worker do it."""
    message = stored(PROCESSING, age=1, **columns)
    done(processing.run_message(stage, fresh(message)))
    return message


class TestRun:
    def test_ends_ok(self, stage):
        assert state_of(run(stage)) == OK

    def test_waits_in_its_funnel_and_notes_the_message(self, stage):
        stored(MessageState.WAITING, values=("A7",), funnel_component_id="funnel_account")
        message = run(stage, operation_name="postPayment", values=("A7",))
        row = fresh(message)
        assert (row.state, row.funnel_component_id) == (MessageState.POSTPONED, "funnel_account")
        assert not ExternalCall.objects.exists()

    def test_waits_if_the_answer_comes_later(self, stage):
        assert state_of(run(stage, operation_name="createWorkOrder")) == MessageState.WAITING_FOR_RES

    def test_fails_again_if_the_content_is_wrong(self, stage):
        message = run(stage, failed_error_code="E102", failed_count=1)
        assert (state_of(message), fresh(message).failed_count) == (MessageState.FAILED, 2)

    def test_runs_a_message_without_a_route_without_calls(self, stage):
        assert state_of(run(stage, operation_name="Invoice")) == OK

    def test_leaves_a_message_that_was_cancelled_in_the_queue(self, stage, openhub):
        message = stored(MessageState.CANCEL)
        done(processing.run_message(stage, fresh(message)))
        assert state_of(message) == MessageState.CANCEL

    def test_overwrites_a_cancel_of_a_message_in_progress(self, stage):
        message = stored(PROCESSING, age=1)
        steps = processing.run_message(stage, fresh(message))
        next(steps)
        Message.objects.filter(pk=message.pk).update(state=MessageState.CANCEL)
        done(steps)
        assert state_of(message) == OK


class TestArrive:
    @pytest.mark.parametrize("hub", ["cleverbus", "openhub"])
    def test_runs_to_the_end(self, stage, settings, hub):
        settings.HUB_RULES = hub
        message = stored(MessageState.NEW if hub == "openhub" else PROCESSING, age=0)
        done(processing.queue_arrival(stage, message))
        settle(stage)
        assert state_of(message) == OK

    def test_leaves_ordered_messages_without_a_value_for_the_repair(self, stage):
        message = stored(PROCESSING, age=0, guaranteed_order=True)
        done(processing.queue_arrival(stage, message))
        settle(stage)
        assert state_of(message) == PROCESSING


class TestChildren:
    """
    The creation of children and the values they copy: docs/contributing/spec/cleverbus.md, "Parents and
    children".
    """

    def children_of(self, message: Message) -> list[Message]:
        return list(Message.objects.filter(parent_msg_id=message.pk).order_by("msg_id"))

    @pytest.mark.parametrize("hub", ["cleverbus", "openhub"])
    def test_of_a_splitter_are_numbered_and_end_it(self, stage, settings, hub):
        settings.HUB_RULES = hub
        state = MessageState.IN_QUEUE if hub == "openhub" else PROCESSING
        parent = stored(state, operation_name="submitReadings", process_id="P1", msg_timestamp=ago(50))
        done(processing.run_message(stage, fresh(parent)))
        assert state_of(parent) == WAITING
        children = self.children_of(parent)
        assert 2 <= len(children) <= 6
        for index, child in enumerate(children):
            assert child.correlation_id == f"{parent.correlation_id}_{index}"
            assert child.parent_binding_type == ParentBinding.HARD
            assert (child.envelope, child.guaranteed_order) == (None, False)
            copied = ("msg_timestamp", "receive_timestamp", "process_id", "source_system")
            assert all(getattr(child, name) == getattr(parent, name) for name in copied)
        settle(stage)
        assert {child.state for child in self.children_of(parent)} == {OK}
        assert state_of(parent) == OK

    def test_are_not_made_twice_by_a_splitter(self, stage):
        parent = run(stage, operation_name="submitReadings", failed_count=4)
        assert (state_of(parent), fresh(parent).failed_count) == (MessageState.FAILED, 5)
        assert self.children_of(parent) == []

    def test_of_the_component_are_made_again_by_each_run(self, stage):
        parent = stored(PROCESSING, operation_name="createOrder")
        for _ in range(2):
            done(processing.run_message(stage, fresh(parent)))
            Message.objects.filter(pk=parent.pk).update(state=PROCESSING)
        bindings = [child.parent_binding_type for child in self.children_of(parent)]
        assert bindings == [ParentBinding.SOFT, ParentBinding.HARD] * 2

    def test_do_not_make_a_parent_wait_if_it_was_changed_meanwhile(self, stage):
        parent = stored(PROCESSING, operation_name="submitReadings")
        copy = fresh(parent)
        steps = processing.run_message(stage, copy)
        next(steps)
        Message.objects.filter(pk=parent.pk).update(state=MessageState.CANCEL)
        done(steps)
        assert state_of(parent) == MessageState.CANCEL

    def test_of_three_levels_end_all_if_the_hub_climbs(self, stage, openhub):
        parent = stored(MessageState.IN_QUEUE, operation_name="createSubscription", age=0)
        done(processing.run_message(stage, fresh(parent)))
        settle(stage)
        order = next(child for child in self.children_of(parent) if child.operation_name == "createWorkOrder")
        assert order.state == MessageState.WAITING_FOR_RES
        done(processing.resume_message(stage, order.pk))
        assert state_of(order) == WAITING
        settle(stage)
        assert (state_of(order), state_of(parent)) == (OK, OK)
