from dataclasses import replace
from datetime import timedelta

import pytest

from messages_app.core.clock import database_clock
from messages_app.messages.funnels.drawing import BLOCKS, DrawnLane, Kind
from messages_app.messages.funnels.lanes import Waiting, Why
from tests.messages_app.messages.funnels.sample_lanes import lane, member
from tests.messages_app.messages.funnels.test_lanes import MINUTE, in_funnel, only, read

pytestmark = pytest.mark.django_db


def drawn(*, is_whole: bool = False) -> DrawnLane:
    return DrawnLane(only(), database_clock(), is_whole)


class TestKind:
    def test_is_holding_if_no_message_waits(self):
        in_funnel("7", state="PROCESSING")
        assert drawn().kind == Kind.ONLY_HELD

    def test_is_held_if_a_message_waits_for_a_holder(self):
        in_funnel("7", state="PROCESSING", ago=2 * MINUTE)
        in_funnel("7")
        assert drawn().kind == Kind.HELD

    @pytest.mark.parametrize(("seconds", "kind"), [(170, Kind.FREE), (200, Kind.OVERDUE)])
    def test_distinguishes_free_from_overdue_by_the_last_check(self, seconds, kind):
        in_funnel("7", ago=timedelta(seconds=seconds))
        assert drawn().kind == kind

    @pytest.mark.parametrize(
        ("seconds", "kind"),
        [((), Kind.FREE), ((185,), Kind.FREE), ((186, 185), Kind.FREE), ((186,), Kind.OVERDUE)],
    )
    def test_is_overdue_after_three_polls_and_the_rest_of_a_postponed_message(self, seconds, kind):
        at = database_clock()
        checks = [at - timedelta(seconds=each) for each in seconds] or [None]
        places = tuple(
            Waiting(
                member=replace(member(7), last_process_timestamp=check),
                position=1,
                why=Why.FREE_TO_GO,
                blocked_by=None,
            )
            for check in checks
        )
        assert DrawnLane(lane(waiting=places), at, False).kind == kind

    @pytest.mark.parametrize(("state", "kind"), [("FAILED", Kind.FAILED_ORDER), ("WAITING", Kind.ORDER)])
    def test_distinguishes_a_blocked_order_from_one_that_continues(self, state, kind):
        in_funnel("7", state=state, guaranteed_order=True, ago=20 * MINUTE)
        in_funnel("7", guaranteed_order=True)
        assert drawn().kind == kind

    def test_names_a_message_that_blocks_itself(self):
        in_funnel("7", funnel_value="7")
        in_funnel("7", "7", ago=2 * MINUTE, funnel_component_id="g")
        kinds = {lane.component_id: DrawnLane(lane, database_clock(), False).kind for lane in read()}
        assert kinds == {"f": Kind.FREE, "g": Kind.ITSELF}


class TestDrawnLane:
    def test_shows_the_first_blocks_and_counts_the_rest(self):
        for _ in range(BLOCKS + 3):
            in_funnel("7")
        assert (len(drawn().shown_messages), drawn().more) == (BLOCKS, 3)
        assert (len(drawn(is_whole=True).shown_messages), drawn(is_whole=True).more) == (BLOCKS + 3, 0)

    def test_draws_the_progress_of_the_idle_window(self):
        in_funnel("7", state="PROCESSING", ago=5 * MINUTE)
        assert drawn().holders[0].share == 50

    def test_draws_longer_waits_longer(self):
        in_funnel("7", ago=MINUTE)
        short = drawn().age_share
        in_funnel("7", ago=60 * MINUTE)
        assert 2 <= short < drawn().age_share < 100
        in_funnel("7", ago=timedelta(days=30))
        assert drawn().age_share == 100
