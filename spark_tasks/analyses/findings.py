"""
Chooses what failing messages have in common, by exact counts of predicates and of pairs of them.

Pure functions of counts. Source: docs/contributing/decisions/0041-analyses.md, "Findings".
"""

from collections.abc import Mapping, Sequence
from itertools import combinations, product

from spark_tasks.analyses.counting import PairCounts
from spark_tasks.analyses.predicates import Predicate, is_effect
from spark_tasks.analyses.proportions import (
    Shares,
    accept_by_holm,
    compute_influence,
    compute_p_value,
)
from spark_tasks.analyses.reports import Finding

# Of all analyses of failures without a common cause, at most this share names one. Pairs consist of accepted
# predicates, so they do not add to it: at most this share of predicates gets a second one that is not needed.
ERROR_LEVEL = 0.01
# Two predicates are the same fact if at most this share of the messages that have either lacks the other.
MAX_APART = 0.05
# Predicates that are tried in pairs.
MAX_PAIRED = 40
MAX_FINDINGS = 10
# Of all failing messages, a further finding explains at least this share that the findings before do not.
MIN_REST = 0.05


# Places of predicates.
Pair = tuple[int, int]


class _Counts:
    """The counts of both sides, by the places of predicates."""

    def __init__(self, predicates: Sequence[Predicate], failing: PairCounts, passing: PairCounts) -> None:
        self.predicates = predicates
        self._failing = failing
        self._passing = passing

    def shares_of(self, group: tuple[int, ...]) -> Shares:
        """Return the shares of a predicate or a pair."""
        one, other = group[0], group[-1]
        return Shares(
            self._failing.count_both(one, other),
            self._failing.messages,
            self._passing.count_both(one, other),
            self._passing.messages,
        )

    def shares_among(self, one: int, other: int) -> Shares:
        """Return the shares of a predicate among the messages that have another one."""
        both, all_of_other = self.shares_of((one, other)), self.shares_of((other,))
        return Shares(both.failing, all_of_other.failing, both.passing, all_of_other.passing)

    def shares_without(self, one: int, other: int) -> Shares:
        """Return the shares of a predicate among the messages that lack another one."""
        mine, others, both = (self.shares_of(group) for group in ((one,), (other,), (one, other)))
        return Shares(
            mine.failing - both.failing,
            mine.failing_total - others.failing,
            mine.passing - both.passing,
            mine.passing_total - others.passing,
        )

    def is_same(self, one: int, other: int) -> bool:
        """Whether two predicates have the same messages on both sides, apart from a few."""
        mine, others, both = (self.shares_of(group) for group in ((one,), (other,), (one, other)))
        return _is_near(mine.failing, others.failing, both.failing) and _is_near(
            mine.passing, others.passing, both.passing
        )


def _is_near(one: int, other: int, both: int) -> bool:
    either = one + other - both
    return either - both <= MAX_APART * either


def choose_findings(
    predicates: Sequence[Predicate], failing: PairCounts, passing: PairCounts, *, comparisons: int
) -> list[Finding]:
    """
    Return the findings, with the one that explains most failures first; empty if there is nothing in common.

    Args:
        failing, passing: the counts of `predicates`.
        comparisons: the number of predicates that were compared to choose these.
    """
    counts = _Counts(predicates, failing, passing)
    singles = _accept_singles(counts, comparisons)
    classes = _gather_same(counts, singles)
    pairs = _accept_pairs(counts, classes)
    chosen: list[tuple[int, ...]] = []
    for group in _sort_by_influence(counts, [*((one,) for one in classes), *pairs]):
        if len(chosen) < MAX_FINDINGS and all(_is_addition(counts, group, other) for other in chosen):
            chosen.append(group)
    return [
        Finding(
            tuple(predicates[one] for one in group),
            counts.shares_of(group),
            tuple(predicates[same] for same in classes[group[0]]) if len(group) == 1 else (),
        )
        for group in chosen
    ]


def _accept_singles(counts: _Counts, comparisons: int) -> list[int]:
    """Return the predicates whose difference is large and no coincidence."""
    shares = [counts.shares_of((one,)) for one in range(len(counts.predicates))]
    large = [one for one in range(len(shares)) if is_effect(shares[one])]
    accepted = accept_by_holm(
        [compute_p_value(shares[one]) for one in large], comparisons=comparisons, level=ERROR_LEVEL
    )
    return [one for one, is_accepted in zip(large, accepted, strict=True) if is_accepted]


def _sort_by_influence(counts: _Counts, groups: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    def rank_group(group: tuple[int, ...]) -> tuple[float, int, tuple[object, ...]]:
        influence = compute_influence(counts.shares_of(group))
        return -influence, len(group), counts.predicates[group[0]].preference

    return sorted(groups, key=rank_group)


def _gather_same(counts: _Counts, singles: Sequence[int]) -> dict[int, list[int]]:
    """Return the preferred predicate of each class that has the same messages, with the others."""
    classes: list[list[int]] = []
    for (one,) in _sort_by_influence(counts, [(single,) for single in singles]):
        for members in classes:
            if counts.is_same(one, members[0]):
                members.append(one)
                break
        else:
            classes.append([one])
    gathered: dict[int, list[int]] = {}
    for members in classes:
        best, *others = sorted(members, key=lambda one: counts.predicates[one].preference)
        gathered[best] = others
    return gathered


def _accept_pairs(counts: _Counts, classes: Mapping[int, Sequence[int]]) -> list[Pair]:
    """
    Return the pairs that say more than their parts: each part matters among the messages of the other.

    Pairs with an accepted part are few. Of the others, neither of whose parts is accepted, all count as
    comparisons. Lengths are not paired, because some limit of any length fits a few messages better than no
    limit.
    """
    same = {one for members in classes.values() for one in members}
    accepted = [one for one in classes if not counts.predicates[one].is_length][:MAX_PAIRED]
    others = [
        one
        for one, predicate in enumerate(counts.predicates)
        if one not in same and one not in accepted and not predicate.is_length
    ]
    with_accepted = [*combinations(accepted, 2), *product(accepted, others)]
    return [*_accept_by_parts(counts, with_accepted), *_accept_by_both(counts, list(combinations(others, 2)))]


def _accept_by_parts(counts: _Counts, pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs whose parts both differ significantly among the messages of the other."""
    large = [pair for pair in pairs if _is_effect_together(counts, *pair)]
    accepted = accept_by_holm(
        [_compute_p_value_of_parts(counts, pair) for pair in large],
        comparisons=len(pairs),
        level=ERROR_LEVEL,
    )
    return [pair for pair, is_accepted in zip(large, accepted, strict=True) if is_accepted]


def _accept_by_both(counts: _Counts, pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs that differ significantly together. Few messages may have only one of the parts."""
    large = [
        pair
        for pair in pairs
        if _is_effect_together(counts, *pair) and _compute_p_value_of_parts(counts, pair) <= ERROR_LEVEL
    ]
    accepted = accept_by_holm(
        [compute_p_value(counts.shares_of(pair)) for pair in large],
        comparisons=len(pairs),
        level=ERROR_LEVEL,
    )
    return [pair for pair, is_accepted in zip(large, accepted, strict=True) if is_accepted]


def _compute_p_value_of_parts(counts: _Counts, pair: Pair) -> float:
    return max(compute_p_value(counts.shares_among(*each)) for each in (pair, pair[::-1]))


def _is_effect_together(counts: _Counts, one: int, other: int) -> bool:
    return counts.predicates[one].field != counts.predicates[other].field and all(
        is_effect(shares)
        for shares in (
            counts.shares_of((one, other)),
            counts.shares_among(one, other),
            counts.shares_among(other, one),
        )
    )


def _is_addition(counts: _Counts, group: tuple[int, ...], chosen: tuple[int, ...]) -> bool:
    """
    Whether a group explains failures among the messages that lack a chosen one.

    Only pairs are counted, so each part must do so without each part of the other.
    """
    rests = [counts.shares_without(one, other) for one in group for other in chosen]
    return all(
        is_effect(rest)
        and rest.failing / max(1, counts.shares_of(chosen).failing_total) >= MIN_REST
        and compute_p_value(rest) <= ERROR_LEVEL / len(counts.predicates)
        for rest in rests
    )
