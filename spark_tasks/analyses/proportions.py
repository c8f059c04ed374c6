"""
Compares the share of messages with a property on two sides: exact test, intervals, and many tests at a time.

Pure functions of counts. Source: docs/contributing/decisions/0041-analyses.md, "Statistics".
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

# Two-sided 95 %.
_Z = 1.959964
_NEGLIGIBLE = 1e-17


class Shares(NamedTuple):
    """
    The messages with a property, and all messages, on both sides.

    Args:
        failing, passing: messages with the property.
        failing_total, passing_total: all messages of the side.
    """

    failing: int
    failing_total: int
    passing: int
    passing_total: int

    @property
    def failing_share(self) -> float:
        return self.failing / self.failing_total if self.failing_total else 0.0

    @property
    def passing_share(self) -> float:
        return self.passing / self.passing_total if self.passing_total else 0.0

    @property
    def difference(self) -> float:
        return self.failing_share - self.passing_share

    @property
    def lift(self) -> float | None:
        """The share of the failing side as a multiple of the other; None if that is zero."""
        return self.failing_share / self.passing_share if self.passing else None


class Interval(NamedTuple):
    low: float
    high: float


def compute_p_value(shares: Shares) -> float:
    """
    Return the p-value of Fisher's exact test for a property being more frequent among failing messages.

    Exact for any number of messages. The value is doubled, because the caller also counts the opposite of
    each property. At most 1.
    """
    x, n, y, m = shares
    most = min(n, x + y)
    term = probability = math.exp(_log_choices(n, x) + _log_choices(m, y) - _log_choices(n + m, x + y))
    for one in range(x, most):
        term *= (n - one) * (x + y - one) / ((one + 1) * (m - x - y + one + 1))
        probability += term
        if term < probability * _NEGLIGIBLE:
            break
    return min(1.0, 2 * probability)


def _log_choices(total: int, chosen: int) -> float:
    return math.lgamma(total + 1) - math.lgamma(chosen + 1) - math.lgamma(total - chosen + 1)


def compute_share_interval(count: int, total: int) -> Interval:
    """Return the 95 % interval of a share (Wilson, 1927: right for few messages, and near 0 and 1)."""
    if not total:
        return Interval(0.0, 1.0)
    share, square = count / total, _Z * _Z / total
    middle = (share + square / 2) / (1 + square)
    half = _Z * math.sqrt(share * (1 - share) / total + square / (4 * total)) / (1 + square)
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


def compute_difference_interval(shares: Shares) -> Interval:
    """Return the 95 % interval of the difference of both shares (Newcombe's, 1998, method 10)."""
    failing = compute_share_interval(shares.failing, shares.failing_total)
    passing = compute_share_interval(shares.passing, shares.passing_total)
    down = math.hypot(shares.failing_share - failing.low, passing.high - shares.passing_share)
    up = math.hypot(failing.high - shares.failing_share, shares.passing_share - passing.low)
    return Interval(shares.difference - down, shares.difference + up)


def compute_influence(shares: Shares) -> float:
    """
    Return how much a property explains of which messages fail: from 0, nothing, to 1, everything.

    The part of the uncertainty about failing that disappears when the property is known (Theil's
    coefficient). A pair with 70 failing messages and a passing one has more than one of its parts with 73 and
    66, although the differences of their shares are nearly the same.
    """
    x, n, y, m = shares
    uncertainty = _sum_of_logs(n, m)
    if not uncertainty:
        return 0.0
    return 1 - (_sum_of_logs(x, y) + _sum_of_logs(n - x, m - y)) / uncertainty


def _sum_of_logs(failing: int, passing: int) -> float:
    total = failing + passing
    return sum(count * math.log(total / count) for count in (failing, passing) if count)


def accept_by_holm(probabilities: Sequence[float], *, comparisons: int, level: float) -> list[bool]:
    """
    Return for each p-value whether it counts among all comparisons (Holm, 1979).

    With no cause at all, anything is accepted in at most a share `level` of all analyses, however the facts
    depend on each other.

    Args:
        comparisons: all that were made; those without a p-value here are counted as not accepted.
    """
    accepted = [False] * len(probabilities)
    for rank, index in enumerate(sorted(range(len(probabilities)), key=probabilities.__getitem__)):
        if probabilities[index] > level / max(1, comparisons - rank):
            break
        accepted[index] = True
    return accepted
