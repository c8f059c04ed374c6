"""Acceptance cases 12 to 15 of docs/contributing/spec/cleverbus.md, "Acceptance cases", on real rows."""

from dataclasses import replace
from datetime import timedelta

import pytest

from messages_app.demo.hub.order import is_first_in_order, is_kept_out
from messages_app.demo.hub.outcomes import Hung
from messages_app.shared.message_states import MessageState
from tests.messages_app.demo.hub.playing import TIMING, ago, make_stage, stored

pytestmark = pytest.mark.django_db
PROCESSING, WAITING_FOR_RES = MessageState.PROCESSING, MessageState.WAITING_FOR_RES


def in_funnel(state: str, *, value: str = "777", **columns: object):
    return stored(state, values=(value,), **({"funnel_component_id": "f"} | columns))


class TestIsKeptOut:
    def test_by_a_message_of_the_same_value_and_component(self, stage):
        first, second = in_funnel(PROCESSING), in_funnel(PROCESSING)
        other = in_funnel(PROCESSING, value="778")
        assert is_kept_out(stage, first)  # two that arrive together both wait
        assert is_kept_out(stage, second)
        assert not is_kept_out(stage, other)

    def test_not_by_another_component_unless_the_hub_does_not_ask(self, stage, settings):
        message = in_funnel(PROCESSING)
        in_funnel(PROCESSING, funnel_component_id="g")
        assert not is_kept_out(stage, message)
        settings.HUB_RULES = "openhub"
        assert is_kept_out(stage, message)

    def test_not_by_one_that_started_before_the_idle_window(self, stage):
        message = in_funnel(PROCESSING)
        in_funnel(WAITING_FOR_RES, start_process_timestamp=ago(601))
        assert not is_kept_out(stage, message)
        in_funnel(WAITING_FOR_RES, start_process_timestamp=ago(599))
        assert is_kept_out(stage, message)

    def test_faster_jobs_use_a_shorter_window(self):
        stage = make_stage(timing=replace(TIMING, funnel_idle_after=timedelta(seconds=10)))
        message = in_funnel(PROCESSING)
        in_funnel(WAITING_FOR_RES, start_process_timestamp=ago(11))
        assert not is_kept_out(stage, message)
        in_funnel(WAITING_FOR_RES, start_process_timestamp=ago(8))
        assert is_kept_out(stage, message)

    def test_by_any_of_its_values_and_on_its_own_with_two(self, stage, settings):
        stored(PROCESSING, values=("A", "B"), funnel_component_id="f")
        assert is_kept_out(stage, in_funnel(PROCESSING, value="B"))
        assert not is_kept_out(stage, in_funnel(PROCESSING, value="C"))
        alone = stored(PROCESSING, values=("D", "E"), funnel_component_id="f")
        assert is_kept_out(stage, alone)
        settings.HUB_RULES = "openhub"
        assert not is_kept_out(stage, alone)

    def test_not_without_a_value_or_a_funnel(self, stage):
        in_funnel(PROCESSING)
        assert not is_kept_out(stage, stored(PROCESSING, funnel_component_id="f"))
        assert not is_kept_out(stage, stored(PROCESSING, values=("777",)))

    def test_by_an_earlier_one_if_the_funnel_keeps_order(self):
        stage = make_stage(ordered_funnels=frozenset({"f"}))
        message = in_funnel(PROCESSING, msg_timestamp=ago(60))
        later = in_funnel(MessageState.POSTPONED, msg_timestamp=ago(50))
        assert not is_kept_out(stage, message)
        assert is_kept_out(stage, later)
        in_funnel(MessageState.FAILED, msg_timestamp=ago(70))
        assert is_kept_out(stage, message)
        message.exclude_failed_state = True
        assert not is_kept_out(stage, message)

    def test_breaks_if_the_funnel_keeps_order_and_the_message_is_too_old_to_be_in_it(self):
        stage = make_stage(ordered_funnels=frozenset({"f"}))
        with pytest.raises(Hung):
            is_kept_out(stage, in_funnel(PROCESSING, start_process_timestamp=ago(700)))


class TestIsFirstInOrder:
    def test_of_one_value(self, stage):
        ordered = {"values": ("V",), "guaranteed_order": True}
        only = stored(PROCESSING, age=60, **ordered)
        assert is_first_in_order(only)
        later = stored(PROCESSING, age=50, **ordered)
        assert is_first_in_order(only)
        assert not is_first_in_order(later)
        assert is_first_in_order(stored(PROCESSING, age=40, values=("V",)))

    def test_behind_a_failed_one_unless_that_does_not_count(self, stage):
        ordered = {"values": ("V",), "guaranteed_order": True}
        stored(MessageState.FAILED, age=60, **ordered)
        assert not is_first_in_order(stored(PROCESSING, age=50, **ordered))
        assert is_first_in_order(stored(PROCESSING, age=55, exclude_failed_state=True, **ordered))

    def test_breaks_without_a_value(self, stage):
        with pytest.raises(Hung):
            is_first_in_order(stored(PROCESSING, guaranteed_order=True))

    def test_has_the_newest_id_first_among_equals(self, stage, openhub):
        at = ago(60)
        ordered = {"values": ("V",), "guaranteed_order": True, "msg_timestamp": at}
        parent, child = stored(PROCESSING, **ordered), stored(PROCESSING, **ordered)
        assert is_first_in_order(child)
        assert not is_first_in_order(parent)
