"""A comparison as the rows of a table: what differs, some equal lines around it, and the rest left out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import zip_longest

from messages_app.contents.comparing.differing import Change, equal_start

# Equal lines shown before and after a difference.
AROUND = 3
MAX_DIFFERENCES = 200
# Lines of one difference that are shown; and of one line, so many characters around its first change.
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
    """A line: its number, and its text with the part that the other side does not have in the middle."""

    number: int
    before: str
    changed: str = ""
    after: str = ""


@dataclass(frozen=True)
class Row:
    """
    One row.

    Args:
        number: of the difference that a HEAD begins.
        count: how many lines a SKIPPED or CUT row stands for.
        left, right: None where a side has no such line.
    """

    kind: RowKind
    left: Cell | None = None
    right: Cell | None = None
    number: int = 0
    count: int = 0


@dataclass(frozen=True)
class Texts:
    """The lines of both sides."""

    left: Sequence[str]
    right: Sequence[str]
    found: Sequence[Change] = field(default_factory=tuple)


def side_by_side(texts: Texts) -> Iterator[Row]:
    """Yield the rows, each with the lines of both sides, MAX_DIFFERENCES at most."""
    done = 0
    for number, change in enumerate(texts.found[:MAX_DIFFERENCES], 1):
        yield from _equal(texts, done, change, is_first=number == 1)
        yield Row(RowKind.HEAD, number=number)
        yield from _changed(texts, change)
        done = change.left_end
        following = texts.found[number].left_start if number < len(texts.found) else len(texts.left)
        shown = min(AROUND, following - done)
        offset = change.right_end - change.left_end
        yield from (_same(texts, n, n + offset) for n in range(done, done + shown))
        done += shown
    if texts.found and len(texts.found) <= MAX_DIFFERENCES and done < len(texts.left):
        yield Row(RowKind.SKIPPED, count=len(texts.left) - done)


def unified(rows: Iterator[Row]) -> Iterator[Row]:
    """Yield the same rows with one side each: of a difference first what is on the left."""
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


def _equal(texts: Texts, done: int, change: Change, *, is_first: bool) -> Iterator[Row]:
    """Yield the equal lines before a difference from `done` on: the last few of them, and how many others."""
    start = max(done, change.left_start - AROUND)
    if start > done:
        yield Row(RowKind.SKIPPED, count=start - done)
    offset = change.right_start - change.left_start
    yield from (_same(texts, n, n + offset) for n in range(start, change.left_start))


def _same(texts: Texts, left: int, right: int) -> Row:
    text = _short(texts.left[left], 0)
    return Row(RowKind.SAME, Cell(left + 1, text), Cell(right + 1, text))


def _changed(texts: Texts, change: Change) -> Iterator[Row]:
    left = range(change.left_start, change.left_end)
    right = range(change.right_start, change.right_end)
    for a, b in list(zip_longest(left, right))[:MAX_LINES]:
        yield Row(RowKind.CHANGED, *_cells(texts, a, b))
    more = max(len(left), len(right)) - MAX_LINES
    if more > 0:
        yield Row(RowKind.CUT, count=more)


def _cells(texts: Texts, a: int | None, b: int | None) -> tuple[Cell | None, Cell | None]:
    if a is None:
        return None, Cell(b + 1, "", _short(texts.right[b], 0))
    if b is None:
        return Cell(a + 1, "", _short(texts.left[a], 0)), None
    left, right = texts.left[a], texts.right[b]
    start = equal_start(left, right)
    end = equal_start(left[start:][::-1], right[start:][::-1])
    return _cell(a, left, start, len(left) - end), _cell(b, right, start, len(right) - end)


def _cell(number: int, line: str, start: int, end: int) -> Cell:
    before = line[:start]
    if len(line) > MAX_CHARS and start > _BEFORE_CHANGE:
        before = f"…{line[start - _BEFORE_CHANGE : start]}"
    return Cell(number + 1, before, _short(line[start:end], 0), _short(line[end:], len(before)))


def _short(text: str, used: int) -> str:
    room = max(MAX_CHARS - used, _BEFORE_CHANGE)
    return text if len(text) <= room else f"{text[:room]}…"
