from datetime import timedelta

import pytest

from messages_app.messages.actions.order import (
    funnel_of_cancelled,
    funnel_of_restarted,
    order_of_cancelled,
    order_of_restarted,
)
from messages_app.messages.models import Message
from tests.support.factories import NOON, make_funnel, make_message

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


def ordered(minute: int, *, value: str = "V", **columns) -> Message:
    """Store a message with a guaranteed order, sent and received this many minutes after noon."""
    at = NOON + minute * MINUTE
    message = make_message(
        **{"state": "FAILED", "guaranteed_order": True, "msg_timestamp": at, "receive_timestamp": at}
        | columns
    )
    if value:
        make_funnel(message, funnel_value=value)
    return message


class TestOrderOfRestarted:
    def test_is_missing_without_a_guaranteed_order(self):
        assert order_of_restarted(make_message(state="FAILED"), at=NOON) is None

    def test_says_that_the_first_message_can_start_and_names_the_next(self):
        first, second = ordered(0), ordered(1)
        effect = order_of_restarted(first, at=NOON + MINUTE)
        assert (effect.code, effect.msg_ids, effect.is_warning) == ("order_first", (second.pk,), False)

    def test_fails_behind_another_message_after_five_minutes(self):
        first, second = ordered(0), ordered(1)
        effect = order_of_restarted(second, at=NOON + 5 * MINUTE)
        assert (effect.code, effect.msg_ids) == ("order_fails", (first.pk,))
        assert "E121" in effect.text
        assert f"Restart {first.pk} first" in effect.text

    def test_is_postponed_behind_another_message_until_then(self):
        first, second = ordered(0), ordered(1)
        # Received at 12:01, it fails after 12:06. Restarted now, its next attempt starts by 12:05:30.
        effect = order_of_restarted(second, at=NOON + 3.5 * MINUTE)
        assert (effect.code, effect.msg_ids) == ("order_behind", (first.pk,))
        assert "12:06:00 UTC" in effect.text

    def test_ignores_failed_messages_if_it_excludes_them(self):
        ordered(0)
        assert order_of_restarted(ordered(1, exclude_failed_state=True), at=NOON).code == "order_first"

    @pytest.mark.parametrize("state", ["OK", "CANCEL"])
    def test_ignores_messages_that_have_ended(self, state):
        ordered(0, state=state)
        assert order_of_restarted(ordered(1), at=NOON).code == "order_first"

    def test_ignores_other_values(self):
        ordered(0, value="W")
        assert order_of_restarted(ordered(1), at=NOON).code == "order_first"

    def test_orders_equal_times_as_the_hub_does(self, settings):
        lower, higher = ordered(0), ordered(0)
        settings.HUB_RULES = "openhub"
        assert order_of_restarted(higher, at=NOON).code == "order_first"
        assert order_of_restarted(lower, at=NOON).code != "order_first"

    def test_warns_of_an_order_without_a_value(self):
        assert order_of_restarted(ordered(0, value=""), at=NOON).code == "order_without_value"


class TestOrderOfCancelled:
    def test_names_the_message_that_becomes_first(self):
        head, behind = ordered(0, state="POSTPONED"), ordered(1, state="POSTPONED")
        effect = order_of_cancelled(head)
        assert (effect.code, effect.msg_ids) == ("order_freed", (behind.pk,))
        assert f"Message {behind.pk} is first then" in effect.text

    def test_does_not_name_one_while_another_is_first(self):
        ordered(0)
        message, _ = ordered(1, state="POSTPONED"), ordered(2, state="POSTPONED")
        assert "is first then" not in order_of_cancelled(message).text

    def test_is_missing_if_no_message_waits(self):
        assert order_of_cancelled(ordered(0, state="POSTPONED")) is None
        assert order_of_cancelled(make_message()) is None

    def test_is_missing_without_a_guaranteed_order(self):
        message, _ = ordered(0, guaranteed_order=False), ordered(1)
        assert order_of_cancelled(message) is None

    @pytest.mark.parametrize(
        ("rules", "is_behind"), [("cleverbus", [False, True]), ("openhub", [True, False])]
    )
    def test_orders_equal_times_as_the_hub_does(self, settings, rules, is_behind):
        settings.HUB_RULES = rules
        lower, higher = ordered(0), ordered(0)
        assert [order_of_cancelled(each) is None for each in (lower, higher)] == is_behind


class TestFunnelOfRestarted:
    def test_is_missing_without_a_value(self):
        assert funnel_of_restarted(make_message(state="FAILED"), at=NOON) is None

    def test_names_the_holder(self):
        message = make_message(state="FAILED", funnel_component_id="f")
        make_funnel(message, funnel_value="V")
        assert funnel_of_restarted(message, at=NOON).code == "funnel_free"
        holder = make_message(
            state="PROCESSING", funnel_component_id="f", start_process_timestamp=NOON - MINUTE
        )
        make_funnel(holder, funnel_value="V")
        effect = funnel_of_restarted(message, at=NOON)
        assert (effect.code, effect.msg_ids) == ("funnel_held", (holder.pk,))
        assert funnel_of_restarted(message, at=NOON + 10 * MINUTE).code == "funnel_free"

    def test_warns_of_a_message_that_blocks_itself(self, settings):
        message = make_message(state="FAILED", funnel_component_id="f")
        make_funnel(message, funnel_value="V")
        make_funnel(message, funnel_value="W")
        assert funnel_of_restarted(message, at=NOON).code == "funnel_against_itself"
        settings.HUB_RULES = "openhub"
        assert funnel_of_restarted(message, at=NOON).code == "funnel_free"


class TestFunnelOfCancelled:
    def test_is_freed_only_by_its_holder(self):
        message = make_message(state="WAITING", funnel_value="V")
        assert funnel_of_cancelled(message).code == "funnel_freed"
        message.state = "POSTPONED"
        assert funnel_of_cancelled(message) is None
