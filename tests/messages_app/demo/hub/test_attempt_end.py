"""Acceptance cases 7, 8 and 21 of docs/contributing/spec/cleverbus.md, "Acceptance cases"."""

import pytest

from messages_app.demo import failures
from messages_app.demo.hub import attempt_end, outcomes
from messages_app.demo.hub.play import Play
from messages_app.messages.models import ExternalCall, Message, MessageEvent
from messages_app.shared.message_states import (
    CONFIRMATION_OPERATION,
    ExternalCallState,
    MessageState,
    ParentBinding,
)
from tests.messages_app.demo.hub.playing import ago, done, fresh, make_stage, state_of, stored

pytestmark = pytest.mark.django_db


class TestFail:
    def test_allows_three_more_attempts(self, stage):
        message = stored(MessageState.PROCESSING)
        told = []
        for _ in range(4):
            done(attempt_end.fail_message(stage, fresh(message), failures.TIMEOUT))
            told.append((state_of(message), fresh(message).failed_count))
        assert told == [
            (MessageState.PARTLY_FAILED, 1),
            (MessageState.PARTLY_FAILED, 2),
            (MessageState.PARTLY_FAILED, 3),
            (MessageState.FAILED, 4),
        ]

    def test_allows_no_further_attempt_after_a_fatal_error(self, stage):
        message = stored(MessageState.PROCESSING)
        done(attempt_end.fail_message(stage, message, failures.INVALID_INPUT))
        row = fresh(message)
        assert (row.state, row.failed_count, row.failed_error_code) == (MessageState.FAILED, 1, "E102")
        first, trace = row.failed_desc.split("\n", 1)
        assert first.startswith("E102: validation error (com.example.hub.api.ValidationException: ")
        assert "\tat " in trace

    def test_continues_from_the_count_that_a_restart_left(self, stage):
        message = stored(MessageState.PROCESSING, failed_count=4)
        done(attempt_end.fail_message(stage, message, failures.TIMEOUT))
        assert (state_of(message), fresh(message).failed_count) == (MessageState.FAILED, 5)

    def test_overwrites_a_cancel(self, stage):
        copy = stored(MessageState.PROCESSING)
        type(copy).objects.filter(pk=copy.pk).update(state=MessageState.CANCEL)
        done(attempt_end.fail_message(stage, copy, failures.TIMEOUT))
        assert state_of(copy) == MessageState.PARTLY_FAILED


class TestSucceed:
    def test_keeps_the_old_error(self, stage):
        message = stored(MessageState.PROCESSING, failed_count=2, failed_error_code="E103", failed_desc="x")
        done(attempt_end.succeed_message(stage, message))
        row = fresh(message)
        assert (row.state, row.failed_count, row.failed_error_code) == (MessageState.OK, 2, "E103")
        assert row.last_process_timestamp > ago(10)

    def test_is_recorded_in_the_history_as_done_by_the_hub(self, stage):
        message = stored(MessageState.PROCESSING)
        done(attempt_end.succeed_message(stage, message))
        event = MessageEvent.objects.get(msg_id=message.pk)
        assert (event.from_state, event.to_state, event.actor) == ("PROCESSING", "OK", None)


OK, FAILED, WAITING, PROCESSING = (
    MessageState.OK,
    MessageState.FAILED,
    MessageState.WAITING,
    MessageState.PROCESSING,
)


def child_of(
    parent: Message, *, state: str = PROCESSING, binding: str | None = ParentBinding.HARD, **columns
):
    return stored(state, parent_msg_id=parent.pk, parent_binding_type=binding, **columns)


class TestCompleteParent:
    def test_ends_the_parent_when_it_is_the_last(self, stage):
        parent = stored(WAITING)
        first, second = (child_of(parent, business_error=error) for error in ("BE1", "BE2"))
        done(attempt_end.succeed_message(stage, first))
        assert state_of(parent) == WAITING
        done(attempt_end.succeed_message(stage, second))
        row = fresh(parent)
        assert row.state == OK
        assert row.business_error.startswith("BE1")
        assert "||BE2" in row.business_error

    @pytest.mark.parametrize("state", [FAILED, MessageState.CANCEL, PROCESSING])
    def test_ends_it_whatever_its_state_but_only_a_waiting_one_of_openhub(self, stage, settings, state):
        for hub, expected in (("cleverbus", OK), ("openhub", state)):
            settings.HUB_RULES = hub
            parent = stored(state)
            done(attempt_end.succeed_message(stage, child_of(parent)))
            assert state_of(parent) == expected

    def test_does_nothing_if_it_is_soft(self, stage):
        parent = stored(WAITING)
        for binding in (ParentBinding.SOFT, None):
            done(attempt_end.succeed_message(stage, child_of(parent, binding=binding)))
        assert state_of(parent) == WAITING

    def test_also_waits_for_a_soft_one(self, stage):
        parent = stored(WAITING)
        child_of(parent, state=MessageState.PARTLY_FAILED, binding=ParentBinding.SOFT)
        done(attempt_end.succeed_message(stage, child_of(parent)))
        assert state_of(parent) == WAITING

    @pytest.mark.parametrize(("is_gentle", "expected"), [(True, OK), (False, WAITING)])
    def test_waits_for_children_that_failed_before_its_restart_only_in_a_hub_that_is_not_gentle(
        self, is_gentle, expected
    ):
        stage = make_stage(is_gentle=is_gentle)
        parent = stored(WAITING, age=10)
        child_of(parent, state=FAILED, age=900)
        done(attempt_end.succeed_message(stage, child_of(parent, age=9)))
        assert state_of(parent) == expected

    @pytest.mark.parametrize(("state", "age"), [(FAILED, 9), (MessageState.PARTLY_FAILED, 900)])
    def test_waits_for_a_child_of_its_own_attempt_or_in_progress_in_a_gentle_hub(self, state, age):
        parent = stored(WAITING, age=10)
        child_of(parent, state=state, age=age, binding=ParentBinding.SOFT)
        done(attempt_end.succeed_message(make_stage(is_gentle=True), child_of(parent, age=9)))
        assert state_of(parent) == WAITING

    @pytest.mark.parametrize(("hub", "expected"), [("cleverbus", WAITING), ("openhub", OK)])
    def test_climbs_if_the_hub_does(self, stage, settings, hub, expected):
        settings.HUB_RULES = hub
        above = stored(WAITING)
        parent = child_of(above, state=WAITING)
        done(attempt_end.succeed_message(stage, child_of(parent)))
        assert (state_of(parent), state_of(above)) == (OK, expected)


class TestFailParent:
    def test_fails_the_parent_with_its_error(self, stage):
        parent = stored(WAITING)
        child = child_of(parent)
        done(attempt_end.fail_message(stage, child, failures.INVALID_INPUT))
        row, child = fresh(parent), fresh(child)
        assert row.state == FAILED
        assert (row.failed_error_code, row.failed_desc, row.failed_count) == (
            child.failed_error_code,
            child.failed_desc,
            child.failed_count,
        )

    def test_does_not_change_it_while_attempts_are_left_or_for_a_soft_child(self, stage):
        parent = stored(WAITING)
        done(attempt_end.fail_message(stage, child_of(parent), failures.TIMEOUT))
        done(
            attempt_end.fail_message(
                stage, child_of(parent, binding=ParentBinding.SOFT), failures.INVALID_INPUT
            )
        )
        assert state_of(parent) == WAITING

    @pytest.mark.parametrize(("hub", "expected"), [("cleverbus", WAITING), ("openhub", FAILED)])
    def test_climbs_if_the_hub_does(self, stage, settings, hub, expected):
        settings.HUB_RULES = hub
        above = stored(WAITING)
        parent = child_of(above, state=WAITING)
        done(attempt_end.fail_message(stage, child_of(parent), failures.INVALID_INPUT))
        assert (state_of(parent), state_of(above)) == (FAILED, expected)

    def test_ends_in_a_circle(self, stage, openhub):
        first = stored(WAITING)
        second = child_of(first, state=WAITING)
        Message.objects.filter(pk=first.pk).update(
            parent_msg_id=second.pk, parent_binding_type=ParentBinding.HARD
        )
        done(attempt_end.fail_message(stage, child_of(second), failures.INVALID_INPUT))
        assert state_of(first) == state_of(second) == FAILED


def not_taken(*, in_the_end: bool) -> str:
    """Return a correlation id whose confirmation the source system does not take at first."""
    return next(
        name
        for name in (f"corr-x{number}" for number in range(100_000))
        if not outcomes.is_confirmed(Play(), name, failed_count=0)
        and outcomes.is_confirmed(Play(), name, failed_count=3) == in_the_end
    )


def taken() -> str:
    """Return a correlation id whose confirmation the source system accepts immediately."""
    names = (f"corr-x{number}" for number in range(100_000))
    return next(name for name in names if outcomes.is_confirmed(Play(), name, failed_count=0))


def run(stage, message: Message, times: int) -> ExternalCall:
    done(attempt_end.confirm_message(stage, message))
    for _ in range(times):
        ExternalCall.objects.update(last_update_timestamp=ago(61))
        done(attempt_end.repeat_confirmations(stage))
    return ExternalCall.objects.get()


class TestConfirm:
    def test_leaves_no_row_if_it_is_accepted_immediately(self, stage):
        done(attempt_end.confirm_message(stage, stored(MessageState.OK, correlation_id=taken())))
        assert not ExternalCall.objects.exists()

    def test_collides_with_another_system_s_message_of_the_same_id(self, stage):
        name = not_taken(in_the_end=True)
        for system in ("CRM", "ERP"):
            message = stored(MessageState.OK, correlation_id=name, source_system=system)
            done(attempt_end.confirm_message(stage, message))
        assert ExternalCall.objects.get().failed_count == 1


class TestRepeat:
    def test_succeeds_at_the_third_attempt(self, stage):
        message = stored(MessageState.OK, correlation_id=not_taken(in_the_end=True))
        call = run(stage, message, 2)
        assert (call.state, call.failed_count) == (ExternalCallState.OK, 2)
        assert (call.operation_name, call.entity_id) == (CONFIRMATION_OPERATION, message.correlation_id)
        assert state_of(message) == MessageState.OK

    def test_ends_permanently_after_four_failures(self, stage):
        message = stored(MessageState.OK, correlation_id=not_taken(in_the_end=False))
        call = run(stage, message, 3)
        assert (call.state, call.failed_count) == (ExternalCallState.FAILED_END, 4)

    def test_ignores_other_and_young_calls(self, stage):
        message = stored(MessageState.OK, correlation_id=not_taken(in_the_end=True))
        done(attempt_end.confirm_message(stage, message))
        done(attempt_end.repeat_confirmations(stage))
        assert ExternalCall.objects.get().state == ExternalCallState.FAILED
