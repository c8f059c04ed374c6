from datetime import UTC, datetime

import pytest

from messages_app.demo import failures
from messages_app.demo.drafts import Draft, Senders
from messages_app.demo.lives import Plot, Times, any_family, children_of, grow, largest_size
from messages_app.demo.rhythm import DAY, last_outage
from messages_app.demo.stories import family_size
from messages_app.demo.world import OPERATIONS, dice

NOW = datetime(2026, 11, 21, 4, 30, tzinfo=UTC).timestamp()
TIMES = Times(now=NOW, outage=last_outage(NOW))
BROKEN = Plot(failed_tries=4, failure=failures.TIMEOUT)


def family(name: str, *, plots: dict[str, Plot]) -> Draft:
    random = dice(1)
    senders = Senders(random=random)
    root = senders.root(OPERATIONS[name], NOW - 30 * DAY)
    root.start(root.received_at + 0.1, node=1)
    specs = children_of(root.operation, random)
    grow(root, specs, plots=plots, senders=senders, times=TIMES, random=random)
    return root


def members(root: Draft) -> list[Draft]:
    return [root, *(member for child in root.children for member in members(child))]


class TestGrow:
    @pytest.mark.parametrize("name", ["createOrder", "createSubscription", "submitReadings"])
    def test_ends_ok_when_all_children_do(self, name):
        root = family(name, plots={})
        assert {member.state for member in members(root)} == {"OK"}
        hard = [child for child in root.children if child.binding == "HARD"]
        assert root.processed_at > max(child.processed_at for child in hard)
        assert max(hard, key=lambda child: child.processed_at).processed_at >= max(
            child.processed_at for child in root.children
        )

    def test_makes_trees_three_deep_with_derived_ids_and_copied_times(self):
        root = family("createSubscription", plots={})
        leaf = root.children[2].children[1]
        assert leaf.correlation_id == f"{root.correlation_id}_2_1"
        copied = ("msg_at", "received_at", "process_id", "source_system")
        assert [getattr(leaf, name) for name in copied] == [getattr(root, name) for name in copied]

    def test_fails_with_a_hard_child_up_to_the_root(self):
        root = family("createSubscription", plots={"replaceMeter": BROKEN})
        branch = root.children[2]
        assert (root.state, branch.state, branch.children[1].state) == ("FAILED", "FAILED", "FAILED")
        assert (root.failure, root.failed_count) == (failures.TIMEOUT, 4)

    @pytest.mark.parametrize(
        ("child", "plot"),
        [
            ("createInvoice", Plot(failed_tries=1, failure=failures.TIMEOUT, is_cancelled=True)),
            ("sendEmail", BROKEN),
        ],
    )
    def test_waits_forever_for_a_cancelled_child_or_a_soft_one_that_failed(self, child, plot):
        assert family("createOrder", plots={child: plot}).state == "WAITING"

    def test_breaks_only_one_child_of_a_splitter(self):
        root = family("submitReadings", plots={"submitReading": BROKEN})
        assert [child.state for child in root.children].count("FAILED") == 1


class TestAnyFamily:
    @pytest.mark.parametrize("name", OPERATIONS)
    def test_is_never_larger_than_foreseen(self, name):
        random = dice(2)
        senders = Senders(random=random)
        sizes = {
            family_size(any_family(OPERATIONS[name], NOW - DAY, senders=senders, times=TIMES, random=random))
            for _ in range(60)
        }
        assert max(sizes) <= largest_size(OPERATIONS[name])
