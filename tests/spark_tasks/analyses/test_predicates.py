from collections import Counter

import pytest

from spark_tasks.analyses.fields import Field, Source
from spark_tasks.analyses.predicates import (
    MAX_CANDIDATES,
    MAX_TWINS,
    Kind,
    Predicate,
    find_candidates,
    is_effect,
)
from spark_tasks.analyses.proportions import Shares
from spark_tasks.analyses.sketches import FieldCounts, SideCounts

ORDER = Field(Source.PAYLOAD, "/Order")
CURRENCY = Field(Source.PAYLOAD, "/Order/Currency")
NOTE = Field(Source.PAYLOAD, "/Order/Note")


def sides(
    field: Field, failing: FieldCounts, passing: FieldCounts, *, orders: tuple[int, int] = (100, 1_000)
):
    """Return the counts of 100 failing and 1 000 passing messages."""
    return (
        SideCounts(total, 0, {ORDER: FieldCounts(present=of_type), field: counts})
        for total, of_type, counts in zip((100, 1_000), orders, (failing, passing), strict=True)
    )


def candidates_of(*arguments, **options) -> set[Predicate]:
    return set(find_candidates(*sides(*arguments, **options)).predicates)


class TestFindCandidates:
    def test_has_a_value_that_more_failing_messages_have(self):
        failing = FieldCounts(100, values=Counter(CHF=95, EUR=5))
        passing = FieldCounts(1_000, values=Counter(CHF=30, EUR=970))

        assert candidates_of(CURRENCY, failing, passing) == {Predicate(CURRENCY, Kind.VALUE, "CHF")}

    def test_has_an_empty_value(self):
        failing = FieldCounts(100, values=Counter({"": 95, "EUR": 5}))
        passing = FieldCounts(1_000, values=Counter(EUR=1_000))

        assert candidates_of(CURRENCY, failing, passing) == {Predicate(CURRENCY, Kind.EMPTY)}

    def test_has_a_value_that_the_sketch_has_counted_too_low(self):
        failing = FieldCounts(100, lost=85, values=Counter(CHF=9))
        passing = FieldCounts(1_000, lost=500, values=Counter(CHF=30))

        assert candidates_of(CURRENCY, failing, passing) == {Predicate(CURRENCY, Kind.VALUE, "CHF")}

    def test_has_a_missing_and_a_present_field(self):
        one, many, few = FieldCounts(10), FieldCounts(990), FieldCounts(90)

        assert Predicate(NOTE, Kind.MISSING) in candidates_of(NOTE, one, many)
        assert Predicate(NOTE, Kind.PRESENT) in candidates_of(NOTE, few, FieldCounts(100))

    def test_has_frequent_values_without_a_difference_for_pairs_and_no_rare_or_general_ones(self):
        failing = FieldCounts(100, values=Counter(EUR=50, CHF=9), lengths=Counter({3: 50, 4: 50}))
        passing = FieldCounts(1_000, values=Counter(EUR=500, CHF=90), lengths=Counter({3: 500, 4: 500}))

        assert candidates_of(CURRENCY, failing, passing) == {Predicate(CURRENCY, Kind.VALUE, "EUR")}

    @pytest.mark.parametrize(("failing", "passing"), [(20, 1_000), (18, 900)])
    def test_does_not_miss_a_field_in_documents_of_another_type(self, failing, passing):
        # Failing orders lack it as often as processed ones; 80 other failing documents have no order.
        orders = (20, 1_000)

        assert Predicate(NOTE, Kind.MISSING) not in candidates_of(
            NOTE, FieldCounts(failing), FieldCounts(passing), orders=orders
        )

    def test_has_the_limits_of_a_length_that_fit_best(self):
        failing = FieldCounts(100, lengths=Counter({10: 5, 36: 60, 40: 35}))
        passing = FieldCounts(1_000, lengths=Counter({10: 500, 35: 490, 36: 5, 50: 5}))

        found = candidates_of(NOTE, failing, passing)

        assert Predicate(NOTE, Kind.AT_LEAST, length=36) in found
        assert not [each for each in found if each.kind is Kind.AT_LEAST and each.length != 36]

    def test_has_a_maximum_of_the_length(self):
        failing = FieldCounts(100, lengths=Counter({4: 100}))
        passing = FieldCounts(1_000, lengths=Counter({4: 20, 5: 980}))

        assert Predicate(NOTE, Kind.AT_MOST, length=4) in candidates_of(NOTE, failing, passing)

    def test_has_nothing_that_fewer_than_five_or_a_tenth_of_the_failing_messages_have(self):
        few = FieldCounts(100, values=Counter(CHF=9))

        assert candidates_of(CURRENCY, few, FieldCounts(1_000)) == set()

    def test_has_nothing_with_a_small_difference(self):
        failing, passing = (FieldCounts(values=Counter(CHF=count)) for count in (100, 900))

        # All failing and 90 % of the passing messages: the difference may be less than ten points.
        assert candidates_of(CURRENCY, failing, passing) == set()

    def test_counts_each_value_of_two_messages_each_limit_and_presence_as_a_comparison(self):
        failing = FieldCounts(90, values=Counter(A=60, B=2, unique=1), lengths=Counter({1: 50, 6: 40}))
        passing = FieldCounts(900, values=Counter(A=900), lengths=Counter({2: 900}))

        # Two values, present and missing, and two limits of three lengths in both directions.
        assert find_candidates(*sides(NOTE, failing, passing)).comparisons == 2 + 2 + 4

    def test_has_a_few_of_those_with_the_same_counts_the_shorter_ones(self):
        fields = [Field(Source.PAYLOAD, "/Order/" + "x" * length) for length in range(1, 50)]
        failing = SideCounts(100, 0, {each: FieldCounts(100, values=Counter(CHF=100)) for each in fields})
        passing = SideCounts(1_000, 0, {each: FieldCounts(1_000, values=Counter(CHF=9)) for each in fields})

        predicates = find_candidates(failing, passing).predicates

        assert [each.field for each in predicates] == fields[:MAX_TWINS]

    def test_has_the_most_different_ones_of_too_many(self):
        fields = [Field(Source.PAYLOAD, f"/Order/f{number}") for number in range(500)]
        failing = SideCounts(1_000, 0, {each: FieldCounts(1_000, values=Counter(V=1_000)) for each in fields})
        passing = SideCounts(
            1_000,
            0,
            {each: FieldCounts(1_000, values=Counter(V=number)) for number, each in enumerate(fields)},
        )

        predicates = find_candidates(failing, passing).predicates

        assert [each.field for each in predicates] == fields[:MAX_CANDIDATES]


class TestIsEffect:
    @pytest.mark.parametrize(
        ("shares", "expected"),
        [
            (Shares(700, 1_000, 500, 1_000), True),
            # The same shares of few messages may be the same share of many.
            (Shares(7, 10, 5, 10), False),
            (Shares(550, 1_000, 500, 1_000), False),
            (Shares(4, 4, 0, 1_000), False),
            (Shares(50, 1_000, 0, 1_000), False),
        ],
    )
    def test_is_a_difference_of_ten_points_at_the_lower_end_of_its_interval(self, shares, expected):
        assert is_effect(shares) is expected
