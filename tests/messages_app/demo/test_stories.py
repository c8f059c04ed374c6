from datetime import UTC, datetime

import pytest

from messages_app.demo.arrival_times import last_outage
from messages_app.demo.drafts import Draft
from messages_app.demo.lives import Times
from messages_app.demo.stories import Storyteller, family_size
from messages_app.demo.world import make_dice
from messages_app.shared.message_states import FINAL_STATES, MessageState

NOW = datetime(2026, 11, 21, 4, 30, tzinfo=UTC).timestamp()


def told(count: int) -> list[Draft]:
    times = Times(now=NOW, outage=last_outage(NOW))
    return Storyteller(times=times, random=make_dice(1)).make_families(count=count)


class TestFamilies:
    @pytest.mark.parametrize("count", [0, 1, 10, 60, 200, 300_000])
    def test_are_at_most_half_of_a_demo_and_in_order(self, count):
        roots = told(count)
        assert sum(map(family_size, roots)) <= count // 2
        assert roots == sorted(roots, key=lambda root: root.received_at)

    def test_have_every_state_that_is_not_final(self):
        assert {root.state for root in told(1_000)} > set(MessageState) - FINAL_STATES

    def test_occur_more_often_in_a_large_demo_and_at_other_times(self):
        small, large = told(1_000), told(300_000)
        assert len(large) == 3 * len(small)
        assert len({root.received_at for root in large}) > 2 * len({root.received_at for root in small})

    def test_have_a_funnel_whose_head_still_blocks(self):
        # A head that started more than 600 s ago blocks no one. Source: docs/contributing/spec/cleverbus.md,
        # "Funnels".
        heads = [r for r in told(600_000) if r.state == MessageState.WAITING_FOR_RES and r.funnel_values]
        assert heads
        assert all(NOW - root.started_at < 600 for root in heads)

    def test_have_an_ordered_message_that_may_still_wait(self):
        # After 300 s it would have been given up. Source: docs/contributing/spec/cleverbus.md, "Retries".
        waiting = [root for root in told(600_000) if root.state == MessageState.POSTPONED and root.is_ordered]
        assert len(waiting) == 6
        assert all(NOW - root.received_at < 300 for root in waiting)


class TestFamilySize:
    def test_counts_all_generations(self):
        (root,) = [root for root in told(1_000) if root.operation.name == "createSubscription"][-1:]
        assert family_size(root) == 6
