"""The rules of docs/spec/cleverbus.md, "Parents and children", "Acceptance cases" cases 9 to 11."""

import pytest

from messages_app.demo import failures
from messages_app.demo.hub import attempt_end
from messages_app.messages.models import Message
from messages_app.shared.message_states import MessageState, ParentBinding
from tests.messages_app.demo.hub.playing import done, fresh, state_of, stored

pytestmark = pytest.mark.django_db
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


class TestChildIsOk:
    def test_ends_the_parent_when_it_is_the_last(self, stage):
        parent = stored(WAITING)
        first, second = (child_of(parent, business_error=error) for error in ("BE1", "BE2"))
        done(attempt_end.succeed(stage, first))
        assert state_of(parent) == WAITING
        done(attempt_end.succeed(stage, second))
        row = fresh(parent)
        assert row.state == OK
        assert row.business_error.startswith("BE1")
        assert "||BE2" in row.business_error

    @pytest.mark.parametrize("state", [FAILED, MessageState.CANCEL, PROCESSING])
    def test_ends_it_whatever_its_state_but_only_a_waiting_one_of_openhub(self, stage, settings, state):
        for hub, expected in (("cleverbus", OK), ("openhub", state)):
            settings.HUB_RULES = hub
            parent = stored(state)
            done(attempt_end.succeed(stage, child_of(parent)))
            assert state_of(parent) == expected

    def test_does_nothing_when_it_is_soft(self, stage):
        parent = stored(WAITING)
        for binding in (ParentBinding.SOFT, None):
            done(attempt_end.succeed(stage, child_of(parent, binding=binding)))
        assert state_of(parent) == WAITING

    def test_waits_for_a_soft_one_too(self, stage):
        parent = stored(WAITING)
        child_of(parent, state=MessageState.PARTLY_FAILED, binding=ParentBinding.SOFT)
        done(attempt_end.succeed(stage, child_of(parent)))
        assert state_of(parent) == WAITING

    @pytest.mark.parametrize(("hub", "expected"), [("cleverbus", WAITING), ("openhub", OK)])
    def test_climbs_where_the_hub_does(self, stage, settings, hub, expected):
        settings.HUB_RULES = hub
        above = stored(WAITING)
        parent = child_of(above, state=WAITING)
        done(attempt_end.succeed(stage, child_of(parent)))
        assert (state_of(parent), state_of(above)) == (OK, expected)


class TestChildFailed:
    def test_fails_the_parent_with_its_error(self, stage):
        parent = stored(WAITING)
        child = child_of(parent)
        done(attempt_end.fail(stage, child, failures.INVALID_INPUT))
        row, child = fresh(parent), fresh(child)
        assert row.state == FAILED
        assert (row.failed_error_code, row.failed_desc, row.failed_count) == (
            child.failed_error_code,
            child.failed_desc,
            child.failed_count,
        )

    def test_leaves_it_while_there_are_attempts_or_the_child_is_soft(self, stage):
        parent = stored(WAITING)
        done(attempt_end.fail(stage, child_of(parent), failures.TIMEOUT))
        done(attempt_end.fail(stage, child_of(parent, binding=ParentBinding.SOFT), failures.INVALID_INPUT))
        assert state_of(parent) == WAITING

    @pytest.mark.parametrize(("hub", "expected"), [("cleverbus", WAITING), ("openhub", FAILED)])
    def test_climbs_where_the_hub_does(self, stage, settings, hub, expected):
        settings.HUB_RULES = hub
        above = stored(WAITING)
        parent = child_of(above, state=WAITING)
        done(attempt_end.fail(stage, child_of(parent), failures.INVALID_INPUT))
        assert (state_of(parent), state_of(above)) == (FAILED, expected)

    def test_comes_to_an_end_in_a_circle(self, stage, openhub):
        first = stored(WAITING)
        second = child_of(first, state=WAITING)
        Message.objects.filter(pk=first.pk).update(
            parent_msg_id=second.pk, parent_binding_type=ParentBinding.HARD
        )
        done(attempt_end.fail(stage, child_of(second), failures.INVALID_INPUT))
        assert state_of(first) == state_of(second) == FAILED
