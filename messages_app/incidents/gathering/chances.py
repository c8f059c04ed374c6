"""
How unlikely a number of failures is, as decimal logarithms of probabilities: -3 is one in a thousand.

Source: docs/how_it_works/incidents.md, "Statistics".
"""

from collections import Counter
from math import exp, lgamma, log, log1p, sqrt
from typing import Any

_MIN_EXPECTED = 1e-9
_MAX_TERMS = 400
_NEGLIGIBLE = 1e-12
_LOG_10 = log(10)


def log_poisson_tail(count: int, expected: float) -> float:
    """Return the chance of at least `count` events where `expected` are expected."""
    if count <= 0 or count <= expected:
        return 0.0
    expected = max(expected, _MIN_EXPECTED)
    total = term = 1.0
    for step in range(1, _MAX_TERMS):
        term *= expected / (count + step)
        total += term
        if term < _NEGLIGIBLE:
            break
    return min((-expected + count * log(expected) - lgamma(count + 1) + log(total)) / _LOG_10, 0.0)


def log_binomial_tail(count: int, trials: int, share: float) -> float:
    """Return the chance of at least `count` of `trials`, each with the chance `share`."""
    if count <= 0 or share >= 1 or count <= trials * share:
        return 0.0
    share = max(share, _MIN_EXPECTED)
    odds = share / (1 - share)
    first = lgamma(trials + 1) - lgamma(count + 1) - lgamma(trials - count + 1)
    total = term = 1.0
    for step in range(count, trials):
        term *= odds * (trials - step) / (step + 1)
        total += term
        if term < _NEGLIGIBLE:
            break
    return min((first + count * log(share) + (trials - count) * log1p(-share) + log(total)) / _LOG_10, 0.0)


def find_purity(count: int, expected: float) -> float:
    """Return the share of failures that would not have been expected: the chance that one belongs."""
    return max(0.0, 1 - expected / count) if count else 0.0


def find_likeness(one: Counter[Any], other: Counter[Any]) -> float:
    """Return the likeness of two distributions from 0 to 1, the coefficient of Bhattacharyya (1943)."""
    size = one.total() * other.total()
    return sum(sqrt(count * other[value]) for value, count in one.items()) / sqrt(size) if size else 0.0


def is_drawn_alike(outside: float, count: int, log_chance: float) -> bool:
    """Whether `count` events may all be in the part of a distribution that leaves `outside` out."""
    return count * log(max(1 - outside, exp(-50))) >= log_chance * _LOG_10
