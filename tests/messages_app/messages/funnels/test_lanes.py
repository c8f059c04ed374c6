from datetime import timedelta

import pytest

from messages_app.core.clock import database_clock
from messages_app.messages.diagnosis.reasons import Reason
from messages_app.messages.funnels.filters import FunnelFilter
from messages_app.messages.funnels.lanes import Lane, Sketch, Why, make_lanes, sketch_lanes
from messages_app.messages.funnels.selectors import read_running, read_waiting
from messages_app.messages.models import Message
from tests.support.factories import make_funnel, make_message

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


def in_funnel(*values: str, state: str = "POSTPONED", ago: timedelta = MINUTE, **columns: object) -> Message:
    """Store a message that entered the funnel "f" the given time ago with these values."""
    at = database_clock() - ago
    defaults = {
        "receive_timestamp": at,
        "start_process_timestamp": at,
        "last_process_timestamp": at,
        "funnel_component_id": "f",
    }
    message = make_message(state=state, **defaults | columns)
    for value in values:
        make_funnel(message, funnel_value=value)
    return message


def read() -> list[Lane]:
    at, everything = database_clock(), FunnelFilter()
    return make_lanes(sketch_lanes(read_waiting(everything).members, read_running(everything, at=at)), at=at)


def only() -> Lane:
    (lane,) = read()
    return lane


def causes(lane: Lane) -> list[tuple[int, Why, int | None]]:
    return [(place.member.msg_id, place.why, place.blocked_by) for place in lane.waiting]


class TestWhy:
    def test_uses_the_codes_of_explanations(self):
        assert set(Why) <= set(Reason)


class TestLanes:
    def test_show_holders_and_waiting_messages_in_the_order_of_the_poll(self):
        holder = in_funnel("7", state="PROCESSING", ago=3 * MINUTE)
        second = in_funnel("7", ago=MINUTE)
        first = in_funnel("7", ago=2 * MINUTE)
        lane = only()
        assert (lane.value, lane.component_id, lane.since) == ("7", "f", first.receive_timestamp)
        assert [(one.member.msg_id, one.is_idle) for one in lane.holders] == [(holder.pk, False)]
        assert causes(lane) == [
            (first.pk, Why.HELD_BY_FUNNEL, holder.pk),
            (second.pk, Why.HELD_BY_FUNNEL, holder.pk),
        ]
        assert [place.position for place in lane.waiting] == [1, 2]

    def test_include_values_for_which_no_message_waits(self):
        holder = in_funnel("7", state="WAITING_FOR_RES")
        lane = only()
        assert (lane.waiting, lane.since) == ((), holder.start_process_timestamp)

    def test_mark_holders_that_run_longer_than_the_idle_window(self):
        in_funnel("7", state="WAITING_FOR_RES", ago=11 * MINUTE)
        first, second = in_funnel("7", ago=3 * MINUTE), in_funnel("7", ago=2 * MINUTE)
        lane = only()
        assert [one.is_idle for one in lane.holders] == [True]
        assert causes(lane) == [(first.pk, Why.FREE_TO_GO, None), (second.pk, Why.BEHIND_IN_LINE, first.pk)]

    def test_leave_out_such_holders_if_no_message_waits(self):
        in_funnel("7", state="WAITING_FOR_RES", ago=11 * MINUTE)
        assert read() == []

    def test_separate_components_if_the_hub_does(self, settings):
        in_funnel("7", state="PROCESSING", funnel_component_id="g")
        free = in_funnel("7")
        by_component = {lane.component_id: lane for lane in read()}
        assert causes(by_component["f"]) == [(free.pk, Why.FREE_TO_GO, None)]
        assert by_component["g"].waiting == ()
        settings.HUB_RULES = "openhub"
        lane = only()
        assert lane.component_id is None
        assert lane.waiting[0].why == Why.HELD_BY_FUNNEL

    def test_include_the_value_in_the_message_itself(self):
        waiter = in_funnel(funnel_value="old")
        assert causes(only()) == [(waiter.pk, Why.FREE_TO_GO, None)]

    def test_are_one_for_each_value_of_a_message(self, settings):
        twice = in_funnel("7", "8", ago=2 * MINUTE)
        behind = in_funnel("8")
        found = {lane.value: causes(lane) for lane in read()}
        assert found["7"] == [(twice.pk, Why.POSTPONES_ITSELF, None)]
        assert found["8"] == [(twice.pk, Why.POSTPONES_ITSELF, None), (behind.pk, Why.FREE_TO_GO, None)]
        settings.HUB_RULES = "openhub"
        assert {lane.value: lane.waiting[0].why for lane in read()}["7"] == Why.FREE_TO_GO

    def test_show_the_failed_head_of_an_order_and_later_failures(self):
        ordered = {"guaranteed_order": True, "state": "FAILED"}
        head = in_funnel("7", ago=60 * MINUTE, **ordered)
        after = in_funnel("7", ago=50 * MINUTE, **ordered)
        waiter = in_funnel("7", guaranteed_order=True, ago=4 * MINUTE)
        lane = only()
        assert [member.msg_id for member in lane.order] == [head.pk, after.pk]
        assert causes(lane) == [(waiter.pk, Why.HELD_BY_FAILED_ORDER, head.pk)]

    def test_show_that_the_time_of_an_order_is_over(self):
        head = in_funnel("7", guaranteed_order=True, state="WAITING", ago=60 * MINUTE)
        late = in_funnel("7", guaranteed_order=True, ago=6 * MINUTE)
        early = in_funnel("7", guaranteed_order=True, ago=4 * MINUTE)
        assert causes(only()) == [
            (late.pk, Why.ORDER_TIME_OVER, head.pk),
            (early.pk, Why.HELD_BY_ORDER, head.pk),
        ]

    def test_do_not_block_messages_that_ignore_failed_ones(self):
        in_funnel("7", guaranteed_order=True, state="FAILED", ago=60 * MINUTE)
        waiter = in_funnel("7", guaranteed_order=True, exclude_failed_state=True)
        lane = only()
        assert lane.order == ()
        assert causes(lane) == [(waiter.pk, Why.FREE_TO_GO, None)]

    def test_ignore_ended_messages(self):
        for state in ("OK", "CANCEL", "FAILED", "PARTLY_FAILED"):
            in_funnel("7", state=state)
        assert read() == []


class TestSketches:
    def test_are_one_for_each_value_and_component(self):
        in_funnel("7"), in_funnel("7"), in_funnel("8")
        found = sketch_lanes(read_waiting(FunnelFilter()).members, [])
        assert {(sketch.value, len(sketch.waiting)) for sketch in found} == {("7", 2), ("8", 1)}
        assert all(isinstance(sketch, Sketch) for sketch in found)
