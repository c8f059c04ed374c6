import random
from collections import Counter

from spark_tasks.analyses.fields import Field, Source
from spark_tasks.analyses.sketches import (
    MAX_VALUES,
    FactSketch,
    FieldCounts,
    SideCounts,
    forget_rarest,
    read_counts,
    write_counts,
)

CODE, ID = Field(Source.PAYLOAD, "/code"), Field(Source.PAYLOAD, "/id")
FIELDS = [Field(Source.COLUMN, ""), CODE, ID]


class TestFactSketch:
    def test_counts_messages_by_presence_value_and_length(self):
        sketch = FactSketch()
        sketch.add_facts({1, (1, "A"), (1, 1)})
        sketch.add_facts({1, (1, "A"), (1, "BB"), (1, 2), 0, (0, "beyond the limit")})

        side = sketch.to_counts(FIELDS)

        assert side == SideCounts(
            2, 0, {CODE: FieldCounts(2, 0, Counter({"A": 2, "BB": 1}), Counter({1: 1, 2: 1}))}
        )

    def test_keeps_frequent_values_among_a_million_different_ones_in_bounded_memory(self):
        chance = random.Random(1)  # noqa: S311 - nothing is kept secret by it
        sketch = FactSketch(max_facts=5_000)
        most, frequent = 0, 0
        for number in range(50_000):
            value = "FREQUENT" if chance.random() < 0.05 else f"id-{number}"
            frequent += value == "FREQUENT"
            sketch.add_facts({2, (2, value)})
            most = max(most, len(sketch.counts))

        counts = sketch.to_counts(FIELDS).fields[ID]

        assert most <= 5_001
        assert counts.present == 50_000
        assert counts.values["FREQUENT"] <= frequent <= counts.values["FREQUENT"] + counts.lost
        assert counts.lost < 50_000 / MAX_VALUES
        assert len(counts.values) <= MAX_VALUES

    def test_forgets_rare_values_of_a_field_with_many_and_none_of_a_field_with_few(self):
        sketch = FactSketch(max_facts=1_000)
        for number in range(1_500):
            sketch.add_facts({1, (1, "ABC"[number % 3]), 2, (2, f"id-{number}")})

        assert sketch.to_counts(FIELDS).fields[CODE] == FieldCounts(
            1_500, 0, Counter({"A": 500, "B": 500, "C": 500})
        )


class TestForgetRarest:
    def test_subtracts_the_first_count_beyond_the_limit(self):
        values = {"a": 9, "b": 5, "c": 3, "d": 1}

        lost = forget_rarest(values, 2)

        assert (lost, values) == (3, {"a": 6, "b": 2, "c": 0, "d": -2})

    def test_leaves_values_that_fit(self):
        values = {"a": 9, "b": 5}

        assert (forget_rarest(values, 2), values) == (0, {"a": 9, "b": 5})


class TestMergeCounts:
    def test_adds_up_the_counts_and_what_they_may_lack(self):
        one = SideCounts(10, 1, {CODE: FieldCounts(8, 2, Counter(A=5), Counter({1: 8}))})
        other = SideCounts(
            20, 2, {CODE: FieldCounts(9, 1, Counter(A=3, B=4), Counter({1: 4, 2: 5})), ID: FieldCounts(1)}
        )

        one.merge_counts(other)

        assert one == SideCounts(
            30,
            3,
            {CODE: FieldCounts(17, 3, Counter(A=8, B=4), Counter({1: 12, 2: 5})), ID: FieldCounts(1)},
        )

    def test_keeps_up_to_256_values(self):
        one = SideCounts(0, 0, {ID: FieldCounts(values=Counter({f"a{number}": 1 for number in range(200)}))})
        other = SideCounts(
            0, 0, {ID: FieldCounts(values=Counter({f"b{number}": 1 for number in range(200)} | {"c": 7}))}
        )

        one.merge_counts(other)

        assert one.fields[ID] == FieldCounts(lost=1, values=Counter(c=6))


class TestWriteCounts:
    def test_is_read_again_as_the_same(self):
        side = SideCounts(3, 1, {CODE: FieldCounts(3, 1, Counter({"é\n": 2}), Counter({2: 3}))})

        assert read_counts(write_counts(side)) == side
