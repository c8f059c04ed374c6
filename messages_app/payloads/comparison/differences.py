"""
The differences of two lists of lines, in bounded time.

In long lists, lines that occur exactly once on each side are fixed points, found by patience sorting. The
short stretches between them are compared line by line. 200 000 equal lines with one change take no longer
than reading them (docs/contributing/spec/bad_input.md, X60).
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

# The maximum number of pairs of lines to compare, in one stretch and in total.
MAX_PAIRS_AT_ONCE = 160_000
MAX_PAIRS = 1_000_000
# In a stretch with fewer pairs, the longest equal runs give better results than unique lines.
_SHORT = 10_000


@dataclass(frozen=True, order=True)
class Change:
    """Lines left_start to left_end (exclusive) became right_start to right_end. Either side may be empty."""

    left_start: int
    left_end: int
    right_start: int
    right_end: int


def find_changes(left: Sequence[str], right: Sequence[str]) -> list[Change]:
    """
    Return the differences in order; empty if the lists are equal. Between two differences there are equal
    lines.
    """
    return _join_changes(_Comparison(left, right).changes_within(Change(0, len(left), 0, len(right))))


def equal_start(one: str | bytes, other: str | bytes) -> int:
    """Return the length of the common beginning of two texts."""
    # By bisection, because comparing slices is faster than a loop over characters.
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _join_changes(changes: Iterator[Change]) -> list[Change]:
    joined: list[Change] = []
    for change in changes:
        last = joined[-1] if joined else None
        if last and (last.left_end, last.right_end) == (change.left_start, change.right_start):
            joined[-1] = Change(last.left_start, change.left_end, last.right_start, change.right_end)
        else:
            joined.append(change)
    return joined


class _Comparison:
    def __init__(self, left: Sequence[str], right: Sequence[str]) -> None:
        self.left = left
        self.right = right
        self.pairs_left = MAX_PAIRS

    def changes_within(self, part: Change) -> Iterator[Change]:
        """Yield the differences within a part of both lists."""
        waiting = [part]
        while waiting:
            part = self._trim_part(waiting.pop())
            if part.left_start == part.left_end and part.right_start == part.right_end:
                continue
            if part.left_start == part.left_end or part.right_start == part.right_end:
                yield part
                continue
            between = [] if self._is_short(part) else self._between_fixed_points(part)
            if between:
                waiting.extend(reversed(between))
            else:
                yield from self._line_by_line(part)

    def _is_short(self, part: Change) -> bool:
        return _count_pairs(part) <= min(_SHORT, self.pairs_left)

    def _trim_part(self, part: Change) -> Change:
        """Return `part` without the equal lines at its start and end."""
        left, right = self.left, self.right
        a, b, c, d = part.left_start, part.left_end, part.right_start, part.right_end
        while a < b and c < d and left[a] == right[c]:
            a, c = a + 1, c + 1
        while a < b and c < d and left[b - 1] == right[d - 1]:
            b, d = b - 1, d - 1
        return Change(a, b, c, d)

    def _between_fixed_points(self, part: Change) -> list[Change]:
        """
        Return the stretches between lines that occur once on each side, in the same order; may be empty.
        """
        stretches = []
        a, c = part.left_start, part.right_start
        for left_at, right_at in _longest_rising(self._unique_pairs(part)):
            stretches.append(Change(a, left_at, c, right_at))
            a, c = left_at + 1, right_at + 1
        return [*stretches, Change(a, part.left_end, c, part.right_end)] if stretches else []

    def _unique_pairs(self, part: Change) -> list[tuple[int, int]]:
        left = self.left[part.left_start : part.left_end]
        right = self.right[part.right_start : part.right_end]
        left_counts, right_counts = Counter(left), Counter(right)
        places = {line: n for n, line in enumerate(right, part.right_start) if right_counts[line] == 1}
        return [
            (n, places[line])
            for n, line in enumerate(left, part.left_start)
            if left_counts[line] == 1 and line in places
        ]

    def _line_by_line(self, part: Change) -> Iterator[Change]:
        a, b, c, d = part.left_start, part.left_end, part.right_start, part.right_end
        pairs = _count_pairs(part)
        if pairs > min(MAX_PAIRS_AT_ONCE, self.pairs_left):
            yield part
            return
        self.pairs_left -= pairs
        matcher = SequenceMatcher(None, self.left[a:b], self.right[c:d], autojunk=False)
        for kind, left_start, left_end, right_start, right_end in matcher.get_opcodes():
            if kind != "equal":
                yield Change(a + left_start, a + left_end, c + right_start, c + right_end)


def _count_pairs(part: Change) -> int:
    return (part.left_end - part.left_start) * (part.right_end - part.right_start)


def _longest_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """
    Return the longest subsequence of `pairs` whose second numbers increase. The first numbers increase
    already.
    """
    ends: list[int] = []  # for each length of a subsequence, the smallest number at its end
    at_end: list[int] = []
    before: list[int] = []
    for n, (_, second) in enumerate(pairs):
        place = bisect_left(ends, second)
        if place == len(ends):
            ends.append(second)
            at_end.append(n)
        ends[place], at_end[place] = second, n
        before.append(at_end[place - 1] if place else -1)
    run = []
    n = at_end[-1] if at_end else -1
    while n >= 0:
        run.append(pairs[n])
        n = before[n]
    return run[::-1]
