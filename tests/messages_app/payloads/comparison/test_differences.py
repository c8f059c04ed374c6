import difflib
import random
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from messages_app.payloads.comparison.differences import Change, equal_start, find_changes

LINES = st.lists(st.sampled_from("abcdefgh"), max_size=30)


def rebuilt(left: list[str], right: list[str], found: list[Change]) -> list[str]:
    """Rebuild the right side from the left one and the changes."""
    lines, done = [], 0
    for change in found:
        lines += left[done : change.left_start] + right[change.right_start : change.right_end]
        done = change.left_end
    return lines + left[done:]


class TestEqualStart:
    @given(st.text(alphabet="ab", max_size=20), st.text(alphabet="ab", max_size=20))
    def test_is_how_much_two_texts_share(self, one, other):
        length = equal_start(one, other)
        assert one[:length] == other[:length]
        assert one[length : length + 1] != other[length : length + 1] or length == len(one) == len(other)


class TestChanges:
    @given(LINES, LINES)
    def test_transform_one_side_into_the_other(self, left, right):
        assert rebuilt(left, right, find_changes(left, right)) == right

    @given(LINES)
    def test_are_empty_between_equals(self, lines):
        assert find_changes(lines, list(lines)) == []

    def test_are_in_order_with_equal_lines_between(self):
        found = find_changes(list("axbyc"), list("aXbYYc"))
        assert found == [Change(1, 2, 1, 2), Change(3, 4, 3, 5)]

    def test_follow_a_moved_block(self):
        left = [f"line {n}" for n in range(10)]
        right = left[5:] + left[:5]
        assert len(find_changes(left, right)) == 2

    def test_find_one_change_among_200_000_equal_lines(self):
        left = ["<item/>"] * 200_000
        right = [*left[:123_456], "<other/>", *left[123_457:]]
        began = time.process_time()
        assert find_changes(left, right) == [Change(123_456, 123_457, 123_456, 123_457)]
        assert time.process_time() - began < 10

    @pytest.mark.parametrize("letters", ["ab", "abcdefghijklmnopqrstuvwxyz"])
    def test_end_in_time_whatever_the_lines_are(self, letters):
        draw = random.Random(7)  # noqa: S311 (test data)
        left, right = ([draw.choice(letters) for _ in range(50_000)] for _ in range(2))
        began = time.process_time()
        assert rebuilt(left, right, find_changes(left, right)) == right
        assert time.process_time() - began < 20

    @example(list("aaaab"), list("baaaa"))
    @given(LINES, LINES)
    def test_are_nearly_minimal(self, left, right):
        matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
        kept = sum(block.size for block in matcher.get_matching_blocks())
        found = find_changes(left, right)
        assert len(left) - sum(one.left_end - one.left_start for one in found) >= kept // 2
