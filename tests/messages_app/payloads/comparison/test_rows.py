from messages_app.payloads.comparison.differences import find_changes
from messages_app.payloads.comparison.rows import (
    AROUND,
    MAX_CHARS,
    MAX_DIFFERENCES,
    MAX_LINES,
    Cell,
    Row,
    RowKind,
    Texts,
    side_by_side,
    unify_rows,
)


def texts(left: list[str], right: list[str]) -> Texts:
    return Texts(left, right, find_changes(left, right))


class TestSideBySide:
    def test_shows_a_difference_among_some_equal_lines(self):
        left = [f"line {n}" for n in range(20)]
        right = [*left[:10], "line X", *left[11:]]
        rows = list(side_by_side(texts(left, right)))
        assert [row.kind for row in rows] == [
            RowKind.SKIPPED,
            *[RowKind.SAME] * AROUND,
            RowKind.HEAD,
            RowKind.CHANGED,
            *[RowKind.SAME] * AROUND,
            RowKind.SKIPPED,
        ]
        assert (rows[0].count, rows[-1].count) == (7, 6)
        assert rows[5] == Row(RowKind.CHANGED, Cell(11, "line ", "10"), Cell(11, "line ", "X"))

    def test_shows_every_line_once(self):
        left, right = list("abcdefghij"), list("abXdefYYghjk")
        rows = list(side_by_side(texts(left, right)))
        shown = [row.left.number for row in rows if row.left]
        skipped = sum(row.count for row in rows if row.kind is RowKind.SKIPPED)
        assert shown == sorted(set(shown))
        assert len(shown) + skipped == len(left)
        assert [row.right.number for row in rows if row.right and row.kind is RowKind.SAME] == [
            1,
            2,
            4,
            5,
            6,
            9,
            10,
            11,
        ]

    def test_leaves_a_side_without_such_a_line_empty(self):
        rows = list(side_by_side(texts(["a"], ["a", "b"])))
        assert rows[-1] == Row(RowKind.CHANGED, None, Cell(2, "", "b"))

    def test_shows_long_lines_around_their_change(self):
        left = "x" * 5000 + "1" + "y" * 5000
        row = list(side_by_side(texts([left], [left.replace("1", "2")])))[1]
        assert (row.left.changed, row.right.changed) == ("1", "2")
        assert row.left.before.startswith("…")
        assert len(row.left.before + row.left.after) < MAX_CHARS + 100

    def test_limits_lines_and_differences(self):
        rows = list(side_by_side(texts(["a"], [f"b{n}" for n in range(500)])))
        assert rows[-1] == Row(RowKind.CUT, count=500 - MAX_LINES)
        left = [f"{n}" for n in range(3 * MAX_DIFFERENCES)]
        right = [line if n % 2 else f"{line}!" for n, line in enumerate(left)]
        heads = [row for row in side_by_side(texts(left, right)) if row.kind is RowKind.HEAD]
        assert len(heads) == MAX_DIFFERENCES


class TestUnified:
    def test_puts_the_left_lines_before_the_right_ones(self):
        found = unify_rows(side_by_side(texts(["a", "1", "2", "z"], ["a", "3", "4", "z"])))
        sides = [(row.left and row.left.number, row.right and row.right.number) for row in found]
        assert sides == [(1, 1), (None, None), (2, None), (3, None), (None, 2), (None, 3), (4, 4)]
