"""
Properties that a message has or lacks, and the choice of candidates for a cause.

Source: docs/contributing/decisions/0041-analyses.md, "Statistics".
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import NamedTuple

from spark_tasks.analyses.fields import Field, Source
from spark_tasks.analyses.proportions import Shares, compute_difference_interval, compute_influence
from spark_tasks.analyses.sketches import FieldCounts, SideCounts

# Failing messages of a property, and their share; what fewer have is not a common cause.
MIN_MESSAGES = 5
MIN_SHARE = 0.1
# The lower end of the interval of the difference of both shares.
MIN_DIFFERENCE = 0.1
MAX_CANDIDATES = 150
# Of them, equally frequent ones, which may differ in pairs.
MAX_FREQUENT = 60
# Nearly all messages on both sides have a predicate with a larger share, which changes nothing in a pair.
MAX_FREQUENT_SHARE = 0.95
# Of candidates with the same counts on both sides. Nearly always these are the same messages.
MAX_TWINS = 6
# The same for frequent ones, whose counts are often equal by coincidence.
MAX_FREQUENT_TWINS = 2


class Kind(StrEnum):
    """The kind of a property, in the order in which one of several with the same messages is chosen."""

    VALUE = "value"
    MISSING = "missing"
    PRESENT = "present"
    EMPTY = "empty"
    AT_LEAST = "at_least"
    AT_MOST = "at_most"


_ORDER = {kind: place for place, kind in enumerate(Kind)}


class Predicate(NamedTuple):
    """
    A property of messages.

    MISSING is a property of messages that have the parent of the field: a document of another type, or one
    without the whole group of fields, does not lack each field of it.

    Args:
        value: of the kind VALUE.
        length: of the longest value, of the kinds AT_LEAST and AT_MOST. A message without the field has
            neither.
    """

    field: Field
    kind: Kind
    value: str = ""
    length: int = 0

    @property
    def is_length(self) -> bool:
        return self.kind in {Kind.AT_LEAST, Kind.AT_MOST}

    @property
    def preference(self) -> tuple[bool, int, int, str]:
        """The order of predicates with the same messages: columns first, then by kind, then the shorter."""
        name = self.field.path
        return (self.field.source is not Source.COLUMN, _ORDER[self.kind], len(name), name)


@dataclass(frozen=True)
class Candidates:
    """
    Predicates that may be a cause.

    Args:
        predicates: the most different ones.
        comparisons: the number of predicates that were compared to choose these.
    """

    predicates: tuple[Predicate, ...]
    comparisons: int


Compared = tuple[Predicate, Shares]


def find_candidates(failing: SideCounts, passing: SideCounts) -> Candidates:
    """Choose the predicates that may be much more frequent among failing messages. Counts may be too low."""
    comparisons = 0
    by_shares: dict[Shares, list[Predicate]] = {}
    for field in failing.fields.keys() | passing.fields.keys():
        counts = _FieldOfSides(field, failing, passing)
        compared = [*counts.compare_values(), *counts.compare_presence()]
        comparisons += len(compared)
        for lengths in counts.compare_lengths():
            comparisons += len(lengths)
            compared += _most_different(lengths, 1)
        for predicate, shares in compared:
            by_shares.setdefault(shares, []).append(predicate)
    return Candidates(_choose_candidates(by_shares), comparisons)


class _FieldOfSides:
    """The counts of one field on both sides."""

    def __init__(self, field: Field, failing: SideCounts, passing: SideCounts) -> None:
        self._field = field
        self._failing = failing.fields.get(field, FieldCounts())
        self._passing = passing.fields.get(field, FieldCounts())
        self._totals = failing.messages, passing.messages
        parent = field.parent
        self._around = (
            (failing.count_present(parent), passing.count_present(parent)) if parent else self._totals
        )

    def _make_shares(self, failing: int, passing: int) -> Shares:
        return Shares(failing, self._totals[0], passing, self._totals[1])

    def compare_values(self) -> Iterator[Compared]:
        """Compare values of at least two failing messages; any other is nearly unique."""
        failing, passing = self._failing, self._passing
        for value, count in failing.values.items():
            highest = min(count + failing.lost, failing.present)
            if highest > 1:
                kind = Kind.VALUE if value else Kind.EMPTY
                yield Predicate(self._field, kind, value), self._make_shares(highest, passing.values[value])

    def compare_presence(self) -> Iterator[Compared]:
        """Compare messages that have the field, and messages that have only its parent."""
        present = self._failing.present, self._passing.present
        if present != self._totals:
            yield Predicate(self._field, Kind.PRESENT), self._make_shares(*present)
        if present != self._around:
            lacking = (around - of_side for around, of_side in zip(self._around, present, strict=True))
            yield Predicate(self._field, Kind.MISSING), self._make_shares(*lacking)

    def compare_lengths(self) -> Iterator[list[Compared]]:
        """Yield the predicates with each minimum of the length, then those with each maximum."""
        for kind, is_falling in ((Kind.AT_LEAST, True), (Kind.AT_MOST, False)):
            lengths = sorted(self._failing.lengths.keys() | self._passing.lengths.keys(), reverse=is_falling)
            sums = [
                list(accumulate(side.lengths[length] for length in lengths))
                for side in (self._failing, self._passing)
            ]
            # The last one has all lengths, and says that the field is present.
            yield [
                (Predicate(self._field, kind, length=length), self._make_shares(*counts))
                for length, *counts in zip(lengths[:-1], *sums, strict=False)
            ]


def _most_different(compared: Iterable[Compared], most: int) -> list[Compared]:
    return sorted(compared, key=lambda one: (-_rank_shares(one[1]), one[0].preference))[:most]


def _rank_shares(shares: Shares) -> float:
    return compute_influence(shares) if shares.difference > 0 else shares.difference


def _choose_candidates(by_shares: Mapping[Shares, list[Predicate]]) -> tuple[Predicate, ...]:
    frequent = _choose_frequent(by_shares)
    chosen: list[Predicate] = []
    promising = [shares for shares in by_shares if is_effect(shares)]
    for shares in sorted(promising, key=_rank_shares, reverse=True):
        chosen += sorted(by_shares[shares], key=lambda each: each.preference)[:MAX_TWINS]
    return (*chosen[: MAX_CANDIDATES - len(frequent)], *frequent)


def _choose_frequent(by_shares: Mapping[Shares, list[Predicate]]) -> list[Predicate]:
    """Return equally frequent predicates, first the ones that divide all messages best."""
    chosen: list[Predicate] = []
    frequent = [shares for shares in by_shares if _is_frequent(shares) and not is_effect(shares)]
    for shares in sorted(frequent, key=_distance_from_half):
        chosen += sorted(
            (each for each in by_shares[shares] if not each.is_length), key=lambda each: each.preference
        )[:MAX_FREQUENT_TWINS]
    return chosen[:MAX_FREQUENT]


def _is_frequent(shares: Shares) -> bool:
    return (
        shares.failing >= MIN_MESSAGES
        and shares.failing_share >= MIN_SHARE
        and min(shares.failing_share, shares.passing_share) < MAX_FREQUENT_SHARE
    )


def _distance_from_half(shares: Shares) -> float:
    return abs((shares.failing + shares.passing) / (shares.failing_total + shares.passing_total) - 0.5)


def is_effect(shares: Shares) -> bool:
    """Whether a difference is large enough to be reported, at the lower end of its interval."""
    return (
        shares.failing >= MIN_MESSAGES
        and shares.failing_share >= MIN_SHARE
        and compute_difference_interval(shares).low >= MIN_DIFFERENCE
    )
