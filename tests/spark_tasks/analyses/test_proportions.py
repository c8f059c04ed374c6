from itertools import combinations

import pytest

from spark_tasks.analyses.proportions import (
    Shares,
    accept_by_holm,
    compute_difference_interval,
    compute_influence,
    compute_p_value,
    compute_share_interval,
)


def share_of_draws(shares: Shares) -> float:
    """Return how often at least as many of the failing messages have the property, by trying all draws."""
    x, n, y, m = shares
    draws = [sum(one < x + y for one in draw) for draw in combinations(range(n + m), n)]
    return sum(count >= x for count in draws) / len(draws)


class TestComputePValue:
    @pytest.mark.parametrize("shares", [(3, 4, 1, 5), (4, 4, 0, 5), (2, 5, 2, 6), (1, 1, 3, 9), (0, 3, 2, 6)])
    def test_is_twice_the_share_of_draws_that_are_as_extreme(self, shares):
        assert compute_p_value(Shares(*shares)) == pytest.approx(min(1, 2 * share_of_draws(Shares(*shares))))

    def test_is_that_of_the_tea_taster(self):
        # Fisher, The Design of Experiments, 1935: 17 of 70 for three of four cups or more.
        assert compute_p_value(Shares(3, 4, 1, 4)) == pytest.approx(2 * 17 / 70)

    def test_stays_right_and_quick_for_millions_of_messages(self):
        assert compute_p_value(Shares(500_000, 1_000_000, 500_000, 1_000_000)) == pytest.approx(1, abs=0.01)
        assert compute_p_value(Shares(502_000, 1_000_000, 500_000, 1_000_000)) == pytest.approx(
            0.0047, abs=2e-4
        )
        assert compute_p_value(Shares(900_000, 1_000_000, 500_000, 1_000_000)) == 0

    def test_is_one_if_all_or_none_have_the_property(self):
        assert compute_p_value(Shares(5, 5, 9, 9)) == pytest.approx(1)
        assert compute_p_value(Shares(0, 5, 0, 9)) == pytest.approx(1)


class TestComputeShareInterval:
    # Newcombe, Two-sided confidence intervals for the single proportion, 1998, table I, method 3.
    @pytest.mark.parametrize(
        ("count", "total", "low", "high"),
        [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
    )
    def test_is_that_of_the_literature(self, count, total, low, high):
        assert compute_share_interval(count, total) == pytest.approx((low, high), abs=5e-5)

    def test_is_everything_without_messages(self):
        assert compute_share_interval(0, 0) == (0, 1)


class TestComputeDifferenceInterval:
    # Newcombe, Interval estimation for the difference between independent proportions, 1998, method 10.
    @pytest.mark.parametrize(
        ("shares", "low", "high"),
        [
            ((56, 70, 48, 80), 0.0524, 0.3339),
            ((9, 10, 3, 10), 0.1705, 0.8090),
            ((5, 56, 0, 29), -0.0381, 0.1926),
            ((10, 10, 0, 10), 0.6075, 1.0),
        ],
    )
    def test_is_that_of_the_literature(self, shares, low, high):
        assert compute_difference_interval(Shares(*shares)) == pytest.approx((low, high), abs=5e-5)


class TestComputeInfluence:
    def test_is_one_for_a_property_of_exactly_the_failing_messages_and_zero_for_an_equal_share(self):
        assert compute_influence(Shares(30, 30, 0, 500)) == pytest.approx(1)
        assert compute_influence(Shares(3, 30, 50, 500)) == pytest.approx(0)

    def test_is_larger_for_a_pair_that_no_passing_message_has_than_for_its_parts(self):
        pair, part = Shares(70, 87, 1, 1_913), Shares(73, 87, 66, 1_913)

        assert compute_influence(pair) > compute_influence(part) + 0.1

    def test_is_zero_without_one_of_the_sides(self):
        assert compute_influence(Shares(3, 30, 0, 0)) == 0


class TestAcceptByHolm:
    def test_divides_the_level_by_the_comparisons_that_are_left(self):
        # 0.05 / 5, 0.05 / 4 and so on: Holm, 1979.
        assert accept_by_holm([0.012, 0.02, 0.001], comparisons=5, level=0.05) == [True, False, True]

    def test_accepts_nothing_after_the_first_that_is_too_large(self):
        assert accept_by_holm([0.011, 0.012], comparisons=5, level=0.05) == [False, False]

    def test_accepts_an_empty_list(self):
        assert accept_by_holm([], comparisons=0, level=0.05) == []
