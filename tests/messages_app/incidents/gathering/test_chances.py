"""Chances are those of the textbooks."""

from collections import Counter
from math import exp, log10

import pytest

from messages_app.incidents.gathering.chances import (
    find_likeness,
    find_purity,
    is_drawn_alike,
    log_binomial_tail,
    log_poisson_tail,
)


class TestPoissonTail:
    def test_of_one_event_is_one_minus_the_chance_of_none(self):
        assert log_poisson_tail(1, 0.5) == pytest.approx(log10(1 - exp(-0.5)))

    def test_of_two_events_is_also_without_the_chance_of_one(self):
        assert log_poisson_tail(2, 0.5) == pytest.approx(log10(1 - exp(-0.5) * 1.5))

    def test_is_certain_for_what_is_expected(self):
        assert log_poisson_tail(3, 3.0) == 0.0

    def test_is_finite_without_a_background(self):
        assert -40 < log_poisson_tail(3, 0.0) < -20


class TestBinomialTail:
    def test_of_all_trials_is_the_power_of_the_share(self):
        assert log_binomial_tail(4, 4, 0.1) == pytest.approx(-4)

    def test_of_three_in_four_has_four_ways(self):
        assert log_binomial_tail(3, 4, 0.1) == pytest.approx(log10(4 * 0.001 * 0.9 + 0.0001))

    def test_is_certain_for_a_sender_with_all_traffic(self):
        assert log_binomial_tail(10, 10, 1.0) == 0.0


def test_purity_is_the_share_that_was_not_expected():
    assert find_purity(10, 1.0) == 0.9
    assert find_purity(2, 3.0) == 0.0
    assert find_purity(0, 0.0) == 0.0


def test_three_events_may_miss_half_of_a_distribution_but_twenty_may_not():
    assert is_drawn_alike(0.5, 3, -4)
    assert not is_drawn_alike(0.5, 20, -4)


def test_likeness_is_one_for_the_same_shares_and_zero_for_other_values():
    assert find_likeness(Counter(a=2, b=4), Counter(a=5, b=10)) == pytest.approx(1)
    assert find_likeness(Counter(a=2), Counter(b=4)) == 0
    assert find_likeness(Counter(), Counter(b=4)) == 0
