import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tasks.analyses.facts import add_leaves, list_lengths, round_length


class TestAddLeaves:
    def test_gives_presence_each_value_once_and_the_length_of_the_longest(self):
        facts = {9}

        add_leaves(facts, [(1, "KG"), (1, "TONNE"), (1, "KG"), (2, "")])

        assert facts == {9, 1, (1, "KG"), (1, "TONNE"), (1, 5), 2, (2, ""), (2, 0)}

    def test_cuts_long_values_and_keeps_their_length(self):
        facts = set()

        add_leaves(facts, [(1, "x" * 80 + "a"), (1, "x" * 80 + "b" * 220), (2, "y" * 80)])

        assert facts == {1, (1, "x" * 80 + "…"), (1, 288), 2, (2, "y" * 80), (2, 80)}


class TestRoundLength:
    @pytest.mark.parametrize(
        ("length", "rounded"),
        [(0, 0), (35, 35), (256, 256), (257, 256), (272, 272), (1_000, 992), (65_536, 65_536)],
    )
    def test_is_exact_up_to_256_and_within_a_sixteenth_above(self, length, rounded):
        assert round_length(length) == rounded

    @given(st.integers(0, 2**31))
    def test_gives_one_of_the_listed_lengths(self, length):
        assert round_length(length) in set(list_lengths())
        assert round_length(length) <= length
