"""Findings of messages that are written out as sets of letters: each letter is a property of a message."""

from collections import Counter
from collections.abc import Iterable
from itertools import combinations_with_replacement

from spark_tasks.analyses.counting import PairCounts
from spark_tasks.analyses.fields import Field, Source
from spark_tasks.analyses.findings import MAX_FINDINGS, choose_findings
from spark_tasks.analyses.predicates import Kind, Predicate
from spark_tasks.analyses.proportions import Shares


def predicate(letter: str, kind: Kind = Kind.VALUE, path: str | None = None) -> Predicate:
    return Predicate(Field(Source.PAYLOAD, path or f"/o/{letter}"), kind, letter)


def count(messages: Iterable[str], letters: str) -> PairCounts:
    together: Counter[tuple[int, int]] = Counter()
    total = 0
    for message in messages:
        total += 1
        places = [place for place, letter in enumerate(letters) if letter in message]
        together.update(combinations_with_replacement(places, 2))
    return PairCounts(total, 0, together)


def findings_of(
    failing: list[str], passing: list[str], *, comparisons: int = 500, **own: Predicate
) -> list[str]:
    """
    Return the findings as letters, with those of the same messages after an equals sign.

    Args:
        own: predicates of letters that are not values of fields with their name.
    """
    letters = "".join(sorted(set("".join([*failing, *passing]))))
    predicates = [own.get(letter, predicate(letter)) for letter in letters]
    names = dict(zip(predicates, letters, strict=True))
    findings = choose_findings(
        predicates, count(failing, letters), count(passing, letters), comparisons=comparisons
    )
    return [
        "".join(sorted(names[each] for each in finding.predicates))
        + "".join("=" + names[each] for each in finding.same_as)
        for finding in findings
    ]


class TestChooseFindings:
    def test_names_the_value_that_all_failing_and_few_passing_messages_have(self):
        assert findings_of(["A"] * 30, ["A"] * 3 + [""] * 97) == ["A"]

    def test_gives_the_counts_of_both_sides(self):
        (finding,) = choose_findings(
            [predicate("A")],
            count(["A"] * 28 + [""] * 2, "A"),
            count(["A"] * 3 + [""] * 97, "A"),
            comparisons=5,
        )

        assert finding.shares == Shares(28, 30, 3, 100)

    def test_names_nothing_if_shares_are_equal_or_the_difference_is_small(self):
        assert findings_of(["A"] * 15 + ["B"] * 15, ["A"] * 50 + ["B"] * 50) == []
        assert findings_of(["A"] * 1_000, ["A"] * 9_200 + [""] * 800) == []

    def test_names_nothing_that_may_be_one_of_many_coincidences(self):
        failing, passing = ["A"] * 7 + [""] * 3, ["A"] * 50 + [""] * 150

        # The p-value is 0.006: enough for one comparison, not for 500.
        assert findings_of(failing, passing, comparisons=1) == ["A"]
        assert findings_of(failing, passing, comparisons=500) == []

    def test_names_one_of_two_values_of_the_same_messages_and_the_other_with_it(self):
        assert findings_of(["AB"] * 30, ["AB"] * 3 + [""] * 97) == ["A=B"]

    def test_prefers_a_column_then_a_value_then_the_shorter_path(self):
        column = Predicate(Field(Source.COLUMN, "source_system"), Kind.VALUE, "CRM")
        long = predicate("B", path="/o/long/path")
        absent = predicate("C", Kind.MISSING, path="/c")
        failing, passing = ["ABCD"] * 30, ["ABCD"] * 3 + [""] * 97

        assert findings_of(failing, passing, B=long, C=absent, D=column) == ["D=A=B=C"]

    def test_does_not_merge_two_values_that_only_failing_messages_share(self):
        # Among the passing messages, B is more frequent; it explains no failure that A does not explain.
        assert findings_of(["AB"] * 30, ["AB"] * 3 + ["B"] * 20 + [""] * 177) == ["A"]

    def test_names_a_second_cause_of_other_messages(self):
        assert findings_of(["A"] * 60 + ["B"] * 40, ["A"] * 5 + ["B"] * 5 + [""] * 190) == ["A", "B"]

    def test_names_a_pair_if_neither_of_its_parts_fails_without_the_other(self):
        passing = ["A"] * 60 + ["B"] * 60 + [""] * 80

        assert findings_of(["AB"] * 40, passing) == ["AB"]

    def test_names_a_pair_of_equally_frequent_parts(self):
        failing = ["AB"] * 15 + [""] * 15
        passing = ["A"] * 60 + ["B"] * 60

        assert findings_of(failing, passing) == ["AB"]

    def test_names_no_pair_that_may_be_one_of_many_coincidences(self):
        failing = ["AB"] * 5 + ["A"] * 2 + ["B"] * 2
        passing = ["AB"] * 2 + ["A"] * 28 + ["B"] * 28
        others = [f"{letter}X" for letter in "CDEFGHIJKLMN"]

        assert findings_of(failing, passing) == ["AB"]
        assert findings_of(failing, passing + others) == []

    def test_names_a_pair_first_if_one_of_its_parts_is_rare(self):
        # The difference of the shares is even a little larger for A.
        failing = ["AB"] * 70 + ["A"] * 3 + ["B"] * 3 + [""] * 11
        passing = ["AB"] + ["A"] * 65 + ["B"] * 433 + [""] * 1_414

        assert findings_of(failing, passing) == ["AB"]

    def test_does_not_pair_a_cause_with_what_is_frequent_everywhere(self):
        passing = ["AN"] * 2 + ["A"] * 2 + ["N"] * 100 + [""] * 96

        assert findings_of(["AN"] * 20 + ["A"] * 20, passing) == ["A"]

    def test_does_not_pair_a_cause_with_what_nearly_all_of_its_messages_have(self):
        # 95 % of the processed messages with A have N too: significant, but no help.
        passing = ["AN"] * 950 + ["A"] * 50 + ["N"] * 3_050 + [""] * 950

        assert findings_of(["AN"] * 2_000, passing) == ["A"]

    def test_does_not_pair_two_values_of_one_field_or_lengths(self):
        passing = ["A"] * 60 + ["B"] * 60 + [""] * 80
        one, other = predicate("A", path="/o/x"), predicate("B", path="/o/x")
        length = Predicate(Field(Source.PAYLOAD, "/o/y"), Kind.AT_LEAST, length=9)

        assert findings_of(["AB"] * 40, passing, A=one, B=other) == ["A"]
        assert findings_of(["AB"] * 40, passing, B=length) == ["A"]

    def test_sorts_by_what_each_explains(self):
        failing = ["B"] * 70 + ["A"] * 30

        assert findings_of(failing, ["A"] * 3 + ["B"] * 3 + [""] * 194) == ["B", "A"]

    def test_names_at_most_ten(self):
        letters = "ABCDEFGHIJKLMNOPQ"
        # Each explains failures of its own.
        failing = [letter for letter in letters for _ in range(200)]

        assert len(findings_of(failing, [""] * 2_000)) <= MAX_FINDINGS
