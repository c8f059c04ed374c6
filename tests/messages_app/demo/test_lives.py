from datetime import UTC, datetime

import pytest

from messages_app.demo import failures
from messages_app.demo.arrival_times import DAY, HOUR, last_outage
from messages_app.demo.drafts import Draft
from messages_app.demo.lives import (
    SMOOTH,
    Plot,
    Times,
    children_of,
    grow_family,
    largest_size,
    make_family,
    play_draft,
)
from messages_app.demo.senders import Senders
from messages_app.demo.stories import family_size
from messages_app.demo.world import OPERATIONS, make_dice

NOW = datetime(2026, 11, 21, 4, 30, tzinfo=UTC).timestamp()
TIMES = Times(now=NOW, outage=last_outage(NOW))


def played(plot: Plot, *, ago: float = 30 * DAY, name: str = "createInvoice", seed: int = 1) -> Draft:
    draft = Draft(operation=OPERATIONS[name], received_at=NOW - ago, msg_at=NOW - ago - 1)
    play_draft(draft, plot, TIMES, make_dice(seed))
    return draft


def call_states(draft: Draft) -> list[str]:
    return [call.state for call in draft.calls]


class TestPlay:
    def test_ends_ok_with_every_call_made(self):
        draft = played(SMOOTH)
        assert (draft.state, draft.failed_count, draft.failure) == ("OK", 0, None)
        assert call_states(draft) == ["OK", "OK"]
        assert draft.received_at < draft.started_at < draft.processed_at

    @pytest.mark.parametrize("failed_tries", [1, 2, 3])
    def test_keeps_count_and_error_of_failed_attempts(self, failed_tries):
        draft = played(Plot(failed_tries=failed_tries, failure=failures.TIMEOUT))
        assert (draft.state, draft.failed_count) == ("OK", failed_tries)
        assert draft.failure is failures.TIMEOUT
        assert [to for _, to, _ in draft.history].count("PARTLY_FAILED") == failed_tries

    def test_gives_up_at_the_fourth_attempt(self):
        draft = played(Plot(failed_tries=9, failure=failures.TIMEOUT))
        assert (draft.state, draft.failed_count) == ("FAILED", 4)
        assert call_states(draft) == ["OK", "FAILED"]

    def test_gives_up_immediately_on_a_fatal_error_and_calls_nothing(self):
        draft = played(Plot(failed_tries=1, failure=failures.INVALID_INPUT))
        assert (draft.state, draft.failed_count, draft.calls) == ("FAILED", 1, [])

    def test_leaves_the_time_of_last_processing_to_a_cancelled_message(self):
        draft = played(Plot(failed_tries=2, failure=failures.TIMEOUT, is_cancelled=True))
        assert (draft.state, draft.failed_count) == ("CANCEL", 2)
        assert draft.processed_at < draft.history[-1][2]

    def test_completes_a_restarted_message_and_keeps_its_old_error(self):
        draft = played(Plot(failed_tries=4, failure=failures.TIMEOUT, is_restarted=True))
        assert (draft.state, draft.failed_count, draft.failure) == ("OK", 4, failures.TIMEOUT)
        assert ("FAILED", "PARTLY_FAILED") in [(was, to) for was, to, _ in draft.history]

    @pytest.mark.parametrize("seed", range(30))
    def test_never_continues_beyond_the_present(self, seed):
        plot = Plot(failed_tries=3, failure=failures.TIMEOUT)
        draft = played(plot, ago=seed * 10.0, seed=seed)
        assert draft.state in {"NEW", "PROCESSING", "PARTLY_FAILED", "OK"}
        assert all(at <= NOW for _, _, at in draft.history)

    def test_fails_in_the_outage_but_not_after_it(self):
        outage = TIMES.outage
        during = [played(SMOOTH, ago=NOW - outage.begins_at - HOUR, seed=seed) for seed in range(60)]
        assert all(draft.failure is failures.UNAVAILABLE for draft in during)
        assert {"FAILED", "OK", "PARTLY_FAILED"} >= {draft.state for draft in during}
        assert sum(draft.state == "FAILED" for draft in during) > 30
        late = played(SMOOTH, ago=NOW - outage.ends_at + 90)
        assert late.state == "OK"
        assert late.failed_count > 0

    def test_does_not_affect_other_targets_in_the_outage(self):
        assert played(SMOOTH, ago=NOW - TIMES.outage.begins_at - HOUR, name="postPayment").state == "OK"


BROKEN = Plot(failed_tries=4, failure=failures.TIMEOUT)


def family(name: str, *, plots: dict[str, Plot]) -> Draft:
    random = make_dice(1)
    senders = Senders(random=random)
    root = senders.make_root(OPERATIONS[name], NOW - 30 * DAY)
    root.start(root.received_at + 0.1, node=1)
    specs = children_of(root.operation, random)
    grow_family(root, specs, plots=plots, senders=senders, times=TIMES, random=random)
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


class TestMakeFamily:
    @pytest.mark.parametrize("name", OPERATIONS)
    def test_is_never_larger_than_expected(self, name):
        random = make_dice(2)
        senders = Senders(random=random)
        sizes = {
            family_size(make_family(OPERATIONS[name], NOW - DAY, senders=senders, times=TIMES, random=random))
            for _ in range(60)
        }
        assert max(sizes) <= largest_size(OPERATIONS[name])
