"""Acceptance case 21 of docs/spec/cleverbus.md, "Acceptance cases"."""

import pytest

from messages_app.demo.hub import confirmations, outcomes
from messages_app.demo.hub.play import Play
from messages_app.messages.models import ExternalCall, Message
from messages_app.shared.message_states import CONFIRMATION_OPERATION, ExternalCallState, MessageState
from tests.messages_app.demo.hub.playing import ago, done, state_of, stored

pytestmark = pytest.mark.django_db


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
    done(confirmations.confirm(stage, message))
    for _ in range(times):
        ExternalCall.objects.update(last_update_timestamp=ago(61))
        done(confirmations.repeat(stage))
    return ExternalCall.objects.get()


class TestConfirm:
    def test_leaves_no_row_when_it_is_taken_immediately(self, stage):
        done(confirmations.confirm(stage, stored(MessageState.OK, correlation_id=taken())))
        assert not ExternalCall.objects.exists()

    def test_collides_with_another_system_s_message_of_the_same_id(self, stage):
        name = not_taken(in_the_end=True)
        for system in ("CRM", "ERP"):
            message = stored(MessageState.OK, correlation_id=name, source_system=system)
            done(confirmations.confirm(stage, message))
        assert ExternalCall.objects.get().failed_count == 1


class TestRepeat:
    def test_ends_well_at_the_third_time(self, stage):
        message = stored(MessageState.OK, correlation_id=not_taken(in_the_end=True))
        call = run(stage, message, 2)
        assert (call.state, call.failed_count) == (ExternalCallState.OK, 2)
        assert (call.operation_name, call.entity_id) == (CONFIRMATION_OPERATION, message.correlation_id)
        assert state_of(message) == MessageState.OK

    def test_ends_permanently_after_four_failures(self, stage):
        message = stored(MessageState.OK, correlation_id=not_taken(in_the_end=False))
        call = run(stage, message, 3)
        assert (call.state, call.failed_count) == (ExternalCallState.FAILED_END, 4)

    def test_leaves_others_and_young_ones_unchanged(self, stage):
        message = stored(MessageState.OK, correlation_id=not_taken(in_the_end=True))
        done(confirmations.confirm(stage, message))
        done(confirmations.repeat(stage))
        assert ExternalCall.objects.get().state == ExternalCallState.FAILED
