"""A comparison as the rows of a table: differences, each with some equal lines around it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import zip_longest

from messages_app.payloads.code_points import describe_unseen
from messages_app.payloads.comparison.differences import Change, equal_start

# The number of equal lines shown before and after a difference.
AROUND = 3
MAX_DIFFERENCES = 200
# The number of lines shown for a difference, and of characters around the first change of a line.
MAX_LINES = 60
MAX_CHARS = 400
_BEFORE_CHANGE = 80


class RowKind(StrEnum):
    HEAD = "head"
    SAME = "same"
    CHANGED = "changed"
    SKIPPED = "skipped"
    CUT = "cut"


@dataclass(frozen=True)
class Cell:
    """
    A line: its number, and its text in three parts. The other side does not have the middle one.

    Args:
        unseen: the code points of the middle one, if the difference cannot be seen.
    """

    number: int
    before: str
    changed: str = ""
    after: str = ""
    unseen: str = ""


@dataclass(frozen=True)
class Row:
    """
    One row.

    Args:
        number: the number of the difference that a HEAD row begins; `title`: the segment that it is in.
        count: the number of lines that a SKIPPED or CUT row represents.
        left, right: the line of each side, or None.
    """

    kind: RowKind
    left: Cell | None = None
    right: Cell | None = None
    number: int = 0
    count: int = 0
    title: str = ""


@dataclass(frozen=True)
class Texts:
    """
    The lines of both sides.

    Args:
        titles: of the left and the right lines, if these are segments.
    """

    left: Sequence[str]
    right: Sequence[str]
    changes: Sequence[Change] = field(default_factory=tuple)
    titles: tuple[Sequence[str], Sequence[str]] = ((), ())

    def title_of(self, change: Change) -> str:
        """Return the segment that a difference begins in; empty for other lines."""
        left, right = self.titles
        if change.right_start < change.right_end:
            return right[change.right_start] if right else ""
        return left[change.left_start] if left else ""

    def equal_pairs(self) -> Iterator[tuple[int, int]]:
        """Yield the numbers of the lines between the differences, from 0."""
        a = b = 0
        for change in (*self.changes, Change(len(self.left), 0, len(self.right), 0)):
            yield from zip(range(a, change.left_start), range(b, change.right_start), strict=True)
            a, b = change.left_end, change.right_end


def side_by_side(texts: Texts) -> Iterator[Row]:
    """
    Yield the rows with the lines of both sides next to each other, for at most MAX_DIFFERENCES differences.
    """
    done = 0
    for number, change in enumerate(texts.changes[:MAX_DIFFERENCES], 1):
        yield from _equal_rows(texts, done, change, is_first=number == 1)
        yield Row(RowKind.HEAD, number=number, title=texts.title_of(change))
        yield from _changed_rows(texts, change)
        done = change.left_end
        following = texts.changes[number].left_start if number < len(texts.changes) else len(texts.left)
        count = min(AROUND, following - done)
        offset = change.right_end - change.left_end
        yield from (_same_row(texts, n, n + offset) for n in range(done, done + count))
        done += count
    if texts.changes and len(texts.changes) <= MAX_DIFFERENCES and done < len(texts.left):
        yield Row(RowKind.SKIPPED, count=len(texts.left) - done)


def unify_rows(rows: Iterator[Row]) -> Iterator[Row]:
    """Yield the same rows with one side each. The left lines of a difference come first."""
    added: list[Row] = []
    for row in rows:
        if row.kind is RowKind.CHANGED:
            if row.left:
                yield Row(RowKind.CHANGED, left=row.left)
            if row.right:
                added.append(Row(RowKind.CHANGED, right=row.right))
            continue
        yield from added
        added = []
        yield row
    yield from added


def _equal_rows(texts: Texts, done: int, change: Change, *, is_first: bool) -> Iterator[Row]:
    """
    Yield the equal lines before a difference from `done` on: the last few, and the number of the others.
    """
    start = max(done, change.left_start - AROUND)
    if start > done:
        yield Row(RowKind.SKIPPED, count=start - done)
    offset = change.right_start - change.left_start
    yield from (_same_row(texts, n, n + offset) for n in range(start, change.left_start))


def _same_row(texts: Texts, left: int, right: int) -> Row:
    text = _shorten_text(texts.left[left], 0)
    return Row(RowKind.SAME, Cell(left + 1, text), Cell(right + 1, text))


def _changed_rows(texts: Texts, change: Change) -> Iterator[Row]:
    left = range(change.left_start, change.left_end)
    right = range(change.right_start, change.right_end)
    for a, b in list(zip_longest(left, right))[:MAX_LINES]:
        yield Row(RowKind.CHANGED, *_make_cells(texts, a, b))
    more = max(len(left), len(right)) - MAX_LINES
    if more > 0:
        yield Row(RowKind.CUT, count=more)


def _lone_cell(lines: Sequence[str], number: int | None) -> Cell | None:
    """Return the cell of a line without a counterpart on the other side."""
    return None if number is None else Cell(number + 1, "", _shorten_text(lines[number], 0))


def _make_cells(texts: Texts, a: int | None, b: int | None) -> tuple[Cell | None, Cell | None]:
    if a is None or b is None:
        return _lone_cell(texts.left, a), _lone_cell(texts.right, b)
    left, right = texts.left[a], texts.right[b]
    start = equal_start(left, right)
    end = equal_start(left[start:][::-1], right[start:][::-1])
    unseen = describe_unseen(left[start : len(left) - end], right[start : len(right) - end])
    return (
        _make_cell(a, left, start, len(left) - end, unseen[0]),
        _make_cell(b, right, start, len(right) - end, unseen[1]),
    )


def _make_cell(number: int, line: str, start: int, end: int, unseen: str) -> Cell:
    before = line[:start]
    if len(line) > MAX_CHARS and start > _BEFORE_CHANGE:
        before = f"…{line[start - _BEFORE_CHANGE : start]}"
    return Cell(
        number + 1, before, _shorten_text(line[start:end], 0), _shorten_text(line[end:], len(before)), unseen
    )


def _shorten_text(text: str, used: int) -> str:
    room = max(MAX_CHARS - used, _BEFORE_CHANGE)
    return text if len(text) <= room else f"{text[:room]}…"
